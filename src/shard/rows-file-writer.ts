import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { encodeManifest, FORMAT, type Manifest, type RowsRange } from './manifest.ts';
import { HEADER_BYTES, ROW_BYTES } from './rows-file.ts';
import type { Draft, OnBytes } from './run-files.ts';
import { BY_TIME, type ShardRow } from './shard-row.ts';

/** A block ends after this many rows or bytes of texts. A reader keeps one block of each file in memory. */
const BLOCK_ROWS = 256;
const BLOCK_TEXT_BYTES = 1 << 15;
const LENGTH_BYTES = 4;

/** Writes a {@link RowsFile}. Two tasks may write the same file at the same time: their drafts differ, and the bytes are the same. */
export class RowsFileWriter {
  readonly #draft: Draft;
  readonly #ranges: RowsRange[] = [];
  readonly #digest = createHash('sha256');
  readonly #rows = new Float64Array(BLOCK_ROWS * BY_TIME.columns);
  #texts: Buffer[] = [];
  #textBytes = 0;
  #blockRows = 0;
  #written = 0;
  #rangeStart = 0;
  #rangeRows = 0;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** Adds a text and returns its place, which is never 0. */
  text(text: string): number {
    const place = this.#written + HEADER_BYTES + this.#textBytes;
    const bytes = Buffer.allocUnsafe(LENGTH_BYTES + Buffer.byteLength(text));
    bytes.writeUInt32LE(bytes.length - LENGTH_BYTES);
    bytes.write(text, LENGTH_BYTES);
    this.#texts.push(bytes);
    this.#textBytes += bytes.length;
    return place;
  }

  /** Adds a row. Its texts must have been added before. */
  add(row: ShardRow): void {
    BY_TIME.write(row, this.#rows, this.#blockRows * BY_TIME.columns);
    this.#blockRows += 1;
    if (this.#blockRows === BLOCK_ROWS || this.#textBytes >= BLOCK_TEXT_BYTES) this.#endBlock();
  }

  endRange(): void {
    this.#endBlock();
    this.#ranges.push([this.#rangeStart, this.#written - this.#rangeStart, this.#rangeRows]);
    this.#rangeStart = this.#written;
    this.#rangeRows = 0;
  }

  /** Writes the manifest, and gives the file its name. Returns the number of bytes. */
  async finish(manifest: Pick<Manifest, 'run' | 'shards' | 'network'>, onSent: OnBytes = () => {}): Promise<number> {
    const end = encodeManifest({ format: FORMAT, ...manifest, digest: this.#digest.digest('hex'), ranges: this.#ranges });
    this.#write(end);
    await this.#draft.finish(this.#written, createHash('sha256').update(end).digest('hex'), onSent);
    return this.#written;
  }

  #endBlock(): void {
    if (this.#blockRows === 0) return;
    const rows = new Uint8Array(this.#rows.buffer, 0, this.#blockRows * ROW_BYTES);
    const body = Buffer.concat([...this.#texts, rows]);
    const checksum = createHash('sha256').update(body).digest();
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(this.#blockRows, 0);
    header.writeUInt32LE(this.#textBytes, 4);
    checksum.copy(header, 8);
    this.#digest.update(checksum);
    this.#write(Buffer.concat([header, body]));
    this.#rangeRows += this.#blockRows;
    this.#texts = [];
    this.#textBytes = 0;
    this.#blockRows = 0;
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#draft.descriptor, bytes, done, bytes.length - done);
    this.#written += bytes.length;
  }
}
