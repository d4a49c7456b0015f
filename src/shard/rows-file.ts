import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/shape.ts';
import { type Manifest, noManifest, parseManifest } from './manifest.ts';
import type { LocalBytes, OnBytes, StoredFile } from './run-files.ts';
import { BY_TIME, movePlaces } from './shard-row.ts';

/** A block begins with the number of its rows, the number of bytes of its texts, and their SHA-256. */
export const HEADER_BYTES = 40;
export const ROW_BYTES: number = BY_TIME.columns * 8;
/** How many bytes at the end of a file are read at once. Most manifests are shorter. */
const END_BYTES = 1 << 14;

/**
 * A file of a run in shards: blocks with rows and their texts, in ranges, then a manifest. A text is stored as in a string pool: its
 * length precedes it, and its place is its position.
 */
export class RowsFile {
  readonly address: string;
  readonly manifest: Manifest;
  readonly #file: StoredFile;

  private constructor(file: StoredFile, manifest: Manifest) {
    this.address = file.address;
    this.manifest = manifest;
    this.#file = file;
  }

  /**
   * Reads the manifest of a file.
   * @param run the digest of the run that must have written the file
   * @throws Failure bad-shard if it is damaged, or belongs to another run
   */
  static async open(file: StoredFile, run: string): Promise<RowsFile> {
    try {
      const manifest = await manifestOf(file);
      if (manifest.run !== run) throw damaged(file.address, 'a file of this run', 'a file of another run');
      return new RowsFile(file, manifest);
    } catch (error) {
      throw error instanceof Violation ? damaged(file.address, error.expected, error.found) : error;
    }
  }

  /** The number of all rows. */
  get length(): number {
    return this.manifest.ranges.reduce((sum, [, , rows]) => sum + rows, 0);
  }

  /** Returns the size of a range, in bytes. */
  bytesOf(range: number): number {
    return this.manifest.ranges[range]?.[1] ?? 0;
  }

  /** Makes a range readable. It is valid until the file is closed. */
  async range(number: number, onReceived: OnBytes = () => {}): Promise<LocalRange> {
    const [from, bytes, rows] = this.manifest.ranges[number] ?? [0, 0, 0];
    const local = bytes === 0 ? { descriptor: -1, position: 0 } : await this.#file.local(from, bytes, onReceived);
    return new LocalRange(this.address, local, { from, bytes, rows });
  }

  close(): void {
    this.#file.close();
  }
}

/** A range of a {@link RowsFile} on this machine. */
export class LocalRange {
  readonly address: string;
  /** The file with the texts of the rows. */
  readonly descriptor: number;
  readonly length: number;
  readonly #position: number;
  readonly #bytes: number;
  /** The difference between a position in the file on this machine and a place. */
  readonly #shift: number;

  constructor(address: string, { descriptor, position }: LocalBytes, range: { from: number; bytes: number; rows: number }) {
    this.address = address;
    this.descriptor = descriptor;
    this.length = range.rows;
    this.#position = position;
    this.#bytes = range.bytes;
    this.#shift = position - range.from;
  }

  /**
   * Yields the rows in pieces. Each piece is checked, and is valid until the next one.
   * @param base what is added to the places of the rows
   */
  *rows(base: number): Generator<Float64Array> {
    const header = Buffer.alloc(HEADER_BYTES);
    const end = this.#position + this.#bytes;
    let done = 0;
    for (let at = this.#position; at < end; ) {
      this.#readAt(header, at);
      const [rows, texts] = [header.readUInt32LE(0), header.readUInt32LE(4)];
      const length = texts + rows * ROW_BYTES;
      if (at + HEADER_BYTES + length > end) throw damaged(this.address, 'whole blocks', `a broken block at byte ${at - this.#shift}`);
      const body = Buffer.alloc(length);
      this.#readAt(body, at + HEADER_BYTES);
      if (!createHash('sha256').update(body).digest().equals(header.subarray(8))) {
        const found = `other bytes from byte ${at - this.#shift} on`;
        throw damaged(this.address, 'bytes with the SHA-256 that was written with them', found);
      }
      const numbers = new Float64Array(rows * BY_TIME.columns);
      body.copy(new Uint8Array(numbers.buffer), 0, texts);
      const offset = base + this.#shift;
      if (offset !== 0) movePlaces(numbers, offset);
      yield numbers;
      done += rows;
      at += HEADER_BYTES + length;
    }
    if (done !== this.length) throw damaged(this.address, `${this.length} rows`, `${done} rows`);
  }

  #readAt(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const read = readSync(this.descriptor, into, done, into.length - done, position + done);
      if (read === 0) throw damaged(this.address, 'the whole file', `only ${position + done - this.#shift} bytes`);
      done += read;
    }
  }
}

/** @throws Violation */
async function manifestOf(file: StoredFile): Promise<Manifest> {
  const { size } = file;
  const endOf = (length: number) => file.read(Math.max(0, size - length), Math.min(length, size));
  const short = parseManifest(await endOf(END_BYTES));
  const { manifest, length } = short.manifest === undefined ? parseManifest(await endOf(short.length)) : short;
  if (manifest === undefined) throw noManifest(`${size} bytes`);
  const [offset, bytes] = manifest.ranges.at(-1) ?? [0, 0];
  const start = size - length;
  if (offset + bytes !== start) throw new Violation('ranges', `${offset + bytes} bytes before the manifest`, `${start} bytes`);
  return manifest;
}

/** Returns the failure for a file that must be written again. */
export function damaged(address: string, expected: string, found: string): Failure {
  return new Failure('bad-shard', `${address} is damaged`, {
    place: { file: address },
    expected,
    found,
    hint: 'run the task that writes this file again',
  });
}
