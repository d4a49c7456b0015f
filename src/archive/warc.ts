import { COLLECTIONS } from '../contract/collection.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { inOrder } from '../tree/in-order.ts';
import { ThreadPool } from '../tree/thread-pool.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { encodeRecord, gzipMemberSync } from '../warc/encode-record.ts';
import type { BrowseAddresses } from './browse-addresses.ts';
import { type EncodedRecords, type EncoderJob, RecordEncoder } from './record-encoder.ts';
import { infoId, type Requested } from './response-record.ts';

/** With fewer pages, threads take longer to start than they save. */
const MIN_PAGES = 200;
/** The most pages, and the most records or accounts on them, that a thread encodes at once. A batch has at least one page. */
const BATCH_PAGES = 8;
const BATCH_ITEMS = 800;
/** The number of batches for each thread: it encodes one, and the others wait, also while the main thread is not scheduled. */
const BATCHES_PER_THREAD = 4;

/** Where a record is in a WARC. */
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
  readonly onProgress?: ((files: number, all: number, bytes: number) => void) | undefined;
}

export interface WarcOptions extends ArchiveOptions {
  /** The date of all records, see {@link siteDate}. */
  readonly date: string;
  /** Whether each record is a gzip member. */
  readonly isCompressed: boolean;
}

/**
 * Yields the parts of a WARC with every page of a tree at its real address: `/rest/data/`, `?page=1`, `?page=2` and so
 * on. The browse files follow. Each file is compared with the manifest. Memory does not grow with the tree.
 * @throws Failure tree-edited
 */
export async function* warcParts(tree: VerifiedTree, browse: BrowseAddresses, options: WarcOptions): AsyncGenerator<WarcPart> {
  const { out, files, build, digests } = tree;
  const { threads = 0, date, isCompressed, onProgress } = options;
  const all = build.data_pages + build.account_pages + COLLECTIONS.length + browse.count;
  const job: EncoderJob = { out, build, digests: { data: digests.data.shared, account: digests.account.shared }, date, isCompressed };
  const info = infoRecord(tree, date);
  const bytes = isCompressed ? gzipMemberSync(info) : Buffer.concat(info);
  yield { bytes, records: [] };
  let [offset, pages, pageBytes] = [bytes.length, 0, 0];
  for await (const { batch, encoded } of encodedBatches(
    job,
    files,
    batchesOf(requested(tree, browse), pagesPerBatch(build)),
    all < MIN_PAGES ? 0 : threads,
  )) {
    const records = batch.map((page, index) => {
      const length = encoded.lengths[index] ?? 0;
      offset += length;
      return { page, offset: offset - length, length };
    });
    yield { bytes: encoded.bytes, records };
    pageBytes += encoded.pageBytes;
    pages += batch.length;
    onProgress?.(pages, all, pageBytes);
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
  const encoder = new RecordEncoder(job, files);
  const encode = async (batch: Batch) => ({ batch, encoded: threads === 0 ? encoder.encode(batch) : await pool.ask(batch) });
  try {
    yield* inOrder(batches, Math.max(1, BATCHES_PER_THREAD * threads), encode);
  } finally {
    await pool.close();
  }
}

function* requested({ digests }: VerifiedTree, browse: BrowseAddresses): Generator<Requested> {
  for (const collection of COLLECTIONS) {
    yield { collection, number: undefined };
    for (let number = 1; number <= digests[collection].pages; number += 1) yield { collection, number };
  }
  yield* browse.all();
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

function infoRecord({ build }: VerifiedTree, date: string): Uint8Array[] {
  const lines = [
    `software: palimpsest ${VERSION}`,
    'format: WARC File Format 1.1',
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: ${build.base_url}`,
    'description: The pages of a JSON API at their addresses. No server sent them: palimpsest wrote each response from a file of the ' +
      'published tree, with the headers of the API. The date of all records is the date of the newest change.',
    `palimpsest-base-url: ${build.base_url}`,
    `palimpsest-records: ${build.records}`,
    `palimpsest-accounts: ${build.accounts}`,
    `palimpsest-manifest: sha256:${build.manifest}`,
  ];
  const block = Buffer.from(`${lines.join('\r\n')}\r\n`);
  return encodeRecord({ type: 'warcinfo', id: infoId(build, date), date, block: [block] });
}
