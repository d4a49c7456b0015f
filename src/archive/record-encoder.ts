import type { Collection } from '../contract/collection.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { Digests } from '../tree/digests.ts';
import { encodingsIn } from '../tree/encoding.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { gzipMemberSync } from '../warc/encode-record.ts';
import { type PageFiles, type Requested, responseRecord } from './response-record.ts';

/** The input of a thread that encodes records. The memory of the digests is shared with the main thread. */
export interface EncoderJob {
  readonly out: string;
  readonly build: BuildRecord;
  /** The SHA-256 of the files, by collection. */
  readonly digests: { readonly [C in Collection]: SharedArrayBuffer };
  /** The date of all records. */
  readonly date: string;
  /** Whether each record is a gzip member. */
  readonly isCompressed: boolean;
}

/** The records of several pages, one after another. */
export interface EncodedRecords {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The length of each record. */
  readonly lengths: readonly number[];
  /** The number of bytes of the pages. */
  readonly pageBytes: number;
}

/** Reads pages, compares them with the manifest, and encodes them as records of a WARC. */
export class RecordEncoder {
  readonly #files: PageFiles;
  readonly #job: EncoderJob;

  /** @param files the files of the tree */
  constructor(job: EncoderJob, files: TreeFiles) {
    const { build, digests } = job;
    const encodings = encodingsIn(build.compress);
    const data = new Digests(build.data_pages, encodings, digests.data);
    const account = new Digests(build.account_pages, encodings, digests.account);
    this.#files = { files, build, digests: { data, account } };
    this.#job = job;
  }

  /** @throws Failure tree-edited */
  encode(pages: readonly Requested[]): EncodedRecords {
    const { date, isCompressed } = this.#job;
    const [records, lengths]: [Uint8Array[], number[]] = [[], []];
    let allBytes = 0;
    for (const page of pages) {
      const { pieces, pageBytes } = responseRecord(this.#files, page, date);
      const record = isCompressed ? [gzipMemberSync(pieces)] : pieces;
      records.push(...record);
      lengths.push(record.reduce((length, piece) => length + piece.length, 0));
      allBytes += pageBytes;
    }
    return { bytes: inOnePiece(records), lengths, pageBytes: allBytes };
  }
}

/** Copies pieces into memory that can be moved to another thread. Buffer.concat takes shared memory for few bytes. */
function inOnePiece(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let length = 0;
  for (const piece of pieces) {
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes;
}
