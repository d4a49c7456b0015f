import type { OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import { COLLECTIONS, type Collection } from '../contract/pages/collection.ts';
import { collectionPages } from '../pages/collection-pages.ts';
import { type PageSpan, spansOf } from '../pages/pagination.ts';
import { Store } from '../store/store.ts';
import { inOrder, ThreadPool } from '../threads/thread-pool.ts';
import { BUILD_RECORD, type BuildRecord } from '../tree/build-record.ts';
import type { Digests } from '../tree/manifest/digests.ts';
import { CrossSpanCheck, type VerifyPhase } from './cross-span-check.ts';
import { BloomFilter, bloomBytes } from './pages/bloom-filter.ts';
import { HASH_BYTES, MultisetHash } from './pages/multiset-hash.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { SortKeysCheck } from './sort-keys-check.ts';
import { SpanCheck } from './span-check.ts';
import type { SpanAnswer, SpanJob } from './span-thread.ts';
import { Report } from './violation.ts';

/** With fewer pages, threads take longer to start than they save. */
const MIN_PAGES = 200;
/** The number of spans that are given to each thread: it checks one, and the others wait. */
const SPANS_PER_THREAD = 4;

interface WalkedTree extends TreeMetadata {
  readonly out: string;
  readonly manifest: Digests;
  /** The file of the store. */
  readonly store: string | undefined;
  /** The number of threads; 0 for none. */
  readonly threads: number;
  /** Returns a new comparison of the items with the sort keys. */
  readonly sortKeys: () => SortKeysCheck;
  readonly onProgress: OnProgress<VerifyPhase>;
}

/**
 * Walks both collections of a tree as a client would, and checks every page, record and account. Threads check a large tree, and
 * stop at the first violation: then the tree is walked again without them, to report all violations in order.
 * @throws Failure no-store, bad-store, stopped
 */
export async function walkTree(tree: WalkedTree, report: Report, pauses: Pauses): Promise<CrossSpanCheck> {
  const store = tree.store === undefined ? undefined : Store.open(tree.store);
  try {
    const isSame = store !== undefined && hasContentOf(store, tree.build, report);
    const compared = isSame ? store : undefined;
    const isForThreads = tree.threads > 0 && report.violationCount === 0 && tree.build.data_pages + tree.build.account_pages >= MIN_PAGES;
    const walk =
      (isForThreads && (await walkOnThreads(tree, compared, report, pauses))) || (await walkHere(tree, compared, report, pauses));
    await walk.end(report, pauses);
    return walk;
  } finally {
    store?.close();
  }
}

/** Whether a tree was built from the content of a store. If not, reports this once, so that the pages need no comparison. */
function hasContentOf(store: Store, build: BuildRecord, report: Report): boolean {
  const { fingerprint, records, accounts } = store.revision;
  if (fingerprint !== build.store) {
    const isOther = store.revisionOf(build.store) === undefined;
    report.add({
      rule: 'store-fingerprint',
      path: BUILD_RECORD,
      expected: fingerprint,
      found: `${build.store}: ${isOther ? 'the store does not know this state' : 'the store has changed since the build, build again'}`,
    });
    return false;
  }
  if (records === build.records && accounts === build.accounts) return true;
  const [expected, found] = [`${records} records and ${accounts} accounts`, `${build.records} records and ${build.accounts} accounts`];
  report.add({ rule: 'store-differs', path: BUILD_RECORD, expected, found });
  return false;
}

async function walkHere(tree: WalkedTree, store: Store | undefined, report: Report, pauses: Pauses): Promise<CrossSpanCheck> {
  const walk = new CrossSpanCheck(tree, tree.sortKeys(), tree.onProgress, BloomFilter.for(tree.build.records));
  const pages = store && collectionPages(store, tree.build);
  const check = new SpanCheck(tree, pages, walk.items);
  for (const collection of COLLECTIONS) {
    for (const span of spansIn(tree.build, collection)) {
      walk.add(span, check.check(span, report, walk.damaged), report);
      if (pauses.areDue) await pauses.take();
    }
    pages?.[collection].check(walk.read[collection]);
  }
  return walk;
}

/**
 * Adds notes to the report.
 * @returns undefined if the tree breaks a rule, or the store is damaged. Nothing is reported then
 */
async function walkOnThreads(
  tree: WalkedTree,
  store: Store | undefined,
  report: Report,
  pauses: Pauses,
): Promise<CrossSpanCheck | undefined> {
  const { build, out, manifest } = tree;
  const ids = new SharedArrayBuffer(bloomBytes(build.records));
  const walk = new CrossSpanCheck(tree, tree.sortKeys(), tree.onProgress, new BloomFilter(ids));
  const jobs = Array.from(
    { length: tree.threads },
    (): SpanJob => ({
      out,
      build,
      listing: manifest.listing,
      store: store && { path: store.path, revision: store.revision.number },
      ids,
      hashes: { data: new SharedArrayBuffer(HASH_BYTES), account: new SharedArrayBuffer(HASH_BYTES) },
    }),
  );
  const found = new Report();
  const threads = new ThreadPool<PageSpan, SpanAnswer>(new URL('./span-thread.js', import.meta.url), jobs);
  const endOnStop = pauses.onStop(() => void threads.close());
  try {
    // the accounts need all ids of the feed
    for (const collection of COLLECTIONS)
      for await (const [span, answer] of inOrder(spansIn(build, collection), SPANS_PER_THREAD * threads.length, async (one) => {
        return [one, await threads.ask(one)] as const;
      })) {
        if (answer === undefined) return undefined;
        found.addNotes(answer.notes);
        walk.add(span, answer, found);
        if (found.violationCount > 0) return undefined;
      }
    for (const { hashes } of jobs) for (const name of COLLECTIONS) walk.items.hashes[name].addAll(new MultisetHash(hashes[name]));
    const pages = store && collectionPages(store, build);
    for (const name of COLLECTIONS) pages?.[name].check(walk.read[name]);
  } catch {
    // the walk without threads meets the cause of the error
    pauses.check();
    return undefined;
  } finally {
    endOnStop();
    await threads.close();
  }
  report.addNotes(found);
  return walk;
}

function spansIn(build: BuildRecord, collection: Collection): PageSpan[] {
  return spansOf(collection, collection === 'data' ? build.data_pages : build.account_pages);
}
