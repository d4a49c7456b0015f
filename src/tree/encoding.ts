/** The ways in which pages may be there once more, compressed, and what the names of such files end with. */
export const SUFFIXES = { gzip: '.gz', brotli: '.br' } as const;

export type Encoding = keyof typeof SUFFIXES;

/** What HTTP calls them, its content codings. */
export const CODINGS: { readonly [E in Encoding]: string } = { gzip: 'gzip', brotli: 'br' };

/** In the order in which they are made. */
export const ENCODINGS: readonly Encoding[] = ['gzip', 'brotli'];

/** The encodings of which such a text speaks. */
export function encodingsIn(text: string): Encoding[] {
  const names = text.split(' ').map((word) => word.split('/')[0]);
  return ENCODINGS.filter((encoding) => names.includes(encoding));
}
