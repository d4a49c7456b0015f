import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra/esm';
import { Browse } from '../../browse/browse.ts';
import { Failure } from '../../contract/failure.ts';
import type { Pauses } from '../../contract/pauses.ts';
import type { Store } from '../../store/store.ts';
import { onThreads } from '../../threads/thread-pool.ts';
import type { BuildRecord } from '../build-record.ts';
import { BROWSE_FOLDER, browseGroups, type Listing, linesOfGroup } from '../manifest/listing.ts';
import {
  type BrowseJob,
  type BrowseRequest,
  type BrowseSources,
  feedSource,
  type PartCounts,
  PartRenderer,
  renderedStateOf,
} from './browse-render.ts';
import { fileOfPart, OBSOLETE, type PartJob } from './staged-part.ts';

/** With fewer records and accounts, threads take longer to start than they save. */
const MIN_ITEMS_FOR_THREADS = 2000;
const THREADS = 2;

/** The staged browse files of a build. */
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
 * Renders the browse files of a store on two threads, and stages those that differ from the tree. Checks meanwhile that the accounts match
 * their indexes, so staged files may be wrong until it returns.
 * @param html whether the new tree has browse files. If not, all present ones are obsolete
 * @param pauses end the work of the threads
 * @param onProgress called with the number of parts that were rendered or checked, and the number of all
 * @throws Failure bad-store, stopped
 */
export async function stageBrowse(
  store: Store,
  job: PartJob,
  html: boolean,
  { found, since }: Shown,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<StagedBrowse> {
  const { stage, before, site } = job;
  for (const folder of [OBSOLETE, BROWSE_FOLDER]) ensureDirSync(join(stage, folder));
  const parts = html ? new Browse(store, site).parts.map(({ name }) => name) : [];
  const totals = { files: 0, written: 0, obsolete: listSurplus(before, parts, stage) };
  let sources: BrowseSources | undefined;
  if (html) {
    const { records, accounts } = store.revision;
    const search = since === -1 ? undefined : found?.browse_search;
    const data: BrowseJob = { ...job, rendered: renderedStateOf(found, since, store), search };
    let [done, newSearch, renderer]: [number, string, PartRenderer | undefined] = [0, '', undefined];
    // the last parts take longest: begun first, none of them runs alone at the end
    const requests: readonly BrowseRequest[] = ['check-names', ...[...parts.keys()].toReversed()];
    await onThreads(
      {
        requests,
        module: new URL('./browse-worker.js', import.meta.url),
        data,
        threads: records + accounts < MIN_ITEMS_FOR_THREADS ? 0 : THREADS,
        here: (request: BrowseRequest) => {
          renderer ??= new PartRenderer(data, store);
          return renderer.answer(request);
        },
        onAnswer: ({ files, written, obsolete, source }) => {
          totals.files += files;
          totals.written += written;
          totals.obsolete += obsolete;
          newSearch = source ?? newSearch;
          done += 1;
          onProgress(done, requests.length);
        },
      },
      pauses,
    ).catch((error: unknown) => {
      // the error of a thread does not name the index that is damaged; this check does
      if (!(error instanceof Failure)) store.checkNames();
      throw error;
    });
    sources = { browse_feed: feedSource(store), browse_search: newSearch };
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
