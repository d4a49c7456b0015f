import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import type { OnProgress, Pauses } from '../contract/pauses.ts';
import { joined, NOTHING } from '../store/checksum.ts';
import { Store } from '../store/store.ts';
import type { Digests } from '../tree/digests.ts';
import { inOrder } from '../tree/in-order.ts';
import { ThreadPool } from '../tree/thread-pool.ts';
import type { CollectionPageRange, PageRangeJob, PageRangeResult } from './page-range-thread.ts';
import { type AccountPlace, checkOrder } from './pages/accounts.ts';
import { BloomFilter, bloomBytes } from './pages/bloom-filter.ts';
import { checkPlace, type RecordPlace } from './pages/feed.ts';
import { HASH_BYTES, MultisetHash } from './pages/multiset-hash.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { SortKeysCheck } from './sort-keys.ts';
import { type Notes, Report } from './violation.ts';
import { type VerifyPhase, Walk } from './walk.ts';

/** With fewer pages, threads take longer to start than they save. */
const MIN_PAGES = 200;
/** The number of pages that a thread checks at once. */
const SPAN_PAGES = 32;
/** The number of ranges for each thread: it checks one, and the others wait until the thread is free. */
const RANGES_PER_THREAD = 4;

/** A tree to check, and the store to compare it with. */
interface ThreadWalk extends TreeMetadata {
  readonly out: string;
  readonly manifest: Digests;
  readonly store: string | undefined;
  /** The number of threads. */
  readonly threads: number;
}

/**
 * Walks both collections of a tree as `walkTree` does, on several threads. They check the same rules, but stop at the first
 * violation. Adds notes to the report.
 * @returns undefined if the tree is small, breaks a rule or differs from the store. Nothing is reported then: walkTree finds and
 *   reports everything in order
 */
export async function walkOnThreads(
  tree: ThreadWalk,
  sortKeys: SortKeysCheck,
  report: Report,
  pauses: Pauses,
  onProgress: OnProgress<VerifyPhase>,
): Promise<Walk | undefined> {
  const { build } = tree;
  if (tree.threads === 0 || report.violationCount > 0 || build.data_pages + build.account_pages < MIN_PAGES) return undefined;
  const store = tree.store === undefined ? undefined : Store.open(tree.store);
  const ids = new SharedArrayBuffer(bloomBytes(build.records));
  const merge = new MergedWalk(tree, sortKeys, onProgress, new BloomFilter(ids));
  const jobs = Array.from({ length: tree.threads }, () => jobOf(tree, store, ids));
  const isOfStore = store === undefined || store.revision.fingerprint === build.store;
  const threads = new ThreadPool<CollectionPageRange, PageRangeResult | undefined>(
    new URL('./page-range-thread.js', import.meta.url),
    isOfStore ? jobs : [],
  );
  const endOnStop = pauses.onStop(() => void threads.close());
  try {
    const isGood =
      isOfStore &&
      (await check(threads, rangesOf('data', build.data_pages), (answer) => merge.feedPages(answer))) &&
      (await check(threads, rangesOf('account', build.account_pages), (answer) => merge.accountPages(answer)));
    pauses.check();
    if (!isGood || !merge.isWhole(jobs, store)) return undefined;
  } finally {
    endOnStop();
    await threads.close();
    store?.close();
  }
  report.addNotes(merge.notes);
  await merge.end(report, pauses);
  return merge;
}

/**
 * Checks ranges on threads.
 * @param onAnswer called with each answer, in the order of the ranges. Returns whether to go on
 * @returns whether all ranges were checked, and keep every rule
 */
async function check(
  threads: ThreadPool<CollectionPageRange, PageRangeResult | undefined>,
  ranges: readonly CollectionPageRange[],
  onAnswer: (answer: PageRangeResult) => boolean,
): Promise<boolean> {
  try {
    for await (const answer of inOrder(ranges, RANGES_PER_THREAD * threads.length, (range) => threads.ask(range)))
      if (answer === undefined || !onAnswer(answer)) return false;
    return true;
  } catch {
    // the caller then walks the tree itself, and meets the cause of the error
    return false;
  }
}

function jobOf({ out, build, manifest }: ThreadWalk, store: Store | undefined, ids: SharedArrayBuffer): PageRangeJob {
  return {
    out,
    build,
    digests: manifest.shared,
    store: store === undefined ? undefined : { path: store.path, revision: store.revision.number },
    ids,
    hashes: { data: new SharedArrayBuffer(HASH_BYTES), account: new SharedArrayBuffer(HASH_BYTES) },
  };
}

function rangesOf(collection: Collection, pages: number): CollectionPageRange[] {
  const starts = Array.from({ length: Math.ceil(pages / SPAN_PAGES) }, (_, index) => 1 + index * SPAN_PAGES);
  return starts.map((from) => ({ collection, from, to: Math.min(pages, from + SPAN_PAGES - 1) }));
}

/** Merges what threads found on ranges of pages, in the order of the ranges. Checks what one range does not show. */
class MergedWalk extends Walk {
  /** A violation means that the tree must be walked again. */
  readonly notes: Report = new Report();
  #checksum = NOTHING;
  #record: RecordPlace | undefined;
  #account: AccountPlace | undefined;

  /** Adds a range of the feed. Returns false if it cannot follow the range before it. */
  feedPages({ ids, first, last, notes, checksum }: PageRangeResult): boolean {
    for (const id of ids) this.record(id);
    if (first !== undefined && this.#record !== undefined) checkPlace(first, this.#record, first.path, this.notes);
    this.#record = last;
    this.#checksum = joined(this.#checksum, checksum);
    return this.#add(notes);
  }

  /** Adds a range of accounts. Returns false if it cannot follow the range before it. */
  accountPages({ ids, names, unknown, notes }: PageRangeResult): boolean {
    for (const [index, name] of names.entries()) {
      const place = { first: ids[index] ?? 0, name };
      checkOrder(place, this.#account, '', this.notes);
      this.#account = place;
      this.account(place);
    }
    for (const { record, path } of unknown) this.predecessors.add(record, path, this.notes);
    return this.#add(notes);
  }

  /** Whether the feed and the accounts have the same records, and the feed is that of the store. */
  isWhole(jobs: readonly PageRangeJob[], store: Store | undefined): boolean {
    const { data, account } = this.hashes;
    for (const { hashes } of jobs) {
      data.addAll(new MultisetHash(hashes.data));
      account.addAll(new MultisetHash(hashes.account));
    }
    if (data.differences(account).length > 0) return false;
    try {
      store?.checkFeed(this.#checksum);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  #add(notes: Notes): boolean {
    this.notes.addNotes(notes);
    this.progress();
    return this.notes.violationCount === 0;
  }
}
