import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DEFLATED, type MemberHeader } from './local-header.ts';
import { ZipDamage } from './member.ts';

/** The last member of a ZIP. It is stored, and has the place of each other member. Hidden, so that an unpacked tree ignores it. */
export const INDEX = '.zip-index';

/** The length of a row: of a path 8 bytes of the hash, of its member offset, lengths and CRC-32, of its bytes 8 of the hash. */
export const ROW = 34;
/** The place of a CRC-32 in a row. */
const CRC = 18;
/** The bytes after the last bucket. */
export const TRAILER = 16;
/** The rows of a bucket on average. */
const MEAN = 96;
const MAGIC = Buffer.from('PLIX');
const VERSION = 1;

/** Where the rows of an index are in its ZIP. All buckets have the same length. */
export interface IndexPlace {
  /** The offset of the first row. */
  readonly offset: number;
  readonly buckets: number;
  /** The rows of a bucket. Rows that it does not need are zero. The last row is of no member: it has the CRC-32 of the others. */
  readonly capacity: number;
}

export interface MemberPlace extends MemberHeader {
  /** The offset of its local header. */
  readonly offset: number;
  /** The first 8 bytes of the SHA-256 of its bytes, as hexadecimal digits. */
  readonly content: string;
}

/** Returns the first 8 bytes of the SHA-256 of a path. */
function pathHash(path: string): Buffer {
  return hash('sha256', path, 'buffer').subarray(0, 8);
}

function bucketOf(pathStart: number, buckets: number): number {
  return Math.floor((pathStart * buckets) / 2 ** 32);
}

/** Returns where the bucket of a path is: the first byte and the length. */
export function bucketRange(path: string, { offset, buckets, capacity }: IndexPlace): { readonly offset: number; readonly length: number } {
  const length = capacity * ROW;
  return { offset: offset + bucketOf(pathHash(path).readUInt32BE(0), buckets) * length, length };
}

/**
 * @returns undefined if the ZIP has no such member
 * @throws ZipDamage if it has no row of the path, and does not match its CRC-32
 */
export function findMember(path: string, bucket: Buffer): MemberPlace | undefined {
  const wanted = pathHash(path);
  for (let at = 0; at + ROW <= bucket.length; at += ROW) {
    if (wanted.compare(bucket, at, at + 8) !== 0 || bucket.readUInt32LE(at + 14) === 0) continue;
    return {
      path,
      method: DEFLATED,
      offset: bucket.readUIntLE(at + 8, 6),
      packed: bucket.readUInt32LE(at + 14),
      crc: bucket.readUInt32LE(at + CRC),
      size: bucket.readUInt32LE(at + 22),
      content: bucket.toString('hex', at + 26, at + ROW),
    };
  }
  if (!isIntact(bucket)) throw new ZipDamage('the index does not match its CRC-32');
  return undefined;
}

/** Whether the rows of a bucket match the CRC-32 in its last row. */
export function isIntact(bucket: Buffer): boolean {
  return crcOf(bucket) === bucket.readUInt32LE(bucket.length - ROW + CRC);
}

/** Returns the CRC-32 of the rows of a bucket before the last one. */
function crcOf(bucket: Buffer): number {
  return crc32(bucket.subarray(0, -ROW));
}

/**
 * @param bytes the last bytes of the index
 * @param end the offset of the byte after the index
 * @returns undefined if there is no index of this form
 */
export function decodeTrailer(bytes: Buffer, end: number): IndexPlace | undefined {
  if (bytes.length !== TRAILER || MAGIC.compare(bytes, 0, 4) !== 0 || bytes.readUInt32LE(4) !== VERSION) return undefined;
  const [buckets, capacity] = [bytes.readUInt32LE(8), bytes.readUInt32LE(12)];
  const offset = end - TRAILER - buckets * capacity * ROW;
  return offset < 0 || buckets === 0 || capacity === 0 ? undefined : { offset, buckets, capacity };
}

/** The rows of one allocation. */
const BLOCK = 1 << 14;

/** Collects the rows of an index: 34 bytes of memory for each member. */
export class IndexRows {
  readonly #blocks: Buffer[] = [];
  #count = 0;

  add({ path, offset, packed, crc, size, content }: MemberPlace): void {
    const place = this.#count % BLOCK;
    if (place === 0) this.#blocks.push(Buffer.alloc(BLOCK * ROW));
    const [block, at] = [this.#blockOf(this.#count), place * ROW];
    block.write(hash('sha256', path).slice(0, 16), at, 'hex');
    block.writeUIntLE(offset, at + 8, 6);
    block.writeUInt32LE(packed, at + 14);
    block.writeUInt32LE(crc, at + CRC);
    block.writeUInt32LE(size, at + 22);
    block.write(content.slice(0, 16), at + 26, 'hex');
    this.#count += 1;
  }

  /**
   * Yields the bytes of the index: its buckets, then the trailer.
   * @throws Error if two paths have the same hash
   */
  *pieces(): Generator<Buffer> {
    const buckets = Math.max(1, Math.ceil(this.#count / MEAN));
    const { order, ends } = this.#byBucket(buckets);
    const capacity = 1 + ends.reduce((most, end, bucket) => Math.max(most, end - (ends[bucket - 1] ?? 0)), 0);
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const bytes = Buffer.alloc(capacity * ROW);
      const rows = Array.from(order.subarray(ends[bucket - 1] ?? 0, ends[bucket]), (row) => this.#row(row)).sort(Buffer.compare);
      for (const [index, row] of rows.entries()) {
        const isTwice = index > 0 && rows[index - 1]?.compare(row, 0, 8, 0, 8) === 0;
        if (isTwice) throw new Error('two paths have the same first 8 bytes of their SHA-256, so no index can hold both');
        bytes.set(row, index * ROW);
      }
      bytes.writeUInt32LE(crcOf(bytes), bytes.length - ROW + CRC);
      yield bytes;
    }
    const trailer = Buffer.alloc(TRAILER);
    trailer.set(MAGIC);
    for (const [place, number] of [VERSION, buckets, capacity].entries()) trailer.writeUInt32LE(number, 4 + 4 * place);
    yield trailer;
  }

  /** Returns the numbers of the rows, grouped by bucket, and where each group ends. */
  #byBucket(buckets: number): { readonly order: Uint32Array; readonly ends: Uint32Array } {
    const bucketAt = (row: number) => bucketOf(this.#row(row).readUInt32BE(0), buckets);
    const ends = new Uint32Array(buckets);
    for (let row = 0; row < this.#count; row += 1) ends[bucketAt(row)] = (ends[bucketAt(row)] ?? 0) + 1;
    for (let bucket = 1; bucket < buckets; bucket += 1) ends[bucket] = (ends[bucket] ?? 0) + (ends[bucket - 1] ?? 0);
    const next = ends.slice();
    const order = new Uint32Array(this.#count);
    for (let row = this.#count - 1; row >= 0; row -= 1) {
      const bucket = bucketAt(row);
      const place = (next[bucket] ?? 0) - 1;
      next[bucket] = place;
      order[place] = row;
    }
    return { order, ends };
  }

  /** Returns the bytes of a row, without a copy. */
  #row(row: number): Buffer {
    const at = (row % BLOCK) * ROW;
    return this.#blockOf(row).subarray(at, at + ROW);
  }

  #blockOf(row: number): Buffer {
    return this.#blocks[Math.floor(row / BLOCK)] ?? Buffer.alloc(0);
  }
}
