import { rmSync } from 'node:fs';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { type IncompleteMirror, reportsIn } from '../contract/files/incomplete-mirror.ts';
import type { Collection, PerCollection } from '../contract/pages/collection.ts';
import { HttpClient, type HttpOptions } from '../http/http-client.ts';
import type { Lock } from '../store/database/lock-file.ts';
import { openStore } from '../store/database/open-store.ts';
import { Exclusions } from '../store/exclusions/exclusions.ts';
import { type ItemKey, MirrorState } from '../store/mirror-state.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { type Missing, missingOf, reportOf } from './completeness.ts';
import { fetchCurrentVersion, versionReader } from './fetch-current-version.ts';
import { type ImportedPages, type ImportPagesOptions, type ImportPagesPhase, importPages } from './import-pages.ts';
import { PageReader } from './page-reader.ts';
import { Run } from './read-pages.ts';
import { RetryingClient } from './retrying-client.ts';
import { isResumable, pageSizesOf, type RunState, startRun, summaryOf } from './run-state.ts';
import { pageAddress, redirectsWithin } from './service-page.ts';
import { changedPages, parseTree, readServiceTree, treeInVersion } from './service-tree.ts';
import { PageSpool } from './spool/page-spool.ts';
import { lockRun, spoolPath, versionFiles } from './spool/unfinished-runs.ts';

/** The phases of a run. It first reads the pages and then imports them. `version` counts bytes of a version of the site. */
export type MirrorPhase = 'version' | Collection | ImportPagesPhase;

export interface MirrorOptions extends Pick<ImportPagesOptions, 'onConflict' | 'onReject' | 'beforeCommit'> {
  readonly store: string;
  readonly baseUrl: string;
  readonly userAgent: string;
  /** Milliseconds between the starts of two requests. */
  readonly delay: number;
  readonly concurrency: number;
  /** Whether all pages are read. */
  readonly isFull: boolean;
  /**
   * How many items that the service no longer has a complete run may delete from the store: a number, or a share of the known items (in a
   * first run, of those that it found). By default 0.
   */
  readonly maxDelete: { readonly most: number } | { readonly share: number } | undefined;
  readonly signal: AbortSignal;
  /** Called with every exchange, with its bytes on the wire. */
  readonly record?: HttpOptions['record'];
  readonly onProgress?: OnProgress<MirrorPhase> | undefined;
  readonly onRetry?: ((reason: string, pause: number) => void) | undefined;
  readonly onSlow?: HttpOptions['onSlow'];
  /** The pause before the first retry of a request, and the time after which it fails. In milliseconds. */
  readonly firstPause?: number;
  readonly maxTime?: number;
}

export interface MirrorResult extends ImportedPages {
  /** Whether everything that the service has was read. */
  readonly isRead: boolean;
  /** Whether it was, no item was rejected, and the service says nothing else. */
  readonly isComplete: boolean;
  /** What the service says that it lacks, if it is a tree of an incomplete mirror and was read. */
  readonly inherited: readonly IncompleteMirror[];
  readonly missing: Missing;
  /** What is missing, as the store keeps it if the mirror is not complete; without rejected items. */
  readonly report: IncompleteMirror;
  /** Pages that could not be read, although the store lacks none of their items. */
  readonly unread: readonly { readonly url: string; readonly reason: string }[];
  /** Items that the service had, and that this run did not find. */
  readonly gone: PerCollection<readonly ItemKey[]>;
  /** Whether the run resumed an interrupted run. */
  readonly isResumed: boolean;
  /** Whether the service is a tree with a manifest, and its pages were compared with it. */
  readonly isTree: boolean;
  /** Pages that were read in this run, and those of them that had not changed. */
  readonly pages: { readonly read: number; readonly unchanged: number };
  /** The number of items on a full page; undefined if it is not known. */
  readonly pageSizes: PerCollection<number | undefined>;
  readonly requests: { readonly all: number; readonly retries: number };
  readonly bytes: number;
}

const FIRST_PAUSE = 1000;
/** The time without a byte after which a request fails, in milliseconds. */
const TIMEOUT = 60_000;

/**
 * Updates a store with the items of a service. The pages are kept beside the store, and are imported in one batch when
 * the run is done. An interrupted run resumes at the same page.
 * @throws Failure service-failed, bad-service, stopped, conflict, too-many-deletes, and those of stores
 */
export async function mirror(options: MirrorOptions): Promise<MirrorResult> {
  const path = spoolPath(options.store, options.baseUrl);
  // creates a missing store, so that a store that cannot be written is reported before the first request
  const database = openStore(options.store, 'write');
  let runLock: Lock | undefined;
  let spool: PageSpool | undefined;
  try {
    runLock = lockRun(options.store, path);
    const memory = new MirrorState(database, options.baseUrl);
    spool = openSpool(path, memory, options.isFull);
    return await runWith(options, memory, spool, new Exclusions(database));
  } catch (error) {
    if (spool?.pageCount === 0) spool.remove();
    throw error;
  } finally {
    spool?.close();
    runLock?.release();
    database.close();
  }
}

