import { createHash, type Hash } from 'node:crypto';

/** A digest that a record claims, such as `sha1:ABCD…` in base32 or `sha256:abcd…` in hexadecimal digits. */
export interface ClaimedDigest {
  readonly text: string;
  /** The name of the algorithm for `createHash`. */
  readonly algorithm: string;
  readonly value: string;
}

/** How many bytes the digests of each algorithm have. */
const LENGTHS: { readonly [algorithm: string]: number } = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };

/** Parses a digest of a WARC header. Returns undefined if there is none, or if its algorithm is unknown. */
export function claimedDigest(text: string | undefined): ClaimedDigest | undefined {
  const [, name = '', value = ''] = /^([\w-]+):(\S+)$/.exec(text ?? '') ?? [];
  const algorithm = name.toLowerCase().replace('-', '');
  return text === undefined || LENGTHS[algorithm] === undefined ? undefined : { text, algorithm, value };
}

export function hashFor({ algorithm }: ClaimedDigest): Hash {
  return createHash(algorithm);
}

/** Whether a digest is the claimed one, in hexadecimal digits, base32 or base64. */
export function isClaimed({ algorithm, value }: ClaimedDigest, digest: Buffer): boolean {
  const length = LENGTHS[algorithm] ?? 0;
  if (value.length === 2 * length) return value.toLowerCase() === digest.toString('hex');
  const bare = value.replace(/=+$/, '');
  if (bare.length === Math.ceil((length * 8) / 5)) return bare.toUpperCase() === base32(digest);
  return bare === digest.toString('base64').replace(/=+$/, '') || bare === digest.toString('base64url');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in base32 (RFC 4648) without padding. */
function base32(bytes: Buffer): string {
  let [text, bits, held] = ['', 0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS.charAt((held >>> (bits - 5)) & 31);
    held &= 31;
  }
  return bits === 0 ? text : text + LETTERS.charAt((held << (5 - bits)) & 31);
}
