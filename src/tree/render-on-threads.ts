import type { Pauses } from '../contract/pauses.ts';
import type { Site } from '../contract/site.ts';
import type { Direction } from '../store/direction.ts';
import type { Store } from '../store/store.ts';
import { Digests } from './digests.ts';
import { collectionFolder, pathsOfPages } from './layout.ts';
import { checkRead, prepareStage, type RenderJob, render } from './render.ts';
import type { WorkerJob } from './render-worker.ts';
import type { PageRange } from './sort-keys.ts';
import type { Stage } from './staged-files.ts';
import { runThreads } from './threads.ts';

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
