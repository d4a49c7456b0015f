import { crc32 } from 'node:zlib';

/** The CRC-32 of some bytes, and the number of the bytes. With both, the checksums of consecutive parts can be combined. */
export interface Checksum {
  readonly crc: number;
  readonly bytes: number;
}

export const NOTHING: Checksum = { crc: 0, bytes: 0 };

const COMMA = Buffer.from(',');

/**
 * Returns the CRC-32 of a text in UTF-8. A single changed byte always changes it.
 * @param text a value from a store, which is not always text if the store is damaged
 * @returns NaN if the value is not text; NaN equals no checksum
 */
export function checksumOf(text: unknown): number {
  return typeof text === 'string' ? crc32(text) : Number.NaN;
}

/**
 * Returns the checksum of the JSON of records, each with a comma after it.
 * @param before the checksum of the preceding bytes
 */
export function recordsChecksum(json: Buffer, before: Checksum = NOTHING): Checksum {
  return json.length === 0 ? before : { crc: crc32(COMMA, crc32(json, before.crc)), bytes: before.bytes + json.length + 1 };
}

/** Combines the checksums of two consecutive parts. */
export function joined(one: Checksum, two: Checksum): Checksum {
  if (one.bytes === 0) return two;
  if (two.bytes === 0) return one;
  return { crc: (product(shift(two.bytes), one.crc) ^ two.crc) >>> 0, bytes: one.bytes + two.bytes };
}

// CRC-32 is arithmetic with polynomials over GF(2): following bytes multiply by a power of x. Bit 31 is the coefficient of 1.
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

/** x^8, x^16, x^32 and so on: the factors for 1, 2, 4 bytes. */
const POWERS: readonly number[] = powers();

function powers(): number[] {
  const all = [0x00800000];
  while (all.length < 53) {
    const last = all.at(-1) ?? 0;
    all.push(product(last, last));
  }
  return all;
}

/** Returns the power of x for a number of following bytes. */
function shift(bytes: number): number {
  let result = ONE;
  for (let [left, index] = [bytes, 0]; left > 0; left = Math.floor(left / 2), index += 1) {
    if (left % 2 === 1) result = product(POWERS[index] ?? 0, result);
  }
  return result;
}

/**
 * Returns the checksum of an account: the CRC-32 of its JSON without `data_page_count`, plus the number of its records.
 * @param head the JSON up to the last of the newest records
 * @param tail the JSON after its `data_page_count`
 */
export function accountChecksum(head: Buffer, older: Checksum, tail: string, records: number): number {
  return crc32(`]${tail}`, joined({ crc: crc32(head), bytes: head.length }, older).crc) + records;
}

/** The place of accounts without records in the order: after every possible record id. */
export const NO_RECORD: number = 2 ** 53;

/**
 * The term of an account in the sum over all accounts. The sum detects a changed place, revision or checksum, and a changed name of an
 * account without records: they are sorted by name. Each part is below 2^32, so that sums of a million accounts are exact in
 * JavaScript.
 */
export const RANKING_TERM = `(place % 4294967291 + (revision * 65537) % 4294967291 + ifnull(checksum, 0)
  + iif(place = ${NO_RECORD}, crc32(screen_name), 0))`;
/** The modulus of the sum over all accounts: 2^40. */
export const RANKING_MODULUS: number = 2 ** 40;
