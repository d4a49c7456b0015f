import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browse } from '../browse/parts.ts';
import type { Pauses } from '../contract/pauses.ts';
import type { Site } from '../contract/site.ts';
import type { Store } from '../store/store.ts';
import { BROWSE_FOLDER, type BrowseListing, linesOfFile, linesOfGroup, listBrowseFiles, UNKNOWN_PART } from './browse-lines.ts';
import { BrowseCounts, type BrowseJob, LINES, OBSOLETE, renderBrowse, UNREAD } from './browse-render.ts';
import { StagedBrowse } from './browse-stage.ts';
import { browseFilesIn } from './found-browse.ts';
import { inWorker } from './in-worker.ts';
import { MANIFEST } from './manifest.ts';

/** With fewer records and accounts, threads take longer to start than they save. */
const MIN_ITEMS_FOR_THREADS = 2000;
const THREADS = 2;
/** How often progress is reported, in milliseconds. */
const REPORT_EVERY = 100;

/** What is known of the browse files of a tree before a build. */
export interface PresentBrowse {
  /** The folder of the tree. */
  readonly out: string;
  /** Whether the manifest lists the files. If not, the files themselves are read. */
  readonly isListed: boolean;
  /** The store's revision that they show; -1 if it is unknown. */
  readonly since: number;
}

/**
 * Renders the browse files of a store on two threads, and stages those that differ from the tree.
 * @param site undefined if the new tree has no browse files: then all present ones are obsolete
 * @param pauses end the work of the threads
 * @param onProgress called with the number of parts that were rendered, and the number of all
 */
export async function stageBrowse(
  store: Store,
  site: Site | undefined,
  stage: string,
  present: PresentBrowse,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<StagedBrowse> {
  for (const folder of [LINES, OBSOLETE, BROWSE_FOLDER]) mkdirSync(join(stage, folder), { recursive: true });
  const counts = new BrowseCounts();
  const file = present.isListed ? join(present.out, MANIFEST) : join(stage, 'found-browse-files');
  if (!present.isListed) listFound(present.out, file);
  const listing = listBrowseFiles(linesOfFile(file));
  const parts = site === undefined ? [] : new Browse(store, site).parts;
  listSurplus(listing, new Set(parts.map(({ name }) => name)), stage, counts);
  if (site !== undefined) {
    const { number, records, accounts } = store.revision;
    const { since, out } = present;
    const job: BrowseJob = {
      store: store.path,
      revision: number,
      site,
      since,
      out,
      stage,
      before: { file, extents: listing.extents },
      counts: counts.shared,
    };
    const report = () => onProgress(Math.min(counts.taken, parts.length), parts.length);
    await renderOnThreads(job, records + accounts < MIN_ITEMS_FOR_THREADS ? 0 : THREADS, pauses, report);
    // if the store has changed meanwhile, the threads skipped all parts: only this connection still sees the old revision
    renderBrowse(job, store, report);
  }
  return new StagedBrowse(present.out, stage, parts.length, counts.totals);
}

async function renderOnThreads(job: BrowseJob, count: number, pauses: Pauses, report: () => void): Promise<void> {
  const counts = new BrowseCounts(job.counts);
  const clock = setInterval(report, REPORT_EVERY);
  const endOnStop = pauses.onStop(() => counts.stop());
  const threads = Array.from({ length: count }, () =>
    inWorker(new URL('./browse-worker.js', import.meta.url), job).catch((error: unknown) => {
      counts.stop();
      throw error;
    }),
  );
  try {
    // wait for both threads before using their staged files
    for (const outcome of await Promise.allSettled(threads)) if (outcome.status === 'rejected') throw outcome.reason;
  } finally {
    clearInterval(clock);
    endOnStop();
  }
  pauses.check();
}

/** Lists the browse files in the folder of a tree in the form of a manifest, but without digests. */
function listFound(out: string, file: string): void {
  writeFileSync(file, '');
  for (const { part, paths } of browseFilesIn(out)) {
    // files of others stay
    if (part !== UNKNOWN_PART) writeFileSync(file, paths.map((path) => `${UNREAD}  ${path}\n`).join(''), { flag: 'a' });
  }
}

/** Lists the files of parts that the new tree does not have as obsolete. */
function listSurplus(listing: BrowseListing, parts: ReadonlySet<string>, stage: string, counts: BrowseCounts): void {
  for (const [index, part] of [...listing.extents.keys()].filter((name) => !parts.has(name)).entries()) {
    const paths = Array.from(linesOfGroup(listing, part), ({ path }) => path);
    writeFileSync(join(stage, OBSOLETE, `surplus-${index}`), `${paths.join('\n')}\n`);
    counts.add(0, 0, paths.length);
  }
}
