import { hash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { DEFAULT_CACHE_CONTROL } from '../../contract/site.ts';
import { BROWSE_TYPES } from '../../rewrite/resolve.ts';
import type { Fetched, ObjectHeaders, Upload } from '../../storage/target.ts';
import { CODINGS, compress, encodingOfPath, plainPath, SUFFIXES } from '../../tree/encoding.ts';

/** The options that determine the response headers of pages. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** Returns the headers of a page or a browse file. A compressed copy of a page has its own encoding. */
export function fileHeaders({ cacheControl, gzip }: HeaderChoice, path: string): ObjectHeaders {
  const encoding = encodingOfPath(path) ?? (gzip ? 'gzip' : undefined);
  return { contentType: mediaTypeOf(plainPath(path)), cacheControl, contentEncoding: encoding === undefined ? '' : CODINGS[encoding] };
}

/** Returns the upload of a file beside the pages. Such files are never compressed, because tools read them. */
export function plainUpload(path: string, bytes: Buffer): Upload {
  const headers = { contentType: mediaTypeOf(path), cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' };
  return { bytes, headers, digest: hash('sha256', bytes) };
}

export function headerLine({ contentType, cacheControl, contentEncoding }: ObjectHeaders): string {
  return [contentType, cacheControl, contentEncoding].join(' | ');
}

function mediaTypeOf(path: string): string {
  const suffix = path.slice(path.lastIndexOf('.') + 1);
  return suffix === 'json' ? 'application/json' : (BROWSE_TYPES[suffix] ?? 'text/plain; charset=utf-8');
}

/** Returns the bytes to upload. A compressed copy of a page is not compressed again. */
export function encoded(file: Buffer, { contentEncoding }: ObjectHeaders, path: string): Buffer {
  return encodingOfPath(path) === undefined && contentEncoding === CODINGS.gzip ? gzipSync(file) : file;
}

/** Returns the content of the file at a path: the page, or a compressed copy of it. */
export function compressedPage(page: Buffer, path: string): Buffer {
  const encoding = encodingOfPath(path);
  return encoding === undefined ? page : compress(page, encoding);
}

/** Returns the decompressed page in an object. Its header, or otherwise its name, gives the encoding. */
export function decompressedPage(path: string, { bytes, contentEncoding }: Fetched): Buffer {
  const coding = contentEncoding.toLowerCase();
  if (coding === CODINGS.gzip || (coding === '' && path.endsWith(SUFFIXES.gzip))) return gunzipSync(bytes);
  if (coding === CODINGS.brotli || (coding === '' && path.endsWith(SUFFIXES.brotli))) return brotliDecompressSync(bytes);
  return bytes;
}
