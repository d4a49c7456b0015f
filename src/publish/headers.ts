import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Fetched, ObjectHeaders } from '../storage/target.ts';
import { compress } from '../tree/compression.ts';
import { CODINGS, type Encoding, SUFFIXES } from '../tree/encoding.ts';

/** The options that determine the response headers of pages. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** The content of a page changes under the same URL, so every client must revalidate. */
export const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** Returns the headers of a page, or of one of its compressed variants. */
export function pageHeaders({ cacheControl, gzip }: HeaderChoice, variant?: Encoding): ObjectHeaders {
  const contentEncoding = variant === undefined ? (gzip ? CODINGS.gzip : '') : CODINGS[variant];
  return { contentType: 'application/json', cacheControl, contentEncoding };
}

/** Returns the headers of a file beside the pages. Such files are never compressed, because tools read them. */
export function plainHeaders(path: string): ObjectHeaders {
  const contentType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return { contentType, cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' };
}

/** Returns the bytes to upload. A variant is already compressed and is not compressed again. */
export function encoded(file: Buffer, headers: ObjectHeaders, variant?: Encoding): Buffer {
  return variant === undefined && headers.contentEncoding === CODINGS.gzip ? gzipSync(file) : file;
}

/** Returns the content of a page's variant; without a variant, the page. */
export function compressedPage(page: Buffer, variant?: Encoding): Buffer {
  return variant === undefined ? page : compress(page, variant);
}

/** Returns the decompressed page in an object. Its header, or otherwise its name, gives the encoding. */
export function decompressedPage(path: string, { bytes, contentEncoding }: Fetched): Buffer {
  const coding = contentEncoding.toLowerCase();
  if (coding === CODINGS.gzip || (coding === '' && path.endsWith(SUFFIXES.gzip))) return gunzipSync(bytes);
  if (coding === CODINGS.brotli || (coding === '' && path.endsWith(SUFFIXES.brotli))) return brotliDecompressSync(bytes);
  return bytes;
}

/** Returns all headers in one line, for comparison. */
export function headerLine({ contentType, cacheControl, contentEncoding }: ObjectHeaders): string {
  return [contentType, cacheControl, contentEncoding].join(' | ');
}
