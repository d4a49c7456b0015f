import { hexOf } from './answer.ts';

/**
 * Reads members of the ZIP of a site by range, as docs/tree.md describes it. Hosts run this source too, in the dialect of
 * answer.ts.
 */

/** The place of the index in a ZIP, and the number and size of its buckets. */
export interface IndexPlace {
  /** The position of the first bucket in the ZIP. */
  readonly offset: number;
  readonly buckets: number;
  /** The number of rows in each bucket. */
  readonly capacity: number;
}

/** Returns a part of the ZIP. Rejects if it is not there as a whole. */
export type ReadPart = (from: number, length: number) => Promise<Uint8Array>;

const ROW = 34;

/**
 * Finds the row of a member in the index: 8 bytes of the hash of its path, 6 of its offset, 4 each of its packed length, its
 * CRC-32 and its size, and 8 of the hash of its content. Returns undefined if the ZIP does not have the member.
 * @param hash the SHA-256 of the path
 */
export async function rowOf(hash: Uint8Array, place: IndexPlace, read: ReadPart): Promise<Uint8Array | undefined> {
  const length = place.capacity * ROW;
  const bucket = Math.floor((Number.parseInt(hexOf(hash.subarray(0, 4)), 16) * place.buckets) / 4294967296);
  const rows = await read(place.offset + bucket * length, length);
  const wanted = hexOf(hash.subarray(0, 8));
  for (let at = 0; at < length; at += ROW) {
    const row = rows.subarray(at, at + ROW);
    if (row[0] !== hash[0] || hexOf(row.subarray(0, 8)) !== wanted) continue;
    // a damaged row must not ask for more memory than there is
    if (littleEndian(row, 8, 14) + littleEndian(row, 14, 18) <= place.offset) return row;
  }
  // the last row has the CRC-32 of the others, so that a damaged index never says that a page does not exist
  if (littleEndian(rows, length - 16, length - 12) !== crc32(rows.subarray(0, length - ROW))) throw new Error('the index is damaged');
  return undefined;
}

/**
 * Reads a member as a body with the content coding gzip.
 * @param change returns another text for the stored block at the beginning of the member; undefined to keep the bytes
 */
export async function gzipOf(
  path: string,
  row: Uint8Array,
  read: ReadPart,
  change: ((text: string) => string) | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const start = 30 + path.length;
  const bytes = await read(littleEndian(row, 8, 14), start + littleEndian(row, 14, 18));
  // all fields of a local header are known: deflated, the lengths and the CRC-32 of the row, no extra field
  const fields = [[80, 75, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 33, 0], row.subarray(18, 22), row.subarray(14, 18), row.subarray(22, 26)];
  const header = joined(fields.concat([bytesOf(path.length, 2), [0, 0], new TextEncoder().encode(path)]));
  if (hexOf(bytes.subarray(0, start)) !== hexOf(header)) throw new Error('the file is not where the index says');
  const data = bytes.subarray(start);
  if (change === undefined) return joined([GZIP, data, row.subarray(18, 26)]);
  // a block of type 0 that is not the last one: its length, the complement of its length, its bytes
  const length = littleEndian(data, 1, 3);
  const before = data.subarray(5, 5 + length);
  const after = new TextEncoder().encode(change(new TextDecoder().decode(before)));
  const rest = littleEndian(row, 22, 26) - length;
  // the CRC-32 is linear: the difference of the two blocks is moved over the bytes that follow
  const crc = littleEndian(row, 18, 22) ^ moved(crc32(before) ^ crc32(after), rest);
  const block = [[0], bytesOf(after.length, 2), bytesOf(65535 - after.length, 2), after];
  return joined([GZIP].concat(block, [data.subarray(5 + length), bytesOf(crc, 4), bytesOf(rest + after.length, 4)]));
}

/** The header of a gzip body. */
const GZIP: ArrayLike<number> = [31, 139, 8, 0, 0, 0, 0, 0, 0, 255];

function joined(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  parts.forEach((part) => {
    all.set(part, end);
    end += part.length;
  });
  return all;
}

const POLYNOMIAL = 0xedb88320;

/** Returns the CRC-32 of bytes. It has no table, because njs would make it for each request. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    crc ^= Number(bytes[at]);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}

/** Returns the remainder of a CRC-32 that so many bytes follow: its product with the power 8 × length of x. */
function moved(crc: number, length: number): number {
  let product = crc;
  let power = 0x00800000;
  for (let left = length; left > 0; left >>>= 1) {
    if (left & 1) product = multiplied(product, power);
    power = multiplied(power, power);
  }
  return product;
}

/** Returns the product of two polynomials modulo that of CRC-32. The highest bit is the coefficient of 1. */
function multiplied(one: number, other: number): number {
  let product = 0;
  let factor = other;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((one >>> bit) & 1) product ^= factor;
    factor = (factor >>> 1) ^ (factor & 1 ? POLYNOMIAL : 0);
  }
  return product;
}

/** Returns the number in a part of bytes, with the lowest byte first. */
function littleEndian(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = to - 1; at >= from; at -= 1) number = number * 256 + Number(bytes[at]);
  return number;
}

/** Returns a number of at most 32 bits as bytes, with the lowest byte first. */
function bytesOf(number: number, length: number): number[] {
  // a Uint8Array keeps the lowest 8 bits of each
  return [number, number >>> 8, number >>> 16, number >>> 24].slice(0, length);
}
