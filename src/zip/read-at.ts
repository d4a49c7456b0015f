import { readSync } from 'node:fs';
import { ZipDamage } from './member.ts';

/**
 * Reads bytes at a place of a file.
 * @param into memory for them; without it, new memory
 * @throws ZipDamage if the file ends before; Error if it cannot be read
 */
export function readAt(file: number, offset: number, length: number, into: Buffer = Buffer.allocUnsafe(length)): Buffer {
  const bytes = into.subarray(0, length);
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, done, length - done, offset + done);
    if (read === 0) throw new ZipDamage(`the file ends at byte ${offset + done}, and byte ${offset + length - 1} should exist`);
    done += read;
  }
  return bytes;
}
