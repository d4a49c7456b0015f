import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Expansion } from '../contract/files/expansion.ts';
import { damaged } from './warc-damage.ts';

/**
 * Yields the bytes of a WARC, decompressed if they are gzip data.
 * @param size of the file
 * @throws Failure bad-archive if the gzip data is damaged or cut short, or is followed by other bytes; bad-encoding if it expands too
 *   much
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
  const expansion = new Expansion(file);
  expansion.addPacked(size);
  try {
    for await (const chunk of source.pipe(plain)) {
      expansion.addPlain(chunk.length);
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
