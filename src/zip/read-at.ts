import { readFully } from '../contract/files/file-bytes.ts';
import { ZipDamage } from './member.ts';

/**
 * Reads bytes at a place of a file.
 * @param into memory for them; without it, new memory
 * @throws ZipDamage if the file ends before; Error if it cannot be read
 */
export function readAt(file: number, offset: number, length: number, into: Buffer = Buffer.allocUnsafe(length)): Buffer {
  const bytes = into.subarray(0, length);
  const read = readFully(file, bytes, offset);
  if (read < length) throw new ZipDamage(`the file ends at byte ${offset + read}, and byte ${offset + length - 1} should exist`);
  return bytes;
}
