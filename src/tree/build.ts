import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../contract/site.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import { Store } from '../store/store.ts';
import { toFailure } from '../store/store-error.ts';
import { VERSION } from '../version.ts';
import { type BuildRecord, encodeBuildRecord } from './build-record.ts';
import { compressors } from './compression.ts';
import { type Encoding, encodingsIn } from './encoding.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { digestFiles, finishedTree, sortKeysIn } from './existing-tree.ts';
import { claimFolder, fileSystemFailure } from './folder.ts';
import { slotCount } from './layout.ts';
import { piecesOf } from './lines.ts';
import { readManifest } from './manifest.ts';
import { movementBetween } from './movement.ts';
import { renderOnThreads } from './render-on-threads.ts';
import { readSortKeys, SORT_KEYS, type SortKeys, writeSortKeys } from './sort-keys.ts';

export interface BuildOptions {
  /** The tree's folder. */
  readonly out: string;
  readonly site: Site;
  /** The encodings in which to write compressed copies of each page. */
  readonly compress?: readonly Encoding[] | undefined;
  /** Whether to hash the files themselves instead of trusting the manifest. */
  readonly repair?: boolean | undefined;
  /** Called with the number of pages done so far and the number of all pages to do. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

export interface BuildSummary extends Exchanged {
  /**
   * Whether records or accounts moved to an earlier page. A reader who was following `next` at that moment may have
   * missed some of them.
   */
  readonly pulledForward: boolean;
}

/**
 * Builds the tree of a store: writes the files whose bytes are new, leaves the others alone and removes obsolete
 * files. Readers see no new file until all of them are ready. While the files are exchanged, the build record is
 * `unfinished`.
 * @throws Failure no-store, bad-store, store-newer, not-ours, tree-busy, file-system
 */
export async function build(storePath: string, options: BuildOptions): Promise<BuildSummary> {
  const { out, site, compress: encodings = [] } = options;
  const store = Store.open(storePath);
  try {
    const folder = claimFolder(out);
    try {
      const began = statSync(folder.stage).mtimeMs;
      const now = recordOf(store, site, encodings);
      const pages = { data: now.data_pages, account: now.account_pages };
      const found = options.repair ? undefined : finishedTree(out);
      if (found !== undefined && isSame(found, now)) return unchangedSummary(found);
      const before = found === undefined ? digestFiles(out, pages, encodings) : readManifest(out, pages, encodings);
      const since = found !== undefined && isRerenderNeedless(found, now) ? (store.revisionOf(found.store) ?? -1) : -1;
      const trusted = found?.compress === now.compress;
      const older = found === undefined ? undefined : sortKeysIn(out);
      const { after, ranges } = await renderOnThreads(
        store,
        site,
        folder.stage,
        before,
        since,
        trusted,
        older?.ranges ?? [],
        options.onProgress ?? (() => {}),
      );
      const staged = join(folder.stage, SORT_KEYS);
      const { page_size: dataPageSize, account_page_size: accountPageSize } = site;
      const sortKeys = writeSortKeys(staged, { dataPageSize, accountPageSize, ranges, accounts: store.accountKeys() });
      const pulledForward =
        older !== undefined &&
        isPulledForward(
          older,
          readSortKeys(() => piecesOf(staged)),
        );
      const { stage } = folder;
      const exchanged = await exchange({ out, stage, began, before, after, sortKeys, record: now, hasOldVariants: !trusted });
      return { ...exchanged, pulledForward };
    } catch (error) {
      throw fileSystemFailure(out, toFailure(storePath, error));
    } finally {
      folder.release();
    }
  } finally {
    store.close();
  }
}

function recordOf(store: Store, site: Site, encodings: readonly Encoding[]): Omit<BuildRecord, 'manifest'> {
  const { records, accounts, fingerprint } = store.revision;
  return {
    palimpsest: VERSION,
    state: 'finished',
    base_url: site.base_url,
    page_size: site.page_size,
    account_page_size: site.account_page_size,
    records,
    accounts,
    data_pages: feedPages(store, site).count,
    account_pages: accountPages(store, site).count,
    compress: compressors(encodings),
    store: fingerprint,
  };
}

function isSame(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return encodeBuildRecord(found) === encodeBuildRecord({ ...now, manifest: found.manifest });
}

/** Whether pages of the same revision have the same bytes in both trees. */
function isRerenderNeedless(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return (
    found.palimpsest === now.palimpsest &&
    found.base_url === now.base_url &&
    found.page_size === now.page_size &&
    found.account_page_size === now.account_page_size &&
    found.compress === now.compress
  );
}

function unchangedSummary(record: BuildRecord): BuildSummary {
  const encodings = encodingsIn(record.compress);
  const files = slotCount(record.data_pages, encodings) + slotCount(record.account_pages, encodings);
  return { build: record, written: 0, unchanged: files, removed: 0, pulledForward: false };
}

/** Whether any item moved to an earlier page. */
function isPulledForward(older: SortKeys, newer: SortKeys): boolean {
  const { data, account } = movementBetween(older, newer);
  return data.forward + account.forward > 0;
}
