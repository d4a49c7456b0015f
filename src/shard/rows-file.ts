import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Failure } from '../contract/failure.ts';
import { hasCode } from './shard-folder.ts';
import { BY_TIME, movePlaces } from './shard-row.ts';

/** The version of the files. A file of another version is refused. */
export const FORMAT = 1;
/** A block begins with the number of its rows, the number of bytes of its texts, and their SHA-256. */
export const HEADER_BYTES = 40;
/** A file ends with the SHA-256 of its manifest, and the number of bytes of the manifest. */
const TRAILER_BYTES = 36;
export const ROW_BYTES: number = BY_TIME.columns * 8;

/** The manifest at the end of a file. */
export interface Manifest {
  readonly format: number;
  /** Identifies the run. */
  readonly run: string;
  /** Where each range of rows begins, in bytes, and how many bytes and rows it has. */
  readonly ranges: readonly (readonly [offset: number, bytes: number, rows: number])[];
  /** The SHA-256 of the checksums of all blocks. */
  readonly digest: string;
  /** Of a partition: the digests of the shards from which it was folded, and the links in its markup. */
  readonly shards?: string | undefined;
  readonly network?: { readonly mention_url: string; readonly hashtag_url: string } | undefined;
}

/**
 * A file of a cluster run: blocks with rows and their texts, in ranges, then a manifest. A text is stored as in a string pool: its
 * length precedes it, and its place is its position.
 */
export class RowsFile {
  readonly path: string;
  readonly descriptor: number;
  readonly manifest: Manifest;

  private constructor(path: string, descriptor: number, manifest: Manifest) {
    this.path = path;
    this.descriptor = descriptor;
    this.manifest = manifest;
  }

  /**
   * @param run the digest of the run that must have written the file
   * @returns undefined if there is no such file
   * @throws Failure bad-shard if it is damaged, or belongs to another run
   */
  static open(path: string, run: string): RowsFile | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    try {
      const file = new RowsFile(path, descriptor, manifestIn(path, descriptor));
      if (file.manifest.run !== run) throw damaged(path, 'a file of this run', 'a file of another run');
      return file;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** The number of all rows. */
  get length(): number {
    return this.manifest.ranges.reduce((sum, [, , rows]) => sum + rows, 0);
  }

  /**
   * Yields the rows of a range in pieces. Each piece is checked, and is valid until the next one.
   * @param base what is added to the places of the rows
   */
  *rows(range: number, base: number): Generator<Float64Array> {
    const [offset, bytes, all] = this.manifest.ranges[range] ?? [0, 0, 0];
    const header = Buffer.alloc(HEADER_BYTES);
    let done = 0;
    for (let at = offset; at < offset + bytes; ) {
      readAt(this.path, this.descriptor, header, at);
      const [rows, texts] = [header.readUInt32LE(0), header.readUInt32LE(4)];
      const length = texts + rows * ROW_BYTES;
      if (at + HEADER_BYTES + length > offset + bytes) throw damaged(this.path, 'whole blocks', `a broken block at byte ${at}`);
      const body = Buffer.alloc(length);
      readAt(this.path, this.descriptor, body, at + HEADER_BYTES);
      if (!createHash('sha256').update(body).digest().equals(header.subarray(8))) {
        throw damaged(this.path, 'bytes with the SHA-256 that was written with them', `other bytes from byte ${at} on`);
      }
      const numbers = new Float64Array(rows * BY_TIME.columns);
      body.copy(new Uint8Array(numbers.buffer), 0, texts);
      if (base !== 0) movePlaces(numbers, base);
      yield numbers;
      done += rows;
      at += HEADER_BYTES + length;
    }
    if (done !== all) throw damaged(this.path, `${all} rows`, `${done} rows`);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

function manifestIn(path: string, descriptor: number): Manifest {
  const { size } = fstatSync(descriptor);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  if (size < TRAILER_BYTES) throw damaged(path, 'a file with a manifest at its end', `${size} bytes`);
  readAt(path, descriptor, trailer, size - TRAILER_BYTES);
  const length = trailer.readUInt32LE(32);
  const start = size - TRAILER_BYTES - length;
  if (start < 0) throw damaged(path, 'a file with a manifest at its end', `${size} bytes`);
  const text = Buffer.alloc(length);
  readAt(path, descriptor, text, start);
  if (!createHash('sha256').update(text).digest().equals(trailer.subarray(0, 32))) {
    throw damaged(path, 'a manifest at the end of the file', 'other bytes');
  }
  const manifest: Manifest = JSON.parse(text.toString());
  if (manifest.format !== FORMAT) throw damaged(path, `format ${FORMAT}`, `format ${manifest.format}, of another version of palimpsest`);
  const [offset, bytes] = manifest.ranges.at(-1) ?? [0, 0];
  if (offset + bytes !== start) throw damaged(path, `${offset + bytes} bytes before the manifest`, `${start} bytes`);
  return manifest;
}

function readAt(path: string, descriptor: number, into: Buffer, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(descriptor, into, done, into.length - done, position + done);
    if (read === 0) throw damaged(path, 'the whole file', `only ${position + done} bytes`);
    done += read;
  }
}

function damaged(path: string, expected: string, found: string): Failure {
  return new Failure('bad-shard', `${path} is damaged`, {
    place: { file: path },
    expected,
    found,
    hint: 'run the task that writes this file again',
  });
}
