import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { Site } from '../contract/site.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import type { Page, Pages } from '../pages/page.ts';
import type { End } from '../store/end.ts';
import { Store } from '../store/store.ts';
import { compress, type Encoding } from './compression.ts';
import { Digests } from './digests.ts';
import { pagesFolder, pathOf, slotsOf, variantSlotsOf } from './layout.ts';

/** What two threads need to know to render one tree together. It can be posted from one to the other. */
export interface RenderJob {
  readonly store: string;
  /** The store's revision that is being rendered. */
  readonly revision: number;
  readonly site: Site;
  /** The revision that the tree's files show; -1 where that is not known. */
  readonly since: number;
  /** The folder that takes the files whose bytes are new. */
  readonly stage: string;
  readonly pages: { readonly [C in Collection]: number };
  /** In which each page is to be there compressed. */
  readonly encodings: readonly Encoding[];
  /** Whether the compressed variants in `before` are those of its pages. */
  readonly trusted: boolean;
  /** The digests of the tree's files as they are, and those of the new ones. */
  readonly before: { readonly [C in Collection]: SharedArrayBuffer };
  readonly after: { readonly [C in Collection]: SharedArrayBuffer };
  /** For each collection, how many pages nobody has taken yet (Int32). */
  readonly remaining: SharedArrayBuffer;
}

/**
 * Renders pages from one end of each collection until those from the other end are met, and stages the
 * files that differ from what is in the tree. Two threads, because a page's place in the store is known
 * from its neighbour's, and a collection has two ends.
 */
export function render(job: RenderJob, store: Store, end: End, onPage: () => void = () => {}): void {
  const remaining = new Int32Array(job.remaining);
  const sheet = new Sheet();
  const collections = [feedPages(store, job.site), accountPages(store, job.site)];
  // the threads begin with different collections, so that they make folders in different places
  if (end === 'last') collections.reverse();
  for (const pages of collections) {
    const index = COLLECTIONS.indexOf(pages.collection);
    const before = new Digests(pages.count, job.encodings, job.before[pages.collection]);
    const after = new Digests(pages.count, job.encodings, job.after[pages.collection]);
    const walk = pages.walk(end);
    while (Atomics.sub(remaining, index, 1) > 0) {
      const step = walk.next();
      if (step.done) break;
      stagePage(job, pages, step.value, sheet, before, after);
      onPage();
    }
  }
}

/** Renders as {@link render}, on a store of its own; leaves all to the first thread if the store has moved on. */
export function renderFrom(job: RenderJob, end: End): void {
  const store = Store.open(job.store);
  try {
    if (store.revision.number === job.revision) render(job, store, end);
  } finally {
    store.close();
  }
}

/** Makes the folders that staged files go into. */
export function prepareStage(stage: string): void {
  for (const collection of COLLECTIONS) mkdirSync(join(stage, pagesFolder(collection)), { recursive: true });
}

function stagePage(job: RenderJob, pages: Pages, page: Page, sheet: Sheet, before: Digests, after: Digests): void {
  const slots = slotsOf(page.number, pages.count);
  const variants = job.encodings.map((_, index) => variantSlotsOf(page.number, pages.count, index));
  if (page.revision <= job.since) {
    for (const slot of [slots, ...variants].flat()) after.copy(before, slot);
    return;
  }
  const made = new Set<string>();
  const stage = (bytes: Uint8Array, places: readonly number[]) => {
    const digest = hash('sha256', bytes, 'buffer');
    for (const slot of places) {
      after.set(slot, digest);
      if (after.agrees(before, slot)) continue;
      const path = join(job.stage, pathOf(pages.collection, slot, pages.count, job.encodings));
      if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
      made.add(dirname(path));
      writeFileSync(path, bytes);
    }
  };
  const bytes = sheet.lay(page.render());
  stage(bytes, slots);
  const isSame = job.trusted && slots.every((slot) => after.agrees(before, slot));
  for (const [index, encoding] of job.encodings.entries()) {
    const places = variants[index] ?? [];
    if (isSame && places.every((slot) => before.get(slot) !== undefined)) for (const slot of places) after.copy(before, slot);
    else stage(compress(bytes, encoding), places);
  }
}

/** Memory for one page after another: asking the system anew for each costs a fifth of a build. */
class Sheet {
  #memory = Buffer.allocUnsafe(1 << 20);

  /** The pieces as one run of bytes, good until the next call. */
  lay(pieces: readonly Buffer[]): Buffer {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length > this.#memory.length) this.#memory = Buffer.allocUnsafe(length * 2);
    let end = 0;
    for (const piece of pieces) end += piece.copy(this.#memory, end);
    return this.#memory.subarray(0, length);
  }
}
