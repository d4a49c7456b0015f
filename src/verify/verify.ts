import { statSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import { toFailure } from '../store/store-error.ts';
import { BUILD_RECORD, type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { noTree } from '../tree/existing-tree.ts';
import { pagesFolder } from '../tree/layout.ts';
import { MANIFEST, mostLines } from '../tree/manifest.ts';
import { walkAccounts } from './accounts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { BrowseCheck } from './browse.ts';
import { noDamages } from './damaged-pages.ts';
import { walkFeed } from './feed.ts';
import { checkManifest, checkUnexpectedFiles, entriesIn } from './files.ts';
import { MultisetHash } from './multiset-hash.ts';
import { Predecessors } from './predecessors.ts';
import { secondPass } from './second-pass.ts';
import { SortKeysCheck } from './sort-keys.ts';
import { StoreComparison } from './store-comparison.ts';
import { collectionMetadata } from './tree-pages.ts';
import { type Cause, Report, type ReportedViolation, type Violation } from './violation.ts';

/**
 * The phases of a check. `manifest` counts lines, `walk` and `again` records and accounts, `browse`, `render` and `files` files.
 * The second walk is needed only if the first one left questions open.
 */
export type VerifyPhase = 'manifest' | 'walk' | 'again' | 'browse' | 'render' | 'files';

export interface VerifyOptions {
  readonly out: string;
  /** The store to compare the tree with. */
  readonly store?: string | undefined;
  /** Stops the check. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<VerifyPhase> | undefined;
}

export interface VerifySummary {
  readonly build: BuildRecord | undefined;
  readonly records: number;
  readonly accounts: number;
  /** The first violations. `violationCount` is the number of all of them. */
  readonly violations: readonly ReportedViolation[];
  /** The first files that explain violations: those with the most direct evidence of damage. */
  readonly causes: readonly Cause[];
  readonly notes: readonly Violation[];
  readonly violationCount: number;
  readonly noteCount: number;
  readonly notesByRule: Report['notesByRule'];
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
  const build = buildRecord(options.out, report);
  const { records, accounts } = build === undefined ? { records: 0, accounts: 0 } : await checkTree(build, report, options);
  const { violations, causes, notes, violationCount, noteCount, notesByRule } = report;
  return { build, records, accounts, violations, causes, notes, violationCount, noteCount, notesByRule };
}

async function checkTree(
  build: BuildRecord,
  report: Report,
  { out, store, signal, onProgress = () => {} }: VerifyOptions,
): Promise<{ readonly records: number; readonly accounts: number }> {
  const pauses = new Pauses(signal, 'the tree was not checked to its end, and nothing was changed');
  const manifest = await checkManifest(out, build, report, pauses, (done, all) => onProgress('manifest', done, all));
  const tree = { out, build, manifest, digestCause: report.isCause(MANIFEST) ? MANIFEST : undefined };
  const damaged = noDamages();
  const comparison = store === undefined ? undefined : new StoreComparison(store, tree, damaged, report);
  const [feedHash, accountHash, names] = [new MultisetHash(), new MultisetHash(), new Set<string>()];
  const predecessors = new Predecessors();
  const sortKeys = new SortKeysCheck(out, build, report);
  const all = build.records + build.accounts;
  let [records, accounts] = [0, 0];
  try {
    for (const found of walkFeed(tree, feedHash, damaged.feed, report)) {
      comparison?.record(found);
      predecessors.addId(found.record.id);
      sortKeys.record(found.record.id);
      records += 1;
      if (!pauses.areDue) continue;
      onProgress('walk', records, all);
      await pauses.take();
    }
    for (const found of walkAccounts(tree, accountHash, new BloomFilter(), predecessors, damaged.accounts, report)) {
      comparison?.account(found);
      sortKeys.account(found.account.screen_name, found.account.data.at(-1)?.id);
      if (found.maybeTwice) names.add(found.account.screen_name);
      accounts += 1;
      if (!pauses.areDue) continue;
      onProgress('walk', records + accounts, all);
      await pauses.take();
    }
    comparison?.end();
  } finally {
    comparison?.close();
  }
  const buckets = feedHash.differences(accountHash);
  if (buckets.length > 0 || names.size > 0 || !predecessors.isEmpty) {
    const step = (done: number) => onProgress('again', done, all);
    await secondPass(tree, { buckets, names, predecessors, damaged }, report, pauses, step);
  }
  let phase: VerifyPhase = 'browse';
  const browse = new BrowseCheck(out, build, report, pauses, (done, count) => onProgress(phase, done, count));
  await browse.files();
  phase = 'render';
  if (store !== undefined) await browse.rendered(store);
  browse.unexpected();
  await checkUnexpectedFiles(out, build, report, pauses, (done, count) => onProgress('files', done, count));
  sortKeys.end();
  return { records, accounts };
}

/** A number of pages that {@link mostPages} always accepts: so many may be missing from a small tree, each reported. */
const ALWAYS_ACCEPTED = 1000;

function buildRecord(out: string, report: Report): BuildRecord | undefined {
  const record = readBuildRecord(out);
  if (record === 'none') throw noTree(out);
  if (typeof record === 'object' && COLLECTIONS.every((name) => collectionMetadata(record, name).pages <= mostPages(out, name)))
    return record;
  const states = {
    foreign: 'a file that palimpsest did not write',
    unfinished: 'an unfinished build, or a damaged file',
  };
  const found = typeof record === 'object' ? 'more pages than the folder and the manifest can have' : states[record];
  report.add({ rule: 'build-record', path: BUILD_RECORD, expected: 'a build.json of a finished build', found });
  return undefined;
}

/**
 * Returns an upper limit for the number of pages of a collection, from the manifest and the page folders. A build record
 * with more pages is damaged, and checking it would waste time and memory. The limit allows for the loss of half of the
 * manifest and half of the pages.
 */
function mostPages(out: string, collection: Collection): number {
  const lines = mostLines(statSync(join(out, MANIFEST), { throwIfNoEntry: false })?.size ?? 0);
  return ALWAYS_ACCEPTED + 2 * Math.max(lines, entriesIn(join(out, pagesFolder(collection))));
}
