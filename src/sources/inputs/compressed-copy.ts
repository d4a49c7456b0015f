import { createReadStream } from 'node:fs';
import { createBrotliDecompress } from 'node:zlib';
import { readFailure, unreadableInput } from '../rejects/rejection.ts';
import type { Input } from '../source.ts';
import { decompressed, piped } from '../unpack/decompression.ts';
import { headOf } from '../unpack/detect-format.ts';

const COMPRESSED_NAME = /\.(gz|bz2|xz|zst|br)$/;

/** Returns the inputs. An input that may be the compressed copy of another one names that file. */
export function withCopiesMarked(inputs: readonly Input[]): Input[] {
  const paths = new Set(inputs.map(({ path }) => path));
  return inputs.map((input) => {
    const plain = input.path?.replace(COMPRESSED_NAME, '');
    return plain === input.path || !paths.has(plain) ? input : { ...input, copyOf: plain };
  });
}

/**
 * Whether an input is the compressed copy of the file that it names: the bytes are the same. The content decides, because two
 * files with such names can also hold different data.
 * @throws any error that does not concern only this input
 */
export async function isCopy(input: Input): Promise<boolean> {
  if (input.copyOf === undefined) return false;
  try {
    return await hasSameBytes(plainBytes(input), createReadStream(input.copyOf));
  } catch (error) {
    unreadableInput(readFailure(input.name, error));
    return false;
  }
}

/** Brotli has no signature, so only the name shows it. */
function plainBytes(input: Input): AsyncIterable<Uint8Array> {
  return input.name.endsWith('.br') ? piped(input.open(), createBrotliDecompress()) : decompressed(input);
}

async function hasSameBytes(one: AsyncIterable<Uint8Array>, other: AsyncIterable<Uint8Array>): Promise<boolean> {
  const pieces = other[Symbol.asyncIterator]();
  let ahead: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of one) {
      ahead = await headOf(pieces, piece.length, ahead);
      if (!ahead.subarray(0, piece.length).equals(piece)) return false;
      ahead = ahead.subarray(piece.length);
    }
    return (await headOf(pieces, 1, ahead)).length === 0;
  } finally {
    await pieces.return?.();
  }
}
