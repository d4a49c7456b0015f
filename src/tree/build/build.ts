import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type OnProgress, Pauses } from '../../contract/event-loop-pauses.ts';
import { Failure } from '../../contract/failure.ts';
import { PAGE_SIZE, type Site } from '../../contract/site.ts';
import type { About } from '../../contract/site-json.ts';
import { pagesFor } from '../../pages/pagination.ts';
import { toFailure } from '../../store/database/store-error.ts';
import { Store } from '../../store/store.ts';
import { VERSION } from '../../version.ts';
import { checkNames } from '../account-index-check.ts';
import { type BuildRecord, encodeBuildRecord, layoutOf } from '../build-record.ts';
import { compressors, type Encoding } from '../encoding.ts';
import { finishedTree, sortKeysIn } from '../existing-tree.ts';
import { listedFiles } from '../layout.ts';
import { piecesOf } from '../manifest/lines.ts';
import { movementBetween } from '../moved-items.ts';
import { rendererDigest } from '../renderer-digest.ts';
import { readSortKeys, SORT_KEYS, writeSortKeys } from '../sort-keys.ts';
import { folderFiles, formOf, openTreeFiles, type TreeFiles, UnreadableFile } from '../tree-files.ts';
import type { BrowseSources } from './browse-render.ts';
import { renderOnThreads } from './changed-pages.ts';
import { type ClaimedTree, claimFolder, claimZip, toOutputFailure } from './claim-output.ts';
import { browseSettings, haveSameBrowseSettings, type LastBuild, lastBuildIn } from './last-settings.ts';
import { refuseForeignBrowse } from './obstacles.ts';
import { listPresent } from './present-files.ts';
import { refuseLoss } from './refuse-loss.ts';
import { type Exchanged, type ExchangePhase, exchange } from './swap-files.ts';
import { exchangeZip } from './zip-exchange.ts';

/**
 * The phases of a build. `check` counts files that are read with `repair`, `render` counts pages, `browse` parts of the browse
 * files, `exchange` files.
 */
export type BuildPhase = 'check' | 'render' | 'browse' | ExchangePhase;

export interface BuildOptions {
  /** The tree's folder or ZIP. */
  readonly out: string;
  /** Its base URL, and the numbers of items on a page; undefined for those of the last build in `out`, or 100. */
  readonly site: Pick<Site, 'base_url'> & { readonly [Name in 'page_size' | 'account_page_size']?: number | undefined };
  /** The encodings in which to write compressed copies of each page; undefined for those of the last build in `out`. */
  readonly compress?: readonly Encoding[] | undefined;
  /** Whether to write browse files; undefined to do as the last build in `out`. */
  readonly html?: boolean | undefined;
  /** What the site says about itself; null for nothing, undefined to do as the last build in `out`. */
  readonly about?: About | null | undefined;
  /** Whether the HTML pages ask search engines not to list them; undefined to do as the last build in `out`. */
  readonly noindex?: boolean | undefined;
  /** Whether each account has an Atom feed; undefined to do as the last build in `out`. */
  readonly accountFeeds?: boolean | undefined;
  /** Whether to hash the files themselves instead of trusting the manifest. */
  readonly repair?: boolean | undefined;
  /** Whether to replace the tree of another store, and to remove more than half of the files with pages. */
  readonly replaceTree?: boolean | undefined;
  /** Whether to do everything except the exchange of files, so that the tree is unchanged. */
  readonly dryRun?: boolean | undefined;
  /** Stops the build as long as the tree is unchanged. Once files are exchanged, the build completes. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<BuildPhase> | undefined;
}

export interface BuildSummary extends Exchanged {
  /**
   * Whether readers may have missed items: records or accounts moved to an earlier page, past a reader who was following
   * `next` at that moment.
   */
  readonly readerGaps: boolean;
}

