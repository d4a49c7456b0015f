/** The encodings of compressed copies of pages, and the file name suffix of each. */
export const SUFFIXES = { gzip: '.gz', brotli: '.br' } as const;

export type Encoding = keyof typeof SUFFIXES;

/** The HTTP content coding of each encoding. */
export const CODINGS: { readonly [E in Encoding]: string } = { gzip: 'gzip', brotli: 'br' };

/** All encodings, in the order in which they are written. */
export const ENCODINGS: readonly Encoding[] = ['gzip', 'brotli'];

/** Returns the encodings in a text such as `gzip/1.3.1 brotli/1.1.0`. */
export function encodingsIn(text: string): Encoding[] {
  const names = text.split(' ').map((word) => word.split('/')[0]);
  return ENCODINGS.filter((encoding) => names.includes(encoding));
}

/** Returns the path of the file of which a file is a compressed copy; for any other file, its own path. */
export function plainPath(path: string): string {
  const encoding = encodingOfPath(path);
  return encoding === undefined ? path : path.slice(0, -SUFFIXES[encoding].length);
}

/** Returns the encoding of a compressed copy of a page by its path; undefined for any other file. */
export function encodingOfPath(path: string): Encoding | undefined {
  return ENCODINGS.find((encoding) => path.endsWith(SUFFIXES[encoding]));
}
