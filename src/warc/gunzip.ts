import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Failure } from '../contract/failure.ts';
import { damaged, refused } from './warc-damage.ts';

/** How many times larger than its compressed form a WARC may be. Repeated pages of an API reach 50. */
const MOST_EXPANSION = 250;
/** Bytes up to which the expansion does not matter. */
const SMALL = 1 << 26;

/** Returns the largest length of a WARC after decompression, in bytes. @param size of the file */
export function mostExpanded(size: number): number {
  return Math.max(SMALL, size * MOST_EXPANSION);
}

export function expandsTooMuch(file: string, length: number, size: number): Failure {
  return refused(file, `data that expands at most ${MOST_EXPANSION} times`, `more than ${length} bytes from ${size}`);
}

/**
 * Yields the bytes of a WARC, decompressed if they are gzip data.
 * @param size of the file
 * @throws Failure bad-archive if the gzip data is damaged or cut short, is followed by other bytes, or expands too much
 */
export async function* gunzipWarc(file: string, size: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    const { value: first } = await chunks.next();
    if (first === undefined) return;
    const whole = resume(first, chunks);
    if (first[0] === 0x1f && first[1] === 0x8b) yield* gunzip(file, size, whole);
    else yield* whole;
  } finally {
    await chunks.return?.();
  }
}

async function* resume(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzip(file: string, size: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const plain = createGunzip({ chunkSize: 1 << 18 });
  source.on('error', (error) => plain.destroy(error));
  let length = 0;
  try {
    for await (const chunk of source.pipe(plain)) {
      length += chunk.length;
      if (length > mostExpanded(size)) throw expandsTooMuch(file, length, size);
      yield chunk;
    }
    // zlib takes bytes after the last member for padding, and ignores them
    if (plain.bytesWritten < size) throw damaged(file, 'gzip data to the end', `other bytes from byte ${plain.bytesWritten}`);
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isBroken ? damaged(file, 'complete gzip data', error.message) : error;
  } finally {
    source.destroy();
    plain.destroy();
  }
}
