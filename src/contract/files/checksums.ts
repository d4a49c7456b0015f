import { webcrypto } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Returns the CRC-32 of bytes that follow others.
 * @param before the CRC-32 of the others
 */
export function crc32After(before: number, bytes: Uint8Array): number {
  // for an empty buffer without memory, crc32 forgets what came before
  return bytes.length === 0 ? before : crc32(bytes, before);
}

/**
 * Returns the SHA-256 of bytes in hexadecimal digits. Another thread computes it, so that several are computed at the
 * same time. For small inputs, `hash` of node:crypto is faster.
 */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