async function runWith(options: MirrorOptions, memory: MirrorState, spool: PageSpool, exclusions: Exclusions): Promise<MirrorResult> {
  const { baseUrl, signal } = options;
  const { concurrency: connections, delay, maxTime, record, onSlow } = options;
  const headers = { Accept: 'application/json', 'Accept-Encoding': 'gzip', 'User-Agent': options.userAgent };
  const redirect = redirectsWithin(baseUrl);
  const http = new HttpClient({ headers, connections, timeout: TIMEOUT, maxTime, delay, record, onSlow, redirect });
  const client = new RetryingClient(http, { firstPause: options.firstPause ?? FIRST_PAUSE, signal, onRetry: options.onRetry });
  let version: VerifiedTree | undefined;
  try {
    const earlier = spool.state;
    // only a run that reads all pages is worth a whole version, and a WARC has the exchanges of all pages
    const isWhole = earlier === undefined && (options.isFull || memory.summary === undefined) && options.record === undefined;
    version = isWhole
      ? await fetchCurrentVersion(client, baseUrl, spool.path, (done, all) => options.onProgress?.('version', done, all))
      : undefined;
    const state = earlier ?? (await newRunState(options, memory, spool, client, version));
    const reader =
      version === undefined ? new PageReader(client, baseUrl, spool, memory, exclusions) : versionReader(version, options, exclusions);
    const run = new Run(state, spool, reader, options);
    await (earlier === undefined ? run.toEnd() : run.resume());
    const gone = run.gone();
    const { isComplete: isRead, missing } = missingOf(run.state, gone, baseUrl);
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    const report = reportOf(missing, run.state, { base_url: baseUrl, finished_at: time, request_count: http.requests });
    const inherited = isRead ? reportsIn(spool.tree?.build ?? '') : [];
    const imported = await importPages(options.store, spool, {
      ...options,
      mayDelete: isRead ? limitOf(options.maxDelete, run.state) : undefined,
      gone,
      time,
      isAllRead: isRead && (run.state.isFull || run.state.after === null),
      incomplete: (rejected) => (isRead && rejected === 0 ? inherited[0] : { ...report, rejected: rejected || undefined }),
      summary: summaryOf(run.state, isRead ? spool.tree : undefined),
    });
    const { unread } = run.state.plan;
    const result = {
      ...imported,
      ...{ isRead, isComplete: isRead && inherited.length === 0 && imported.rejectedInAll === 0, inherited },
      missing,
      report,
      unread: isRead ? unread.map(({ collection, number, reason }) => ({ url: pageAddress(baseUrl, collection, number), reason })) : [],
      gone,
      isResumed: earlier !== undefined,
      isTree: spool.tree !== undefined,
      pages: run.state.pages,
      pageSizes: pageSizesOf(run.state),
      requests: { all: http.requests, retries: client.retries },
      bytes: http.received,
    };
    spool.remove();
    for (const path of versionFiles(spool.path)) rmSync(path);
    return result;
  } finally {
    version?.files.close();
    http.close();
  }
}

/** Returns the state of a new run. If the service is a tree, reads its manifest, unless a version of it was fetched. */
async function newRunState(
  options: MirrorOptions,
  memory: MirrorState,
  spool: PageSpool,
  client: RetryingClient,
  version: VerifiedTree | undefined,
): Promise<RunState> {
  const { baseUrl, isFull } = options;
  const { summary } = memory;
  const saved = summary?.build && summary.manifest ? { build: summary.build, manifest: summary.manifest } : undefined;
  const tree = version === undefined ? await readServiceTree(client, baseUrl, saved) : treeInVersion(version);
  const changed = changedPages(isFull ? undefined : saved && parseTree(saved), tree);
  const state = startRun(memory, { isFull, isVersion: version !== undefined, changed });
  spool.transaction(() => {
    spool.setTree(tree);
    spool.setState(state);
  });
  return state;
}

/** Opens the spool of an interrupted run, or a new one if it cannot be resumed. */
function openSpool(path: string, memory: MirrorState, isFull: boolean): PageSpool {
  const spool = new PageSpool(path, memory);
  if (isResumable(spool.state, memory.summary?.run ?? null, isFull)) return spool;
  spool.remove();
  return new PageSpool(path, memory);
}

function limitOf(limit: MirrorOptions['maxDelete'], { data, account }: RunState): number | undefined {
  if (limit === undefined) return undefined;
  if ('most' in limit) return limit.most;
  // in a first run, no items are known: the gone ones come from the export that the store was made from
  return Math.floor(limit.share * (data.known + account.known || data.fresh + account.fresh));
}
