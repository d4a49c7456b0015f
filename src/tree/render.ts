import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { ensureDirSync } from 'fs-extra/esm';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { Pauses } from '../contract/pauses.ts';
import type { Site } from '../contract/site.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import type { Page, Pages, ReadSoFar } from '../pages/page.ts';
import type { Direction } from '../store/direction.ts';
import { PageSource } from '../store/page-source.ts';
import type { Store } from '../store/store.ts';
import { compress } from './compression.ts';
import { Digests } from './digests.ts';
import { SUFFIXES } from './encoding.ts';
import { collectionFolder, type Layout, pagesFolder, pathsOf, pathsOfPages } from './layout.ts';
import type { WorkerJob } from './render-worker.ts';
import type { PageRange } from './sort-keys.ts';
import { PAGES_SPOOL, SPOOLS, type Stage, type StagedFiles, stagedFiles } from './staged-files.ts';
import { runThreads } from './threads.ts';

/** The input of two threads that render one tree together. It can be posted to another thread. */
export interface RenderJob extends Stage {
  readonly store: string;
  /** The store's revision to render. */
  readonly revision: number;
  readonly site: Site;
  /** The revision that the tree's files show; -1 if it is unknown. */
  readonly since: number;
  /** The layout of the new tree. */
  readonly layout: Layout;
  /** Whether the compressed variants in `before` were made from the pages in `before`. */
  readonly trusted: boolean;
  /** The digests of the tree's present files (`before`) and of the new files (`after`). */
  readonly before: SharedArrayBuffer;
  readonly after: SharedArrayBuffer;
  /** The ids of the first and last record of each page of the feed (Float64). Taken from the present tree if the feed has not changed. */
  readonly ranges: SharedArrayBuffer;
  /** For each collection, how many pages no thread has taken yet (Int32). */
  readonly remaining: SharedArrayBuffer;
  /** Checksums of what each walk has read (Float64). For each collection: two numbers from the first page, two from the last. */
  readonly read: SharedArrayBuffer;
}

/**
 * Renders pages from one end of each collection until it meets the pages from the other end. Stages the files that
 * differ from those in the tree. There are two threads because the place of a page in the store follows from that of
 * its neighbor, and a collection has two ends.
 */
function render(job: RenderJob, source: PageSource, end: Direction, onPage: () => void = () => {}): void {
  const remaining = new Int32Array(job.remaining);
  const collections = [feedPages(source, job.site), accountPages(source, job.site)];
  // the threads begin with different collections: they then create folders in different places
  if (end === 'last') collections.reverse();
  const staged = stagedFiles(job, PAGES_SPOOL + threadId);
  for (const pages of collections) {
    const index = COLLECTIONS.indexOf(pages.collection);
    const rendered = new RenderedPages(job, pages, staged);
    const walk = pages.walk(end);
    let read: ReadSoFar | undefined;
    while (Atomics.sub(remaining, index, 1) > 0) {
      const step = walk.next();
      if (step.done) break;
      rendered.add(step.value);
      read = step.value.read();
      onPage();
    }
    if (read !== undefined) new Float64Array(job.read).set(read, index * 4 + (end === 'first' ? 0 : 2));
  }
  staged.close();
}

/**
 * Checks that all threads together have read what was written to the store.
 * @param walked whether the feed was walked
 * @throws Failure bad-store
 */
function checkRead(job: RenderJob, source: PageSource, walked: boolean): void {
  for (const pages of [feedPages(source, job.site), accountPages(source, job.site)]) {
    if (pages.collection === 'data' && !walked) continue;
    const [one = 0, two = 0, three = 0, four = 0] = new Float64Array(job.read, COLLECTIONS.indexOf(pages.collection) * 32, 4);
    pages.check([one, two], [three, four]);
  }
}

/** Like {@link render}, but opens the store itself. Leaves all pages to the main thread if the store has changed. */
export function renderFrom(job: RenderJob, end: Direction): void {
  const source = PageSource.at(job.store, job.revision);
  if (source === undefined) return;
  try {
    render(job, source, end);
  } finally {
    source.close();
  }
}

/** Creates the folders for staged files. */
function prepareStage({ stage, form }: Stage): void {
  const folders = form === 'zip' ? [SPOOLS] : COLLECTIONS.map(pagesFolder);
  for (const folder of folders) ensureDirSync(join(stage, folder));
}

/** Compares the pages of one collection with the tree, and stages the files whose bytes are new. */
class RenderedPages {
  readonly #job: RenderJob;
  readonly #staged: StagedFiles;
  readonly #collection: Collection;
  readonly #before: Digests;
  readonly #after: Digests;
  readonly #ranges: Float64Array;

  constructor(job: RenderJob, { collection }: Pages, staged: StagedFiles) {
    this.#job = job;
    this.#staged = staged;
    this.#collection = collection;
    this.#ranges = new Float64Array(job.ranges);
    this.#before = new Digests(job.layout, job.before);
    this.#after = new Digests(job.layout, job.after);
  }

