import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Pauses } from '../../contract/event-loop-pauses.ts';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import { collectionPages } from '../../pages/collection-pages.ts';
import { type Page, type PageSpan, type Pages, type ReadSpan, spansOf } from '../../pages/pagination.ts';
import type { PageSource } from '../../store/page-source.ts';
import type { Store } from '../../store/store.ts';
import { onThreads } from '../../threads/thread-pool.ts';
import { compress, SUFFIXES } from '../encoding.ts';
import { type Layout, pagesFolder, pathsOfSpan, spanGroup } from '../layout.ts';
import type { PageRange } from '../sort-keys.ts';
import { LINES, type PartJob, SPOOLS, StagedPart } from './staged-part.ts';

/** The input of threads that render the pages of one tree together. */
export interface RenderJob extends PartJob {
  /** The revision that the tree's files show; -1 if it is unknown. */
  readonly since: number;
  /** The layout of the new tree. */
  readonly layout: Layout;
}

interface RenderedSpan {
  readonly span: PageSpan;
  /** The number of staged files. */
  readonly written: number;
  /** The ids of the first and last record of each page of the feed. An empty page has none. */
  readonly ranges: readonly PageRange[];
  /** Checksums of what was read. */
  readonly read: ReadSpan;
}

function prepareStage({ stage, form }: PartJob): void {
  const folders = form === 'zip' ? [SPOOLS] : COLLECTIONS.map(pagesFolder);
  for (const folder of [LINES, ...folders]) mkdirSync(join(stage, folder), { recursive: true });
}

/** Renders spans of pages. Compares their files with the tree, and stages those whose bytes are new. */
export class SpanRenderer {
  readonly #job: RenderJob;
  readonly #pages: { readonly [C in Collection]: Pages };

  constructor(job: RenderJob, source: PageSource) {
    this.#job = job;
    this.#pages = collectionPages(source, job.site);
  }

  /** @throws Failure bad-store */
  render(span: PageSpan): RenderedSpan {
    const part = this.#part(span);
    const ranges: PageRange[] = [];
    const walk = this.#pages[span.collection].walk(span);
    let step = walk.next();
    for (; !step.done; step = walk.next()) {
      const { range, number } = step.value;
      if (range !== undefined) ranges.push(range);
      this.#add(step.value, [...pathsOfSpan({ collection: span.collection, from: number, to: number }, this.#job.layout)], part);
    }
    part.close();
    return { span, written: part.written, ranges, read: step.value };
  }

  /** Keeps the files of a span without reading the store. */
  keep(span: PageSpan): void {
    const part = this.#part(span);
    part.keepAll();
    part.close();
  }

  #part(span: PageSpan): StagedPart {
    const { collection, index, to } = span;
    const isLast = to === this.#job.layout.pages[collection];
    return new StagedPart(this.#job, spanGroup(collection, index), ...(isLast ? [spanGroup(collection, 'last')] : []));
  }

  /** Adds the files of a page, at these paths, and their compressed variants. */
  #add(page: Page, paths: readonly string[], part: StagedPart): void {
    const { since, layout } = this.#job;
    const copies = layout.encodings.map((encoding) => ({ encoding, files: paths.map((path) => path + SUFFIXES[encoding]) }));
    if (page.revision <= since) {
      for (const path of [...paths, ...copies.flatMap(({ files }) => files)]) part.keep(path);
      return;
    }
    const bytes = piecesOf(page);
    part.put(paths, bytes);
    for (const { encoding, files } of copies) part.put(files, [compress(Buffer.concat([...bytes]), encoding)]);
  }
}

/** The size of a page that is kept in memory, in bytes. A larger page is rendered again whenever its bytes are needed. */
const MAX_IN_MEMORY = 1 << 23;

/** Returns the bytes of a page in chunks. They can be read several times. */
function piecesOf(page: Page): Iterable<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const piece of page.render()) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_IN_MEMORY) return { [Symbol.iterator]: () => page.render()[Symbol.iterator]() };
  }
  return pieces;
}

/** With fewer pages, threads take longer to start than they save. The number is lower if pages are compressed. */
const MIN_PAGES_FOR_THREADS = 200;
const MIN_COMPRESSED_PAGES_FOR_THREADS = 40;
const THREADS = 2;
/** The pages are in memory outside of the heap until small objects that refer to them are collected: with less room, that is sooner. */
const YOUNG_GENERATION_MB = 3;

/**
 * Renders a store's pages on two threads and stages the files that differ from those in the tree.
 * @param job its revision `since` is the one that the tree shows
 * @param ranges the page ranges of the present tree; used if the feed has not changed
 * @param pauses end the work of the threads
 * @returns the number of staged files, and the range of records on each page of the new feed
 */
export async function renderOnThreads(
  store: Store,
  job: RenderJob,
  ranges: Iterable<PageRange>,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<{ readonly written: number; readonly ranges: Iterable<PageRange> }> {
  const { pages, encodings } = job.layout;
  const newRanges: (readonly PageRange[])[] = [];
  prepareStage(job);
  const renderer = new SpanRenderer(job, store);
  // an unchanged feed is not read at all
  const isNewFeed = store.revision.feed > job.since;
  const spans = spansOf('data', pages.data);
  if (!isNewFeed) for (const span of spans) renderer.keep(span);
  // threads that are at different collections create folders in different places
  const requests = [...(isNewFeed ? spans : []), ...spansOf('account', pages.account)];
  requests.sort((a, b) => a.index - b.index);
  const all = (isNewFeed ? pages.data : 0) + pages.account;
  const least = encodings.length > 0 ? MIN_COMPRESSED_PAGES_FOR_THREADS : MIN_PAGES_FOR_THREADS;
  const read: { readonly [C in Collection]: ReadSpan[] } = { data: [], account: [] };
  let [done, written] = [0, 0];
  await onThreads(
    {
      requests,
      module: new URL('./render-worker.js', import.meta.url),
      data: job,
      threads: all < least ? 0 : THREADS,
      youngGenerationMb: YOUNG_GENERATION_MB,
      here: (span: PageSpan) => renderer.render(span),
      onAnswer: ({ span, written: staged, ranges: found, read: part }) => {
        written += staged;
        if (span.collection === 'data') newRanges[span.index] = found;
        read[span.collection][span.index] = part;
        done += span.to - span.from + 1;
        onProgress(done, all);
      },
    },
    pauses,
  );
  const stored = collectionPages(store, job.site);
  if (isNewFeed) stored.data.check(read.data);
  stored.account.check(read.account);
  return { written, ranges: isNewFeed ? newRanges.flat() : ranges };
}
