import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { Site } from '../contract/site.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord, readBuildRecord } from './build-record.ts';
import { Digests } from './digests.ts';
import { claimFolder, fileSystemFailure } from './folder.ts';
import { collectionFolder, pathOf, slotCount } from './layout.ts';
import { digestOf, encodeManifest, MANIFEST, parseManifest, readManifest, type TreeDigests } from './manifest.ts';
import { promote, removeSurplus, replaceFile } from './promote.ts';
import { prepareStage, type RenderJob, render } from './render.ts';

export interface BuildOptions {
  /** The tree's folder. */
  readonly out: string;
  readonly site: Site;
  /** Whether the files' own bytes are looked at, instead of what the manifest says of them. */
  readonly repair?: boolean | undefined;
  /** Called with the pages done so far and those to be done in all. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

export interface BuildSummary {
  readonly build: BuildRecord;
  /** How many of the tree's files were written, left as they were, and removed. */
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
  /**
   * Whether pages came to hold records that stood on later ones: a reader who was following `next` at
   * that moment may have missed some. Only larger pages and removed records do that.
   */
  readonly pulledForward: boolean;
}

/** Below this many pages a second thread takes longer to start than it saves. */
const WORTH_A_THREAD = 200;

/**
 * Builds the tree of a store: writes the files whose bytes are new, leaves the others alone, removes
 * those that are gone. Until all new files are ready none is seen; while they are exchanged the build
 * record says `unfinished`.
 * @throws Failure no-store, bad-store, store-newer, not-ours, tree-busy, file-system
 */
export async function build(storePath: string, options: BuildOptions): Promise<BuildSummary> {
  const { out, site } = options;
  const store = Store.open(storePath);
  try {
    const folder = claimFolder(out);
    try {
      const found = readTree(out, pageCounts(store, site), options.repair ?? false);
      const now = recordOf(store, site);
      if (found.record !== undefined && isSame(found.record, now)) return unchangedSummary(found.record);
      const since = found.record !== undefined && isRerenderNeedless(found.record, now) ? (store.revisionOf(found.record.store) ?? -1) : -1;
      const after = await renderAll(store, options, folder.stage, found.digests, since);
      return await exchange(out, folder.stage, found, after, now);
    } catch (error) {
      throw fileSystemFailure(out, error);
    } finally {
      folder.release();
    }
  } finally {
    store.close();
  }
}

type PageCounts = { readonly [C in Collection]: number };

/** What is in the folder now: its record, if it is finished, and the digests of its files. */
interface FoundTree {
  readonly record: BuildRecord | undefined;
  readonly digests: TreeDigests;
}

function pageCounts(store: Store, site: Site): PageCounts {
  return { data: feedPages(store, site).count, account: accountPages(store, site).count };
}

function recordOf(store: Store, site: Site): Omit<BuildRecord, 'manifest'> {
  const { records, accounts, fingerprint } = store.revision;
  const pages = pageCounts(store, site);
  return {
    palimpsest: VERSION,
    state: 'finished',
    base_url: site.base_url,
    page_size: site.page_size,
    account_page_size: site.account_page_size,
    records,
    accounts,
    data_pages: pages.data,
    account_pages: pages.account,
    store: fingerprint,
  };
}

function readTree(out: string, pages: PageCounts, repair: boolean): FoundTree {
  const record = readBuildRecord(out);
  const manifest = readManifest(out);
  if (!repair && typeof record === 'object' && manifest !== undefined && digestOf(manifest) === record.manifest) {
    return { record, digests: parseManifest(manifest, pages) };
  }
  return { record: undefined, digests: digestFiles(out, pages) };
}

/** What the files of an unfinished tree really hold. */
function digestFiles(out: string, pages: PageCounts): TreeDigests {
  const digests = { data: new Digests(pages.data), account: new Digests(pages.account) };
  for (const collection of COLLECTIONS) {
    if (!existsSync(join(out, collectionFolder(collection)))) continue;
    for (let slot = 0; slot < slotCount(pages[collection]); slot += 1) {
      const path = join(out, pathOf(collection, slot, pages[collection]));
      if (existsSync(path)) digests[collection].set(slot, createHash('sha256').update(readFileSync(path)).digest());
    }
  }
  return digests;
}

