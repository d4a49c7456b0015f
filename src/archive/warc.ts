import { statSync } from 'node:fs';
import { join } from 'node:path';
import { incompleteLine } from '../contract/files/incomplete-mirror.ts';
import { writeFiles } from '../contract/files/write-files.ts';
import { inOrder, ThreadPool } from '../threads/thread-pool.ts';
import { BUILD_RECORD, type BuildRecord } from '../tree/build-record.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { IDENTITIES } from '../warc/account-identities.ts';
import { encodeRecord, gzipMemberSync } from '../warc/encode-record.ts';
import { PageUrls, type Requested } from './page-urls.ts';
import { warcinfoLines } from './publisher-fields.ts';
import { type EncodedRecords, type EncoderJob, encodeRecords, infoId, recordId } from './resource-record.ts';

/** With fewer pages, threads take longer to start than they save. */
const MIN_PAGES = 200;
/** The most pages, and the most records or accounts on them, that a thread encodes at once. A batch has at least one page. */
const BATCH_PAGES = 8;
const BATCH_ITEMS = 800;
/** The number of batches for each thread: it encodes one, and the others wait, also while the main thread is not scheduled. */
const BATCHES_PER_THREAD = 4;

export interface PlacedRecord {
  readonly page: Requested;
  /** The position of its first byte. */
  readonly offset: number;
  readonly length: number;
}

/** Consecutive records of a WARC. */
export interface WarcPart {
  readonly bytes: Uint8Array;
  /** The records without the warcinfo record. */
  readonly records: readonly PlacedRecord[];
}

export interface ArchiveOptions {
  /** The number of threads that read, compress and hash pages. Without it, no threads are started. */
  readonly threads?: number | undefined;
  /** The lines with what the pages lack about the accounts, in parts of whole lines. */
  readonly identities?: Iterable<string> | undefined;
  readonly onProgress?: ((files: number, all: number, bytes: number) => void) | undefined;
}

/**
 * Writes a tree as a WARC 1.1. Each record is a gzip member if the name ends in `.gz`.
 * @throws Failure tree-edited, file-system
 */
export async function writeWarc(tree: VerifiedTree, path: string, options: ArchiveOptions = {}): Promise<void> {
  const date = buildDate(tree);
  const isCompressed = path.toLowerCase().endsWith('.gz');
  const content = bytesOf(warcParts(tree, new PageUrls(tree), { ...options, date, isCompressed }));
  await writeFiles([{ path, content }]);
}

async function* bytesOf(parts: AsyncIterable<WarcPart>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes;
}

/**
 * Returns the time at which a build finished a tree, in whole seconds: that of its last file, or of its ZIP. It is the date of
 * all records of an archive, so the same tree gives the same bytes at any time.
 */
export function buildDate({ files: { out, form } }: VerifiedTree): string {
  const { mtime } = statSync(form === 'zip' ? out : join(out, BUILD_RECORD));
  return `${mtime.toISOString().slice(0, 19)}Z`;
}

interface WarcOptions extends ArchiveOptions, Pick<EncoderJob, 'date' | 'isCompressed'> {}

/**
 * Yields the parts of a WARC with every page and browse file of a tree at its real address. Each file is compared with the
 * manifest. Memory does not grow with the tree.
 * @throws Failure tree-edited
 */
export async function* warcParts(tree: VerifiedTree, addresses: PageUrls, options: WarcOptions): AsyncGenerator<WarcPart> {
  const { out, files, build } = tree;
  const { threads = 0, date, isCompressed, identities = [], onProgress } = options;
  const job: EncoderJob = { out, build, date, isCompressed };
  let [offset, pages, pageBytes] = [0, 0, 0];
  for (const record of recordsBefore(tree, date, identities)) {
    const bytes = isCompressed ? gzipMemberSync(record) : Buffer.concat(record);
    yield { bytes, records: [] };
    offset += bytes.length;
  }
  for await (const { batch, encoded } of encodedBatches(
    job,
    files,
    batchesOf(addresses.all(), pagesPerBatch(build)),
    addresses.count < MIN_PAGES ? 0 : threads,
  )) {
    const records = batch.map((page, index) => {
      const length = encoded.lengths[index] ?? 0;
      offset += length;
      return { page, offset: offset - length, length };
    });
    yield { bytes: encoded.bytes, records };
    pageBytes += encoded.pageBytes;
    pages += batch.length;
    onProgress?.(pages, addresses.count, pageBytes);
  }
}

type Batch = readonly Requested[];

/** Encodes batches of pages, on threads if there are any. Yields them in their order. */
async function* encodedBatches(
  job: EncoderJob,
  files: TreeFiles,
  batches: Iterable<Batch>,
  threads: number,
): AsyncGenerator<{ readonly batch: Batch; readonly encoded: EncodedRecords }> {
  const pool = new ThreadPool<Batch, EncodedRecords>(
    new URL('./record-thread.js', import.meta.url),
    Array.from({ length: threads }, () => job),
  );
  const encode = async (batch: Batch) => ({ batch, encoded: threads === 0 ? encodeRecords(files, job, batch) : await pool.ask(batch) });
  try {
    yield* inOrder(batches, Math.max(1, BATCHES_PER_THREAD * threads), encode);
  } finally {
    await pool.close();
  }
}

function pagesPerBatch({ page_size, account_page_size }: BuildRecord): number {
  return Math.max(1, Math.min(BATCH_PAGES, Math.floor(BATCH_ITEMS / Math.max(page_size, account_page_size))));
}

function* batchesOf(pages: Iterable<Requested>, length: number): Generator<Batch> {
  let batch: Requested[] = [];
  for (const page of pages) {
    batch.push(page);
    if (batch.length < length) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Yields the records before those of the pages, in pieces. */
function* recordsBefore(tree: VerifiedTree, date: string, identities: Iterable<string>): Generator<Uint8Array[]> {
  const { build } = tree;
  yield infoRecord(tree, date);
  let part = 0;
  for (const text of identities) {
    part += 1;
    yield encodeRecord({
      type: 'metadata',
      contentType: 'application/x-ndjson',
      id: recordId('metadata', build.manifest, date, String(part)),
      date,
      url: IDENTITIES.uri,
      headers: { 'WARC-Warcinfo-ID': infoId(build, date) },
      block: [Buffer.from(text)],
    });
  }
}

function infoRecord({ build }: VerifiedTree, date: string): Uint8Array[] {
  const lines = [
    `software: palimpsest ${VERSION}`,
    'format: WARC File Format 1.1',
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: ${build.base_url}`,
    'description: The pages of a JSON API at their addresses. No server sent them: each record is a file of the published tree. The date ' +
      'of all records is the time at which palimpsest built the tree.',
    ...(build.about === undefined ? [] : warcinfoLines(build.about)),
    `palimpsest-base-url: ${build.base_url}`,
    `palimpsest-records: ${build.records}`,
    `palimpsest-accounts: ${build.accounts}`,
    `palimpsest-manifest: sha256:${build.manifest}`,
    ...(build.incomplete === undefined ? [] : [incompleteLine(build.incomplete)]),
  ];
  const block = Buffer.from(`${lines.join('\r\n')}\r\n`);
  return encodeRecord({ type: 'warcinfo', id: infoId(build, date), date, block: [block] });
}
