import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra/esm';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { Pauses } from '../contract/pauses.ts';
import type { Site } from '../contract/site.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import { type Page, type PageSpan, type ReadSpan, spansOf } from '../pages/page.ts';
import { PageSource } from '../store/page-source.ts';
import type { Store } from '../store/store.ts';
import { compress } from './compression.ts';
import { Digests } from './digests.ts';
import { SUFFIXES } from './encoding.ts';
import { collectionFolder, type Layout, pagesFolder, pathsOfPages, pathsOfSpan } from './layout.ts';
import type { PageRange } from './sort-keys.ts';
import { SPOOLS, type Stage, type StagedFiles, spanSpool, stagedFiles } from './staged-files.ts';
import { runThreads } from './threads.ts';

/** The input of threads that render the pages of one tree together. It can be posted to another thread. */
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
  /** The spans of pages to render. */
  readonly spans: readonly PageSpan[];
  /** The numbers of spans that threads have taken, and of pages that they have rendered (Int32). */
  readonly counts: SharedArrayBuffer;
  /** Checksums of what was read for each span: two numbers (Float64). */
  readonly read: SharedArrayBuffer;
}

/** Renders spans of pages until none remains. Stages the files that differ from those in the tree. */
function render(job: RenderJob, source: PageSource, onPage: () => void = () => {}): void {
  const counts = new Int32Array(job.counts);
  const read = new Float64Array(job.read);
  const pages = { data: feedPages(source, job.site), account: accountPages(source, job.site) };
  for (let taken = Atomics.add(counts, 0, 1); taken < job.spans.length; taken = Atomics.add(counts, 0, 1)) {
    const span = job.spans[taken];
    if (span === undefined) break;
    const staged = stagedFiles(job, spanSpool(span));
    const rendered = new RenderedPages(job, span.collection, staged);
    const walk = pages[span.collection].walk(span);
    let step = walk.next();
    for (; !step.done; step = walk.next()) {
      rendered.add(step.value);
      Atomics.add(counts, 1, 1);
      onPage();
    }
    staged.close();
    read.set(step.value, 2 * taken);
  }
}

/**
 * Checks that all threads together have read what was written to the store.
 * @throws Failure bad-store
 */
function checkRead(job: RenderJob, source: PageSource): void {
  const read = new Float64Array(job.read);
  for (const pages of [feedPages(source, job.site), accountPages(source, job.site)]) {
    const parts = job.spans.flatMap(({ collection }, place): ReadSpan[] =>
      collection === pages.collection ? [[read[2 * place] ?? 0, read[2 * place + 1] ?? 0]] : [],
    );
    // the feed is not read if it has not changed
    if (parts.length > 0) pages.check(parts);
  }
}

/** Like {@link render}, but opens the store itself. Leaves all spans to the main thread if the store has changed. */
export function renderFrom(job: RenderJob): void {
  const source = PageSource.at(job.store, job.revision);
  if (source === undefined) return;
  try {
    render(job, source);
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

  constructor(job: RenderJob, collection: Collection, staged: StagedFiles) {
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
    const { encodings } = this.#after;
    const paths = [...pathsOfSpan({ collection: this.#collection, from: page.number, to: page.number }, this.#after)];
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
const THREADS = 2;

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
  const shared = new Float64Array(new SharedArrayBuffer(16 * pages.data));
  // an unchanged feed is not read at all
  const isNewFeed = feed > since;
  if (!isNewFeed) {
    copyRanges(ranges, shared);
    for (const path of pathsOfPages(before)) if (path.startsWith(collectionFolder('data'))) after.copy(before, path);
  }
  // threads that are at different collections create folders in different places
  const spans = [...(isNewFeed ? spansOf('data', pages.data) : []), ...spansOf('account', pages.account)];
  spans.sort((a, b) => a.index - b.index);
  const all = (isNewFeed ? pages.data : 0) + pages.account;
  const counts = new Int32Array(new SharedArrayBuffer(8));
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
    spans,
    counts: counts.buffer,
    read: new SharedArrayBuffer(16 * spans.length),
  };
  prepareStage(stage);
  const report = () => onProgress(counts[1] ?? 0, all);
  const least = encodings.length > 0 ? MIN_COMPRESSED_PAGES_FOR_THREADS : MIN_PAGES_FOR_THREADS;
  const data = Array.from({ length: all < least ? 0 : THREADS }, () => job);
  const clear = () => Atomics.store(counts, 0, spans.length);
  await runThreads({ module: new URL('./render-worker.js', import.meta.url), data, clear, report }, pauses);
  // if the store has changed meanwhile, the threads skipped all spans: only this connection still sees the old revision
  render(job, store, report);
  checkRead(job, store);
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
