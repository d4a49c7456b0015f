import { readSync, writeSync } from 'node:fs';

/**
 * Reads bytes of a file into a buffer until it is full or the file ends.
 * @returns the number of bytes that were read
 */
export function readFully(file: number, into: Uint8Array, position: number): number {
  let done = 0;
  for (let length = -1; length !== 0 && done < into.length; done += length)
    length = readSync(file, into, done, into.length - done, position + done);
  return done;
}

/**
 * Writes all bytes to a file. A full disk takes only a part at first: writing the rest throws the error.
 * @param position null: after the bytes that were written last
 */
export function writeFully(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
}
