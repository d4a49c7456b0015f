import type { SpoolFile } from './spool-file.ts';

/** How much of a window is written at once, in bytes. */
const CHUNK_BYTES = 1 << 13;
/** Before each record are the row of its account and its length, as two 32-bit numbers. */
const HEADER_BYTES = 8;
const COMMA = ','.charCodeAt(0);

/** A file to which windows append their chunks. */
export interface ChunkFile {
  readonly spool: SpoolFile;
  /** The length of the file in bytes. */
  length: number;
  /** The bytes of the window that was read last. A new buffer for each window would make the memory grow: malloc fragments it. */
  read: Buffer;
}

interface Chunk {
  readonly at: number;
  readonly length: number;
}

/** The records of accounts with consecutive rows. They are written to a file in chunks, and read back as a whole. */
export class RecordWindow {
  /** The first row, and the row after the last. */
  readonly first: number;
  readonly end: number;
  readonly #file: ChunkFile;
  readonly #chunks: Chunk[] = [];
  #buffer = Buffer.alloc(0);
  #used = 0;

  constructor(file: ChunkFile, first: number, end: number) {
    this.#file = file;
    this.first = first;
    this.end = end;
  }

  /** Adds the record in a part of `source`. @param row the row of its account */
  add(row: number, source: Buffer, start: number, end: number): void {
    const length = end - start + 1;
    const needed = HEADER_BYTES + length;
    if (this.#used + needed > this.#buffer.length) {
      this.#write();
      if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(needed, CHUNK_BYTES));
    }
    this.#buffer.writeUInt32LE(row, this.#used);
    this.#buffer.writeUInt32LE(length, this.#used + 4);
    source.copy(this.#buffer, this.#used + HEADER_BYTES, start, end);
    this.#used += needed;
    this.#buffer.writeUInt8(COMMA, this.#used - 1);
  }

  /**
   * Returns the records of each row in the order in which they were added, each with a comma after it. They are valid until another
   * window is read.
   */
  read(): ReadonlyMap<number, readonly Buffer[]> {
    this.#write();
    this.#buffer = Buffer.alloc(0);
    const all = this.#chunks.reduce((sum, { length }) => sum + length, 0);
    if (all > this.#file.read.length) this.#file.read = Buffer.allocUnsafeSlow(all);
    const bytes = this.#file.read.subarray(0, all);
    let end = 0;
    for (const { at, length } of this.#chunks) {
      this.#file.spool.readFully(bytes.subarray(end, end + length), at);
      end += length;
    }
    const grouped = new Map<number, Buffer[]>();
    for (let at = 0; at < bytes.length; ) {
      const [row, start] = [bytes.readUInt32LE(at), at + HEADER_BYTES];
      at = start + bytes.readUInt32LE(at + 4);
      const records = grouped.get(row);
      if (records === undefined) grouped.set(row, [bytes.subarray(start, at)]);
      else records.push(bytes.subarray(start, at));
    }
    return grouped;
  }

  #write(): void {
    if (this.#used === 0) return;
    const chunk = { at: this.#file.length, length: this.#used };
    this.#file.spool.write(this.#buffer.subarray(0, chunk.length), chunk.at);
    this.#file.length += chunk.length;
    this.#chunks.push(chunk);
    this.#used = 0;
  }
}
