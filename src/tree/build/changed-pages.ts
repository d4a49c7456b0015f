import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra/esm';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import type { Pauses } from '../../contract/pauses.ts';
import type { Site } from '../../contract/site.ts';
import { collectionPages } from '../../pages/collection-pages.ts';
import { type Page, type PageSpan, type Pages, type ReadSpan, spansOf } from '../../pages/pagination.ts';
import type { PageSource } from '../../store/feed/page-source.ts';
import type { Store } from '../../store/store.ts';
import { onThreads } from '../../threads/thread-pool.ts';
import { compress } from '../compression.ts';
import { type Encoding, SUFFIXES } from '../encoding.ts';
import { collectionFolder, type Layout, pagesFolder, pathsOfPages, pathsOfSpan } from '../layout.ts';
import { type DigestEntry, Digests } from '../manifest/digests.ts';
import type { PageRange } from '../sort-keys.ts';
import { SPOOLS, type Stage, type StagedFiles, spanSpool, stagedFiles } from './staged-files.ts';

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
  /** The digests of the tree's present files. */
  readonly before: SharedArrayBuffer;
}

/** What a thread has rendered. */
interface RenderedSpan {
  readonly span: PageSpan;
  /** The digests of the files of the new tree. */
  readonly files: readonly DigestEntry[];
  /** The ids of the first and last record of each page of the feed. An empty page has none. */
  readonly ranges: readonly PageRange[];
  /** Checksums of what was read. */
  readonly read: ReadSpan;
}

/** Creates the folders for staged files. */
function prepareStage({ stage, form }: Stage): void {
  const folders = form === 'zip' ? [SPOOLS] : COLLECTIONS.map(pagesFolder);
  for (const folder of folders) ensureDirSync(join(stage, folder));
}

/** Renders spans of pages. Compares their files with the tree, and stages those whose bytes are new. */
export class SpanRenderer {
  readonly #job: RenderJob;
  readonly #before: Digests;
  readonly #pages: { readonly [C in Collection]: Pages };

  constructor(job: RenderJob, source: PageSource) {
    this.#job = job;
    this.#before = new Digests(job.layout, job.before);
    this.#pages = collectionPages(source, job.site);
  }

  /** @throws Failure bad-store */
  render(span: PageSpan): RenderedSpan {
    const staged = stagedFiles(this.#job, spanSpool(span));
    const files: DigestEntry[] = [];
    const ranges: PageRange[] = [];
    const walk = this.#pages[span.collection].walk(span);
    let step = walk.next();
    for (; !step.done; step = walk.next()) {
      const { range, number } = step.value;
      if (range !== undefined) ranges.push(range);
      const paths = [...pathsOfSpan({ collection: span.collection, from: number, to: number }, this.#job.layout)];
      files.push(...this.#files(step.value, paths, staged));
    }
    staged.close();
    return { span, files, ranges, read: step.value };
  }

  /** Returns the files of a page at these paths, and its compressed variants. */
  #files(page: Page, paths: readonly string[], staged: StagedFiles): DigestEntry[] {
    const { since, layout } = this.#job;
    const copies = layout.encodings.map((encoding) => ({ encoding, files: paths.map((path) => path + SUFFIXES[encoding]) }));
    if (page.revision <= since) return [...paths, ...copies.flatMap(({ files }) => files)].map((path) => this.#before.entry(path));
    const bytes = piecesOf(page);
    const plain = this.#put(bytes, paths, staged);
    const packed = (encoding: Encoding) => [compress(Buffer.concat([...bytes]), encoding)];
    return [...plain, ...copies.flatMap(({ encoding, files }) => this.#put(packed(encoding), files, staged))];
  }

  #put(bytes: Iterable<Uint8Array>, paths: readonly string[], staged: StagedFiles): DigestEntry[] {
    const hash = createHash('sha256');
    for (const piece of bytes) hash.update(piece);
    const digest = hash.digest('hex');
    for (const path of paths) if (digest !== this.#before.get(path)) staged.put(path, bytes);
    return paths.map((path) => ({ path, digest }));
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

/**
 * Renders a store's pages on two threads and stages the files that differ from those in the tree.
 * @param since the store's revision that the tree shows; -1 if it is unknown
 * @param before the digests of the tree's present files
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
  ranges: Iterable<PageRange>,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<{ readonly after: Digests; readonly ranges: Iterable<PageRange> }> {
  const { pages, encodings } = before;
  const after = new Digests(before);
  const { feed, number } = store.revision;
  const newRanges: (readonly PageRange[])[] = [];
  // an unchanged feed is not read at all
  const isNewFeed = feed > since;
  if (!isNewFeed) for (const path of pathsOfPages(before)) if (path.startsWith(collectionFolder('data'))) after.copy(before, path);
  // threads that are at different collections create folders in different places
  const requests = [...(isNewFeed ? spansOf('data', pages.data) : []), ...spansOf('account', pages.account)];
  requests.sort((a, b) => a.index - b.index);
  const all = (isNewFeed ? pages.data : 0) + pages.account;
  const least = encodings.length > 0 ? MIN_COMPRESSED_PAGES_FOR_THREADS : MIN_PAGES_FOR_THREADS;
  const layout = { pages, encodings };
  const job: RenderJob = { store: store.path, revision: number, ...stage, site, since, layout, before: before.shared };
  prepareStage(stage);
  const renderer = new SpanRenderer(job, store);
  const read: { readonly [C in Collection]: ReadSpan[] } = { data: [], account: [] };
  let done = 0;
  await onThreads(
    {
      requests,
      module: new URL('./render-worker.js', import.meta.url),
      data: job,
      threads: all < least ? 0 : THREADS,
      here: (span: PageSpan) => renderer.render(span),
      onAnswer: ({ span, files, ranges: found, read: part }) => {
        for (const { path, digest } of files) if (digest !== undefined) after.set(path, Buffer.from(digest, 'hex'));
        if (span.collection === 'data') newRanges[span.index] = found;
        read[span.collection][span.index] = part;
        done += span.to - span.from + 1;
        onProgress(done, all);
      },
    },
    pauses,
  );
  const stored = collectionPages(store, site);
  if (isNewFeed) stored.data.check(read.data);
  stored.account.check(read.account);
  return { after, ranges: isNewFeed ? newRanges.flat() : ranges };
}