  add(page: Page): void {
    if (page.range !== undefined) this.#ranges.set([page.range.first, page.range.last], 2 * (page.number - 1));
    const { since, trusted } = this.#job;
    const { pages, encodings } = this.#after;
    const paths = pathsOf(this.#collection, page.number, pages[this.#collection]);
    const isOld = page.revision <= since;
    const bytes = isOld ? undefined : page.render();
    if (bytes === undefined) this.#keep(paths);
    else this.#put(bytes, paths);
    const isSame = isOld || (trusted && paths.every((path) => this.#after.equals(this.#before, path)));
    for (const encoding of encodings) {
      const variants = paths.map((path) => path + SUFFIXES[encoding]);
      const isThere = variants.every((path) => this.#before.get(path) !== undefined);
      if (bytes === undefined || (isSame && isThere)) this.#keep(variants);
      else this.#put([compress(Buffer.concat(bytes), encoding)], variants);
    }
  }

  #keep(paths: readonly string[]): void {
    for (const path of paths) this.#after.copy(this.#before, path);
  }

  #put(bytes: readonly Uint8Array[], paths: readonly string[]): void {
    const hash = createHash('sha256');
    for (const piece of bytes) hash.update(piece);
    const digest = hash.digest();
    for (const path of paths) {
      this.#after.set(path, digest);
      if (!this.#after.equals(this.#before, path)) this.#staged.put(path, bytes);
    }
  }
}

/** With fewer pages, threads take longer to start than they save. The number is lower if pages are compressed. */
const MIN_PAGES_FOR_THREADS = 200;
const MIN_COMPRESSED_PAGES_FOR_THREADS = 40;
const ENDS: readonly Direction[] = ['first', 'last'];

/**
 * Renders a store's pages on two threads and stages the files that differ from those in the tree.
 * @param since the store's revision that the tree shows; -1 if it is unknown
 * @param before the digests of the tree's present files
 * @param trusted whether the variants in `before` were made from the pages in `before`
 * @param ranges the page ranges of the present tree; used if the feed has not changed
 * @param pauses end the work of the threads
 * @returns the digests of the new tree's files, and the range of records on each page of its feed
 */
export async function renderOnThreads(
  store: Store,
  site: Site,
  stage: Stage,
  before: Digests,
  since: number,
  trusted: boolean,
  ranges: Iterable<PageRange>,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<{ readonly after: Digests; readonly ranges: Iterable<PageRange> }> {
  const { pages, encodings } = before;
  const after = new Digests(before);
  const { feed } = store.revision;
  const remaining = new Int32Array(new SharedArrayBuffer(8));
  const shared = new Float64Array(new SharedArrayBuffer(16 * pages.data));
  // an unchanged feed is not walked at all
  if (feed > since) remaining[0] = pages.data;
  else copyRanges(ranges, shared);
  if (feed <= since) for (const path of pathsOfPages(before)) if (path.startsWith(collectionFolder('data'))) after.copy(before, path);
  remaining[1] = pages.account;
  const all = (remaining[0] ?? 0) + pages.account;
  const job: RenderJob = {
    store: store.path,
    revision: store.revision.number,
    ...stage,
    site,
    since,
    layout: { pages, encodings },
    trusted,
    before: before.shared,
    after: after.shared,
    ranges: shared.buffer,
    remaining: remaining.buffer,
    read: new SharedArrayBuffer(64),
  };
  prepareStage(stage);
  const report = () => onProgress(all - Math.max(0, remaining[0] ?? 0) - Math.max(0, remaining[1] ?? 0), all);
  const least = encodings.length > 0 ? MIN_COMPRESSED_PAGES_FOR_THREADS : MIN_PAGES_FOR_THREADS;
  const data = (all < least ? [] : ENDS).map((end): WorkerJob => ({ ...job, end }));
  const clear = () => remaining.fill(0);
  await runThreads({ module: new URL('./render-worker.js', import.meta.url), data, clear, report }, pauses);
  // if the store has changed meanwhile, the threads skipped all pages: only this connection still sees the old revision
  render(job, store, 'first', report);
  checkRead(job, store, feed > since);
  return { after, ranges: rangesOf(shared, store.revision.records) };
}

function copyRanges(ranges: Iterable<PageRange>, into: Float64Array): void {
  let place = 0;
  for (const { first, last } of ranges) {
    into.set([first, last], place);
    place += 2;
  }
}

/** Yields the ranges of the feed's pages. An empty feed has one page without records, and so no range. */
function* rangesOf(shared: Float64Array, records: number): Generator<PageRange> {
  for (let place = 0; place < shared.length && records > 0; place += 2) yield { first: shared[place] ?? 0, last: shared[place + 1] ?? 0 };
}
