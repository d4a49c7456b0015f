import fc from 'fast-check';

/** Characters that Python accepts as white space, digit or sign in a number, and similar ones that it rejects. */
export const LOOK_ALIKES: readonly string[] = [
  ...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000',
  ...'\0\b\u001c\u001d\u001e\u001f\u007f\u180e\u200b\u200e\u2060\u2800\ufeff\ufffd',
  ...'٢۲߂२๒２᠒\u{104a2}\u{1d7ce}\u{1d7d0}\u{1d7d8}\u{1d7e4}\u{1d7ff}\u{1e952}\u{1fbf2}',
  ...'²₂②⒉二Ⅱ½፪',
  ..."+-_.,'ex%\u2212\uff0b\uff3f",
];

const PARAMETERS = 'page page= &page= p%61ge= PAGE= xpage= page[]= utm=x& a=1& z= %C3%A9= ~ *'.split(' ');
const VALUES = '0 1 2 2 3 3 4 last _ - . ; ? % %ZZ %FF %00 + %2B %20 & %26 = %3D'.split(' ');

/** Queries from parts of parameters and page numbers, valid and invalid. */
export const queries: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('page=', '&page=', '2') },
      fc.constantFrom(...PARAMETERS),
      fc.constantFrom(...VALUES),
      fc.constantFrom(...LOOK_ALIKES).map(encodeURIComponent),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** A query on a collection of three pages, and the expected response. */
export interface Vector {
  /** The query with its question mark. */
  readonly query: string;
  readonly status: number;
  /** Null if the status is 404. */
  readonly page: number | null;
}

export const parseVectors = (file: { readonly cases: readonly Vector[] }): readonly Vector[] => file.cases;