/**
 * Builds the tree of a store: writes the files whose bytes are new, leaves the others alone and removes obsolete
 * files. Readers see no new file until all of them are ready. While the files are exchanged, the build record is
 * `unfinished`.
 * @throws Failure no-store, bad-store, store-older, store-newer, not-ours, store-diverged, too-many-deletes, tree-busy, tree-edited, stopped,
 * file-system; usage for compressed copies in a ZIP, and for what only browse files show without them
 */
export async function build(storePath: string, options: BuildOptions): Promise<BuildSummary> {
  const { out, onProgress = () => {} } = options;
  const form = formOf(out);
  if (form === 'zip' && options.compress !== undefined && options.compress.length > 0) throw compressedTwice(out);
  const failed = new AbortController();
  const signal = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  const pauses = new Pauses(signal, `the tree in ${out} is unchanged`);
  const store = Store.open(storePath);
  try {
    const claimed = form === 'zip' ? claimZip(out) : claimFolder(out);
    const { stage, path } = claimed;
    const files = presentFiles(claimed);
    const running: Promise<unknown>[] = [];
    /** Lets work of threads run beside other work. It is awaited later, and may fail before that. */
    const beside = <T>(work: Promise<T>): Promise<T> => {
      work.catch(() => {});
      running.push(work);
      return work;
    };
    try {
      const began = statSync(stage).mtimeMs;
      const last = lastBuildIn(files);
      const { compress: encodings = last.compress, html = last.html } = options;
      const hasBrowse = last.html;
      const site = siteOf(store, options, last, html);
      if (form === 'folder' && html && !hasBrowse) refuseForeignBrowse(files);
      const found = options.repair ? undefined : finishedTree(files);
      const now = recordOf(store, site, encodings, html ? found : undefined);
      const layout = layoutOf(now);
      if (!options.replaceTree) refuseLoss(out, files, storePath, store, site, layout);
      if (found !== undefined && hasBrowse === html && isSame(found, now)) return unchangedSummary(found);
      const names = html ? beside(checkNames(store, pauses)) : undefined;
      const showCheck = (done: number, all: number) => onProgress('check', done, all);
      const before = await listPresent(files, found, layout, stage, pauses, showCheck);
      const since = found !== undefined && isRerenderNeedless(found, now) ? (store.revisionOf(found.store) ?? -1) : -1;
      const older = found === undefined ? undefined : sortKeysIn(files);
      const job = { stage, form, store: store.path, revision: store.revision.number, site, before };
      const showPages = (done: number, all: number) => onProgress('render', done, all);
      const { written: writtenPages, ranges } = await renderOnThreads(
        store,
        { ...job, since, layout },
        older?.ranges ?? [],
        pauses,
        showPages,
      );
      const shown = { found, since: hasBrowse && found !== undefined && haveSameBrowseSettings(found, site) ? since : -1 };
      // HTML pages that are made from records which no JSON page was made from
      if (html && shown.since < store.revision.feed && since >= store.revision.feed) store.checkRecords();
      const showParts = (done: number, all: number) => onProgress('browse', done, all);
      // its modules are loaded only here, because they are a third of all modules of a build
      const { stageBrowse } = html || hasBrowse ? await import('./browse-files.ts') : {};
      const staging = stageBrowse && beside(stageBrowse(store, job, names, shown, pauses, showParts));
      const staged = join(stage, SORT_KEYS);
      const { page_size: dataPageSize, account_page_size: accountPageSize } = site;
      const sortKeys = writeSortKeys(staged, { dataPageSize, accountPageSize, ranges, accounts: store.accountKeys() });
      const movement =
        older &&
        movementBetween(
          older,
          readSortKeys(() => piecesOf(staged)),
        );
      const readerGaps = movement !== undefined && movement.data.forward + movement.account.forward > 0;
      const browse = await staging;
      const prepared = {
        out: path,
        stage,
        began,
        writtenPages,
        sortKeys,
        browse,
        record: html ? { ...now, browse_files: browse?.files, ...browse?.sources } : now,
        hasOldVariants: found?.compress !== now.compress,
        isDryRun: options.dryRun === true,
        pauses,
        onProgress,
      };
      const exchanged = await (form === 'zip' ? exchangeZip(prepared, files.zip, found) : exchange(prepared));
      return { ...exchanged, readerGaps };
    } catch (error) {
      // the work of threads ends too
      failed.abort();
      throw toOutputFailure(out, toFailure(storePath, error));
    } finally {
      await Promise.allSettled(running);
      files.close();
      claimed.release();
    }
  } finally {
    store.close();
  }
}

