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
}

interface Chunk {
  readonly at: number;
  readonly length: number;
}

/** The records of a window. Before each are the row of its account and its length. The second half of the bytes is free. */
export interface Entries {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The length of the entries in bytes. */
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
    const needed = HEADER_BYTES + end - start;
    if (this.#used + needed > this.#buffer.length) {
      this.#write();
      if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(needed, CHUNK_BYTES));
    }
    this.#buffer.writeUInt32LE(row, this.#used);
    this.#buffer.writeUInt32LE(end - start, this.#used + 4);
    source.copy(this.#buffer, this.#used + HEADER_BYTES, start, end);
    this.#used += needed;
  }

  /** Returns the records in the order in which they were added. */
  read(): Entries {
    this.#write();
    this.#buffer = Buffer.alloc(0);
    const length = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const bytes = new Uint8Array(2 * length);
    let end = 0;
    for (const chunk of this.#chunks) {
      this.#file.spool.readFully(bytes.subarray(end, end + chunk.length), chunk.at);
      end += chunk.length;
    }
    return { bytes, length };
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

/** The records of one account: how many, and where their JSON begins and ends. */
interface AccountPlace {
  records: number;
  start: number;
  end: number;
}

/** Records grouped by the rows of their accounts. */
export class GroupedRecords {
  readonly #bytes: Buffer;
  readonly #accounts = new Map<number, AccountPlace>();

  constructor(entries: Entries) {
    const [bytes, length] = [Buffer.from(entries.bytes.buffer), entries.length];
    this.#bytes = bytes;
    for (let at = 0; at < length; at += HEADER_BYTES + bytes.readUInt32LE(at + 4)) {
      const account = this.#accountOf(bytes.readUInt32LE(at));
      account.records += 1;
      account.end += bytes.readUInt32LE(at + 4) + 1;
    }
    let free = length;
    for (const account of this.#accounts.values()) {
      account.start = free;
      free += account.end;
      account.end = account.start;
    }
    for (let at = 0; at < length; ) {
      const [account, start] = [this.#accountOf(bytes.readUInt32LE(at)), at + HEADER_BYTES];
      at = start + bytes.readUInt32LE(at + 4);
      if (account.end > account.start) account.end = bytes.writeUInt8(COMMA, account.end);
      bytes.copyWithin(account.end, start, at);
      account.end += at - start;
    }
  }

  /** Returns how many records the account of a row has. */
  countOf(row: number): number {
    return this.#accounts.get(row)?.records ?? 0;
  }

  /** Returns the JSON of the records of a row, separated by commas. */
  jsonOf(row: number): Buffer {
    const { start, end } = this.#accounts.get(row) ?? NO_PLACE;
    return this.#bytes.subarray(start, end);
  }

  #accountOf(row: number): AccountPlace {
    let account = this.#accounts.get(row);
    if (account === undefined) {
      account = { ...NO_PLACE };
      this.#accounts.set(row, account);
    }
    return account;
  }
}

const NO_PLACE: AccountPlace = { records: 0, start: 0, end: 0 };
