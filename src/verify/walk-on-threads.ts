import { Failure } from '../contract/failure.ts';
import { COLLECTIONS } from '../contract/pages/collection.ts';
import type { OnProgress, Pauses } from '../contract/pauses.ts';
import { collectionPages } from '../pages/collection-pages.ts';
import { type PageSpan, type ReadSpan, spansOf } from '../pages/pagination.ts';
import { Store } from '../store/store.ts';
import { inOrder, ThreadPool } from '../threads/thread-pool.ts';
import type { Digests } from '../tree/manifest/digests.ts';
import { type AccountPlace, checkOrder } from './pages/accounts.ts';
import { BloomFilter, bloomBytes } from './pages/bloom-filter.ts';
import { checkPlace, type RecordPlace } from './pages/feed.ts';
import { HASH_BYTES, MultisetHash } from './pages/multiset-hash.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { SortKeysCheck } from './sort-keys-check.ts';
import type { SpanJob, SpanResult } from './span-thread.ts';
import { type Notes, Report } from './violation.ts';
import { type VerifyPhase, Walk } from './walk.ts';

/** With fewer pages, threads take longer to start than they save. */
const MIN_PAGES = 200;
/** The number of spans for each thread: it checks one, and the others wait until the thread is free. */
const SPANS_PER_THREAD = 4;

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
  const threads = new ThreadPool<PageSpan, SpanResult | undefined>(new URL('./span-thread.js', import.meta.url), isOfStore ? jobs : []);
  const endOnStop = pauses.onStop(() => void threads.close());
  try {
    const isGood =
      isOfStore &&
      (await check(threads, spansOf('data', build.data_pages), (answer) => merge.feedPages(answer))) &&
      (await check(threads, spansOf('account', build.account_pages), (answer) => merge.accountPages(answer)));
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
 * Checks spans on threads.
 * @param onAnswer called with each answer, in the order of the spans. Returns whether to go on
 * @returns whether all spans were checked, and keep every rule
 */
async function check(
  threads: ThreadPool<PageSpan, SpanResult | undefined>,
  spans: readonly PageSpan[],
  onAnswer: (answer: SpanResult) => boolean,
): Promise<boolean> {
  try {
    for await (const answer of inOrder(spans, SPANS_PER_THREAD * threads.length, (span) => threads.ask(span)))
      if (answer === undefined || !onAnswer(answer)) return false;
    return true;
  } catch {
    // the caller then walks the tree itself, and meets the cause of the error
    return false;
  }
}

function jobOf({ out, build, manifest }: ThreadWalk, store: Store | undefined, ids: SharedArrayBuffer): SpanJob {
  return {
    out,
    build,
    digests: manifest.shared,
    store: store === undefined ? undefined : { path: store.path, revision: store.revision.number },
    ids,
    hashes: { data: new SharedArrayBuffer(HASH_BYTES), account: new SharedArrayBuffer(HASH_BYTES) },
  };
}

/** Merges what threads found on spans of pages, in the order of the spans. Checks what one span does not show. */
class MergedWalk extends Walk {
  /** A violation means that the tree must be walked again. */
  readonly notes: Report = new Report();
  readonly #read: { readonly data: ReadSpan[]; readonly account: ReadSpan[] } = { data: [], account: [] };
  #record: RecordPlace | undefined;
  #account: AccountPlace | undefined;

  /** Adds a span of the feed. Returns false if it cannot follow the span before it. */
  feedPages({ ids, first, last, notes, read }: SpanResult): boolean {
    for (const id of ids) this.record(id);
    if (first !== undefined && this.#record !== undefined) checkPlace(first, this.#record, first.path, this.notes);
    this.#record = last;
    this.#read.data.push(read);
    return this.#add(notes);
  }

  /** Adds a span of accounts. Returns false if it cannot follow the span before it. */
  accountPages({ ids, names, unknown, notes, read }: SpanResult): boolean {
    for (const [index, name] of names.entries()) {
      const place = { first: ids[index] ?? 0, name };
      checkOrder(place, this.#account, '', this.notes);
      this.#account = place;
      this.account(place);
    }
    for (const { record, path } of unknown) this.predecessors.add(record, path, this.notes);
    this.#read.account.push(read);
    return this.#add(notes);
  }

  /** Whether the feed and the accounts have the same records, and the pages are those of the store. */
  isWhole(jobs: readonly SpanJob[], store: Store | undefined): boolean {
    const { data, account } = this.hashes;
    for (const { hashes } of jobs) {
      data.addAll(new MultisetHash(hashes.data));
      account.addAll(new MultisetHash(hashes.account));
    }
    if (data.differences(account).length > 0) return false;
    try {
      const stored = store && collectionPages(store, this.tree.build);
      for (const collection of COLLECTIONS) stored?.[collection].check(this.#read[collection]);
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
