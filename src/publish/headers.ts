import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Fetched, ObjectHeaders } from '../storage/target.ts';
import { compress } from '../tree/compression.ts';
import { CODINGS, type Encoding, SUFFIXES } from '../tree/encoding.ts';

/** What a publisher decides about how pages are answered. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** Pages change under the same address: every reader asks whether they have. */
export const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** The headers of a page, or of the file that has it compressed. */
export function pageHeaders({ cacheControl, gzip }: HeaderChoice, variant?: Encoding): ObjectHeaders {
  const contentEncoding = variant === undefined ? (gzip ? CODINGS.gzip : '') : CODINGS[variant];
  return { contentType: 'application/json', cacheControl, contentEncoding };
}

/** The headers of what stands beside the pages, which tools read: never compressed. */
export function plainHeaders(path: string): ObjectHeaders {
  const contentType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return { contentType, cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' };
}

/** A file's bytes as the store is to keep them: what is compressed already stays as it is. */
export function encoded(file: Buffer, headers: ObjectHeaders, variant?: Encoding): Buffer {
  return variant === undefined && headers.contentEncoding === CODINGS.gzip ? gzipSync(file) : file;
}

/** A page as the file of a variant has it. */
export function compressedPage(page: Buffer, variant?: Encoding): Buffer {
  return variant === undefined ? page : compress(page, variant);
}

/** The page in an object, which says how it is compressed, or whose name does. */
export function decompressedPage(path: string, { bytes, contentEncoding }: Fetched): Buffer {
  if (contentEncoding === CODINGS.gzip || (contentEncoding === '' && path.endsWith(SUFFIXES.gzip))) return gunzipSync(bytes);
  if (contentEncoding === CODINGS.brotli || (contentEncoding === '' && path.endsWith(SUFFIXES.brotli))) return brotliDecompressSync(bytes);
  return bytes;
}

/** One line for all headers, equal where they are. */
export function headerLine({ contentType, cacheControl, contentEncoding }: ObjectHeaders): string {
  return [contentType, cacheControl, contentEncoding].join(' | ');
}
