import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Fetched, ObjectHeaders } from '../../storage/target.ts';
import { compress } from '../../tree/compression.ts';
import { CODINGS, type Encoding, SUFFIXES } from '../../tree/encoding.ts';

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