function isSame(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return encodeBuildRecord(found) === encodeBuildRecord({ ...now, manifest: found.manifest });
}

/** Whether pages that show the same revision have the same bytes in both trees. */
function isRerenderNeedless(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return (
    found.palimpsest === now.palimpsest &&
    found.base_url === now.base_url &&
    found.page_size === now.page_size &&
    found.account_page_size === now.account_page_size
  );
}

function unchangedSummary(record: BuildRecord): BuildSummary {
  const files = slotCount(record.data_pages) + slotCount(record.account_pages);
  return { build: record, written: 0, unchanged: files, removed: 0, pulledForward: false };
}

async function renderAll(store: Store, options: BuildOptions, stage: string, before: TreeDigests, since: number): Promise<TreeDigests> {
  const pages = { data: before.data.pages, account: before.account.pages };
  const after = { data: new Digests(pages.data), account: new Digests(pages.account) };
  const { feed } = store.revision;
  const remaining = new Int32Array(new SharedArrayBuffer(8));
  // a feed of which nothing changed is not even walked
  if (feed > since) remaining[0] = pages.data;
  else for (let slot = 0; slot < slotCount(pages.data); slot += 1) after.data.copy(before.data, slot);
  remaining[1] = pages.account;
  const all = (remaining[0] ?? 0) + pages.account;
  const job: RenderJob = {
    store: store.path,
    revision: store.revision.number,
    site: options.site,
    since,
    stage,
    pages,
    before: { data: before.data.shared, account: before.account.shared },
    after: { data: after.data.shared, account: after.account.shared },
    remaining: remaining.buffer,
  };
  prepareStage(stage);
  const helper = all < WORTH_A_THREAD ? Promise.resolve() : renderInThread(job);
  helper.catch(() => {}); // awaited below
  try {
    render(job, store, 'first', () => options.onProgress?.(all - Math.max(0, remaining[0] ?? 0) - Math.max(0, remaining[1] ?? 0), all));
  } finally {
    // after a failure the other thread must not go on writing
    remaining.fill(0);
    await helper;
  }
  return after;
}

function renderInThread(job: RenderJob): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./render-worker.js', import.meta.url), { workerData: job });
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

async function exchange(
  out: string,
  stage: string,
  found: FoundTree,
  after: TreeDigests,
  now: Omit<BuildRecord, 'manifest'>,
): Promise<BuildSummary> {
  const before = found.digests;
  replaceFile(stage, join(out, BUILD_RECORD), (draft) =>
    writeFileSync(draft, encodeBuildRecord({ palimpsest: VERSION, state: 'unfinished' })),
  );
  promote(stage, out, before, after);
  const removed = await removeSurplus(out, after);
  const manifest = encodeManifest(after);
  const build = { ...now, manifest: manifest.digest };
  replaceFile(stage, join(out, MANIFEST), (draft) => writeFileSync(draft, manifest.text));
  replaceFile(stage, join(out, BUILD_RECORD), (draft) => writeFileSync(draft, encodeBuildRecord(build)));
  const { written, unchanged } = tally(before, after);
  const pulledForward = found.record !== undefined && (now.page_size > found.record.page_size || now.records < found.record.records);
  return { build, written, unchanged, removed, pulledForward };
}

function tally(before: TreeDigests, after: TreeDigests): { readonly written: number; readonly unchanged: number } {
  let [written, unchanged] = [0, 0];
  for (const collection of COLLECTIONS) {
    for (let slot = 0; slot < slotCount(after[collection].pages); slot += 1) {
      if (after[collection].agrees(before[collection], slot)) unchanged += 1;
      else written += 1;
    }
  }
  return { written, unchanged };
}
