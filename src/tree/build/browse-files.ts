import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browse } from '../../browse/browse.ts';
import type { Pauses } from '../../contract/event-loop-pauses.ts';
import type { Store } from '../../store/store.ts';
import { onThreads } from '../../threads/thread-pool.ts';
import { MIN_ITEMS_FOR_THREADS } from '../account-index-check.ts';
import type { BuildRecord } from '../build-record.ts';
import { BROWSE_FOLDER, browseGroups, type Listing, linesOfGroup } from '../manifest/listing.ts';
import { type BrowseJob, type BrowseSources, feedSource, type PartCounts, PartRenderer, renderedStateOf } from './browse-render.ts';
import { fileOfPart, OBSOLETE, type PartJob } from './staged-part.ts';

const THREADS = 2;

export interface StagedBrowse extends PartCounts {
  /** The names of the parts, in the order of the manifest. */
  readonly parts: readonly string[];
  /** Undefined if the new tree has no browse files. */
  readonly sources: BrowseSources | undefined;
  /** Whether all were rendered, not only what changed. Then an interrupted build may have left empty folders. */
  readonly isWhole: boolean;
}

/** What the browse files of a tree show before a build. */
interface Shown {
  /** The record of the tree if it is finished. */
  readonly found: BuildRecord | undefined;
  /** The revision of the store that they show; -1 if it is unknown. */
  readonly since: number;
}

/**
 * Renders the browse files of a store on two threads, and stages those that differ from the tree.
 * @param names the digest of the names in the store, when they are checked; undefined if the new tree has no browse files: all present
 * ones are obsolete
 * @param pauses end the work of the threads
 * @param onProgress called with the number of parts that were rendered, and the number of all
 * @throws Failure bad-store, stopped
 */
export async function stageBrowse(
  store: Store,
  job: PartJob,
  names: Promise<string> | undefined,
  { found, since }: Shown,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<StagedBrowse> {
  const { stage, before, site } = job;
  for (const folder of [OBSOLETE, BROWSE_FOLDER]) mkdirSync(join(stage, folder), { recursive: true });
  const parts = names ? new Browse(store, site).parts.map(({ name }) => name) : [];
  const totals = { files: 0, written: 0, obsolete: listSurplus(before, parts, stage) };
  let sources: BrowseSources | undefined;
  if (names !== undefined) {
    const { records, accounts } = store.revision;
    const browse_search = await names;
    const data: BrowseJob = { ...job, rendered: renderedStateOf(found, since, store, browse_search) };
    let [done, renderer]: [number, PartRenderer | undefined] = [0, undefined];
    // the last parts take longest: begun first, none of them runs alone at the end
    const requests = [...parts.keys()].toReversed();
    await onThreads(
      {
        requests,
        module: new URL('./browse-worker.js', import.meta.url),
        data,
        threads: records + accounts < MIN_ITEMS_FOR_THREADS ? 0 : THREADS,
        here: (part: number) => {
          renderer ??= new PartRenderer(data, store);
          return renderer.render(part);
        },
        onAnswer: ({ files, written, obsolete }) => {
          totals.files += files;
          totals.written += written;
          totals.obsolete += obsolete;
          done += 1;
          onProgress(done, requests.length);
        },
      },
      pauses,
    );
    sources = { browse_feed: feedSource(store), browse_search };
  }
  return { parts, ...totals, sources, isWhole: since === -1 };
}

/** Lists the files of parts that the new tree does not have as obsolete. Returns their number. */
function listSurplus(before: Listing, parts: readonly string[], stage: string): number {
  let obsolete = 0;
  for (const part of browseGroups(before).filter((name) => !parts.includes(name))) {
    const paths = Array.from(linesOfGroup(before, part), ({ path }) => path);
    writeFileSync(join(stage, OBSOLETE, fileOfPart(part)), `${paths.join('\n')}\n`);
    obsolete += paths.length;
  }
  return obsolete;
}
