import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Fetched, ObjectHeaders } from '../../storage/target.ts';
import { compress } from '../../tree/compression.ts';
import { CODINGS, encodingOfPath, SUFFIXES } from '../../tree/encoding.ts';

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
