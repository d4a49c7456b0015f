import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra/esm';
import { Browse } from '../../browse/browse.ts';
import { partOf } from '../../browse/parts.ts';
import { HOME } from '../../browse/paths.ts';
import { writeFully } from '../../contract/files/file-bytes.ts';
import type { Pauses } from '../../contract/pauses.ts';
import type { Site } from '../../contract/site.ts';
import type { Store } from '../../store/store.ts';
import { onThreads } from '../../threads/thread-pool.ts';
import type { BuildRecord } from '../build-record.ts';
import { BROWSE_FOLDER, type BrowseListing, linesOfFile, linesOfGroup, listBrowseFiles } from '../manifest/browse-lines.ts';
import { digestOf, MANIFEST } from '../manifest/manifest.ts';
import type { TreeFiles } from '../tree-files.ts';
import { type BrowseJob, type BrowseSources, feedSource, LINES, OBSOLETE, PartRenderer, renderedStateOf } from './browse-render.ts';
import { StagedBrowse } from './browse-stage.ts';
import type { Stage } from './staged-files.ts';

/** With fewer records and accounts, threads take longer to start than they save. */
const MIN_ITEMS_FOR_THREADS = 2000;
const THREADS = 2;
/** The digest of no file. */
const NO_DIGEST = '0'.repeat(64);

/** The tree before a build. */
interface PresentTree {
  readonly files: TreeFiles;
  /** Its record if it is finished. If not, the files themselves are read, because the manifest may not list them. */
  readonly found: BuildRecord | undefined;
  /** The revision that its browse files show; -1 if it is unknown. */
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
  { stage, form }: Stage,
  { files, found, since }: PresentTree,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<StagedBrowse> {
  for (const folder of [LINES, OBSOLETE, BROWSE_FOLDER]) ensureDirSync(join(stage, folder));
  const { out } = files;
  const file = found !== undefined && files.form === 'folder' ? join(out, MANIFEST) : join(stage, 'found-browse-files');
  if (found === undefined) await listFound(files, file, pauses);
  else if (files.form === 'zip') writeFileSync(file, files.read(MANIFEST));
  const listing = listBrowseFiles(linesOfFile(file));
  const parts = site === undefined ? [] : new Browse(store, site).parts;
  const totals = { files: 0, written: 0, obsolete: listSurplus(listing, new Set(parts.map(({ name }) => name)), stage) };
  let sources: BrowseSources | undefined;
  if (site !== undefined) {
    const { number, records, accounts } = store.revision;
    const before = { file, extents: listing.extents };
    const shown = { rendered: renderedStateOf(found, since, store), search: since === -1 ? undefined : found?.browse_search };
    const data: BrowseJob = { store: store.path, revision: number, site, ...shown, stage, form, before };
    let [done, search, renderer]: [number, string, PartRenderer | undefined] = [0, '', undefined];
    await onThreads(
      {
        // the last parts take longest: begun first, none of them runs alone at the end
        requests: [...parts.keys()].toReversed(),
        module: new URL('./browse-worker.js', import.meta.url),
        data,
        threads: records + accounts < MIN_ITEMS_FOR_THREADS ? 0 : THREADS,
        here: (index: number) => {
          renderer ??= new PartRenderer(data, store);
          return renderer.render(index);
        },
        onAnswer: ({ files, written, obsolete, source }) => {
          totals.files += files;
          totals.written += written;
          totals.obsolete += obsolete;
          search = source ?? search;
          done += 1;
          onProgress(done, parts.length);
        },
      },
      pauses,
    );
    sources = { browse_feed: feedSource(store), browse_search: search };
  }
  return new StagedBrowse(out, stage, parts.length, totals, sources);
}

/** Lists the browse files of a tree in the form of a manifest. Files of others stay. */
async function listFound(files: TreeFiles, file: string, pauses: Pauses): Promise<void> {
  const listed = openSync(file, 'w');
  const list = async (path: string) => {
    if (partOf(path) === undefined) return;
    // a file that cannot be read is written again
    writeFully(listed, Buffer.from(`${digestOf(files.pieces(path)) ?? NO_DIGEST}  ${path}\n`));
    if (pauses.areDue) await pauses.take();
  };
  try {
    if (files.size(HOME) !== undefined) await list(HOME);
    for (const path of files.paths(BROWSE_FOLDER)) await list(path);
  } finally {
    closeSync(listed);
  }
}

/** Lists the files of parts that the new tree does not have as obsolete. Returns their number. */
function listSurplus(listing: BrowseListing, parts: ReadonlySet<string>, stage: string): number {
  let obsolete = 0;
  for (const [index, part] of [...listing.extents.keys()].filter((name) => !parts.has(name)).entries()) {
    const paths = Array.from(linesOfGroup(listing, part), ({ path }) => path);
    writeFileSync(join(stage, OBSOLETE, `surplus-${index}`), `${paths.join('\n')}\n`);
    obsolete += paths.length;
  }
  return obsolete;
}