function compressedTwice(out: string): Failure {
  return new Failure('usage', 'a ZIP has no compressed copies, because its members are compressed already', {
    place: { file: out, field: '--compress' },
    expected: '--compress none, or no --compress',
    hint: 'build without --compress, or into a folder',
  });
}

function siteOf(store: Store, options: BuildOptions, last: LastBuild, html: boolean): Site {
  const [incomplete, days] = [store.incompleteMirrors(), html ? store.snapshotDays() : []];
  const palimpsest = html ? VERSION : undefined;
  const { base_url, page_size = last.pageSize ?? PAGE_SIZE, account_page_size = last.accountPageSize ?? PAGE_SIZE } = options.site;
  const settings = browseSettings(options, last, html);
  const shown = { incomplete: incomplete.length === 0 ? undefined : incomplete, snapshot_days: days.length === 0 ? undefined : days };
  return { palimpsest, base_url, page_size, account_page_size, ...settings, ...shown };
}

/** Opens the present tree. If there is no ZIP, or its end is damaged, there are no files: those of a folder that does not exist. */
function presentFiles({ path, stage }: ClaimedTree): TreeFiles {
  try {
    return openTreeFiles(path);
  } catch (error) {
    if (error instanceof UnreadableFile) return folderFiles(join(stage, 'absent'));
    throw error;
  }
}

function recordOf(
  store: Store,
  site: Site,
  encodings: readonly Encoding[],
  { browse_files, browse_feed, browse_search }: Pick<BuildRecord, 'browse_files' | keyof BrowseSources> = {},
): Omit<BuildRecord, 'manifest'> {
  const { records, accounts, fingerprint } = store.revision;
  const { palimpsest: _, incomplete, snapshot_days, ...settings } = site;
  return {
    palimpsest: VERSION,
    renderer: rendererDigest(),
    state: 'finished',
    ...settings,
    records,
    accounts,
    data_pages: pagesFor(records, site.page_size),
    account_pages: pagesFor(accounts, site.account_page_size),
    ...identityCounts(store),
    compress: compressors(encodings),
    browse_files,
    browse_feed,
    browse_search,
    incomplete,
    snapshot_days,
    store: fingerprint,
  };
}

/** Returns the counts that are not 0. */
function identityCounts(store: Store): Pick<BuildRecord, 'stable_id_count' | 'former_handle_count'> {
  const { stable_id_count, former_handle_count } = store.accountReader().identityCounts();
  return { stable_id_count: stable_id_count || undefined, former_handle_count: former_handle_count || undefined };
}

function isSame(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return encodeBuildRecord(found) === encodeBuildRecord({ ...now, manifest: found.manifest });
}

/** Whether pages of the same revision have the same bytes in both trees. */
function isRerenderNeedless(found: BuildRecord, now: Omit<BuildRecord, 'manifest'>): boolean {
  return (['renderer', 'base_url', 'page_size', 'account_page_size', 'compress'] as const).every((name) => found[name] === now[name]);
}

function unchangedSummary(record: BuildRecord): BuildSummary {
  const unchanged = listedFiles(layoutOf(record), record);
  const nothing = { written: 0, removed: 0, removedCopies: 0, removedBrowseFiles: 0 };
  return { build: record, ...nothing, unchanged, readerGaps: false };
}
