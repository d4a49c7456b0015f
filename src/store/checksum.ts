import { crc32 } from 'node:zlib';

/** The CRC-32 of some bytes, and how many they are: what it takes to tell the checksum of bytes that follow one another. */
export interface Checksum {
  readonly crc: number;
  readonly bytes: number;
}

export const NOTHING: Checksum = { crc: 0, bytes: 0 };

const COMMA = Buffer.from(',');

/**
 * The checksum of a text in UTF-8. One byte that differs always changes it.
 * @param text as it came from a store: in a damaged one it may be no text
 * @returns NaN, which is no checksum, where it is none
 */
export function checksumOf(text: unknown): number {
  return typeof text === 'string' ? crc32(text) : Number.NaN;
}

/**
 * The checksum of records' JSON with commas between, and one more after the last.
 * @param before that of what these records follow
 */
export function recordsChecksum(json: Buffer, before: Checksum = NOTHING): Checksum {
  return json.length === 0 ? before : { crc: crc32(COMMA, crc32(json, before.crc)), bytes: before.bytes + json.length + 1 };
}

/** The checksum of two parts that follow one another, from theirs. */
export function joined(one: Checksum, two: Checksum): Checksum {
  if (one.bytes === 0) return two;
  return { crc: (product(shift(two.bytes), one.crc) ^ two.crc) >>> 0, bytes: one.bytes + two.bytes };
}

// CRC-32 is arithmetic with polynomials over GF(2): bytes that follow multiply by a power of x. Bit 31 stands for 1.
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

function product(a: number, b: number): number {
  let [sum, factor] = [0, b];
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return sum >>> 0;
}

/** x^8, x^16, x^32 and so on: by 1, 2, 4 bytes. */
const POWERS: readonly number[] = powers();

function powers(): number[] {
  const all = [0x00800000];
  while (all.length < 53) {
    const last = all.at(-1) ?? 0;
    all.push(product(last, last));
  }
  return all;
}

/** The power of x by which so many bytes multiply. */
function shift(bytes: number): number {
  let result = ONE;
  for (let [left, index] = [bytes, 0]; left > 0; left = Math.floor(left / 2), index += 1) {
    if (left % 2 === 1) result = product(POWERS[index] ?? 0, result);
  }
  return result;
}
