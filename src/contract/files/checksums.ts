import { crc32 } from 'node:zlib';

/**
 * Returns the CRC-32 of bytes that follow others.
 * @param before the CRC-32 of the others
 */
export function crc32After(before: number, bytes: Uint8Array): number {
  // for an empty buffer without memory, crc32 forgets what came before
  return bytes.length === 0 ? before : crc32(bytes, before);
}
