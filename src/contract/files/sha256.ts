import { webcrypto } from 'node:crypto';

/**
 * Returns the SHA-256 of bytes in hexadecimal digits. Another thread computes it, so that several are computed at the
 * same time. For small inputs, `hash` of node:crypto is faster.
 */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
