import { type OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import { COLLECTIONS } from '../contract/pages/collection.ts';
import { toFailure } from '../store/database/store-error.ts';
import { BUILD_RECORD, type BuildRecord, buildRecordIn } from '../tree/build-record.ts';
import { noTree } from '../tree/existing-tree.ts';
import { pagesFolder } from '../tree/layout.ts';
import { MANIFEST, mostLines } from '../tree/manifest/manifest.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { BrowseCheck } from './browse-check.ts';
import { UNFINISHED, type VerifyPhase } from './cross-span-check.ts';
import { checkManifest, checkUnexpectedFiles, filesBelow } from './manifest-check.ts';
import { pageReader } from './pages/page-files.ts';
import { type CollectionMetadata, collectionMetadata } from './pages/tree-pages.ts';
import { SortKeysCheck } from './sort-keys-check.ts';
import { Report } from './violation.ts';
import { walkTree } from './walk-tree.ts';
import { checkZip, openToCheck } from './zip-check.ts';

export interface VerifyOptions {
  readonly out: string;
  /** The store to compare the tree with. */
  readonly store?: string | undefined;
  /** The number of threads that check the pages. Without it, no threads are started. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<VerifyPhase> | undefined;
}

/** The result of a check. The first violations, causes and notes are listed, and all violations and notes are counted. */
export interface VerifySummary extends Pick<Report, 'violations' | 'causes' | 'notes' | 'violationCount' | 'noteCount' | 'notesByRule'> {
  readonly build: BuildRecord | undefined;
  readonly records: number;
  readonly accounts: number;
}

/**
 * Checks a tree against the rules of the API and the layout. Walks both collections as a client would. Violations are
 * reported, not thrown. The use of memory does not grow with the tree.
 * @throws Failure no-tree if there is no tree; no-store, bad-store, stopped
 */
export async function verify(options: VerifyOptions): Promise<VerifySummary> {
  try {
    return await verifyTree(options);
  } catch (error) {
    throw options.store === undefined ? error : toFailure(options.store, error);
  }
}

async function verifyTree(options: VerifyOptions): Promise<VerifySummary> {
  const report = new Report();
  const files = openToCheck(options.out, report);
  try {
    const build = files && buildRecord(files, report);
    const isReadable = files !== undefined && build !== undefined;
    const { records, accounts } = isReadable ? await checkTree(files, build, report, options) : { records: 0, accounts: 0 };
    const { violations, causes, notes, violationCount, noteCount, notesByRule } = report;
    return { build, records, accounts, violations, causes, notes, violationCount, noteCount, notesByRule };
  } finally {
    files?.close();
  }
}

async function checkTree(
  files: TreeFiles,
  build: BuildRecord,
  report: Report,
  options: VerifyOptions,
): Promise<{ readonly records: number; readonly accounts: number }> {
  const { out, store, threads = 0, signal, onProgress = () => {} } = options;
  const pauses = new Pauses(signal, UNFINISHED);
  const manifest = await checkManifest(files, build, report, pauses, (done, all) => onProgress('manifest', done, all));
  const read = pageReader({ files, manifest });
  const sortKeys = () => new SortKeysCheck(files, build, report);
  const walk = await walkTree({ out, build, manifest, read, store, threads, sortKeys, onProgress }, report, pauses);
  let phase: VerifyPhase = 'browse';
  const browse = new BrowseCheck(files, build, manifest.listing, report, pauses, (done, count) => onProgress(phase, done, count));
  await browse.files();
  phase = 'render';
  if (store !== undefined) await browse.rendered(store);
  await checkZip(files, report, pauses, (done, all) => onProgress('index', done, all));
  await checkUnexpectedFiles(files, build, browse, report, pauses, (done, count) => onProgress('files', done, count));
  walk.endSortKeys();
  return walk;
}

/** A number of pages that {@link canHave} always accepts: so many may be missing from a small tree, each reported. */
const ALWAYS_ACCEPTED = 1000;

function buildRecord(files: TreeFiles, report: Report): BuildRecord | undefined {
  const record = buildRecordIn(files);
  if (record === 'none') throw noTree(files.out);
  if (typeof record === 'object' && COLLECTIONS.every((name) => canHave(files, collectionMetadata(record, name)))) return record;
  const states = {
    foreign: 'a file that palimpsest did not write',
    unfinished: 'an unfinished build, or a damaged file',
  };
  const found = typeof record === 'object' ? 'more pages than the tree and the manifest can have' : states[record];
  report.add({ rule: 'build-record', path: BUILD_RECORD, expected: 'a build.json of a finished build', found });
  return undefined;
}

/**
 * Whether a tree can have so many pages, by its manifest and its files. A build record with more pages is damaged, and checking
 * it would waste time and memory. The limit allows for the loss of half of the manifest and half of the pages.
 */
function canHave(files: TreeFiles, { collection, pages }: CollectionMetadata): boolean {
  const most = (known: number) => ALWAYS_ACCEPTED + 2 * known;
  return pages <= most(mostLines(files.size(MANIFEST) ?? 0)) || pages <= most(filesBelow(files, pagesFolder(collection)));
}
