import { statSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { parseBaseUrl } from '../contract/site.ts';
import { pagesFor } from '../pages/page.ts';
import { worded } from '../store/database.ts';
import { BUILD_RECORD, type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { MANIFEST } from '../tree/manifest.ts';
import { walkAccounts } from './accounts.ts';
import { StoreComparison } from './against-store.ts';
import { walkFeed } from './feed.ts';
import { checkManifest, checkStrays } from './files.ts';
import { Ledger, SeenNames } from './ledger.ts';
import { SortKeysCheck } from './sort-keys.ts';
import { examine } from './suspects.ts';
import { collectionWord } from './tree-pages.ts';
import { Report, type Violation } from './violation.ts';

export interface VerifyOptions {
  readonly out: string;
  /** The store to hold the tree against. */
  readonly store?: string | undefined;
  /** Called with the items looked at so far and those there are. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

export interface VerifySummary {
  readonly build: BuildRecord | undefined;
  readonly records: number;
  readonly accounts: number;
  /** The first of what was found; the counts say how many there are. */
  readonly violations: readonly Violation[];
  readonly notes: readonly Violation[];
  readonly violationCount: number;
  readonly noteCount: number;
  readonly notesByRule: Report['notesByRule'];
}

/**
 * Walks both collections of a tree as a client would and holds all that the interface and the layout
 * promise. What is wrong is reported, not thrown; memory does not grow with the tree.
 * @throws Failure no-tree where there is nothing to look at; no-store, bad-store
 */
export function verify(options: VerifyOptions): VerifySummary {
  try {
    return verifyTree(options);
  } catch (error) {
    throw options.store === undefined ? error : worded(options.store, error);
  }
}

function verifyTree(options: VerifyOptions): VerifySummary {
  const report = new Report();
  const build = buildRecord(options.out, report);
  let [records, accounts] = [0, 0];
  if (build !== undefined) {
    const tree = { out: options.out, build, manifest: checkManifest(options.out, build, report) };
    const comparison = options.store === undefined ? undefined : new StoreComparison(options.store, tree, report);
    const [feedLedger, accountLedger, names] = [new Ledger(), new Ledger(), new Set<string>()];
    const sortKeys = new SortKeysCheck(options.out, build, report);
    const all = build.records + build.accounts;
    for (const found of walkFeed(tree, feedLedger, report)) {
      comparison?.record(found);
      sortKeys.record(found.record.id);
      records += 1;
      options.onProgress?.(records, all);
    }
    for (const found of walkAccounts(tree, accountLedger, new SeenNames(), report)) {
      comparison?.account(found);
      sortKeys.account(found.account.screen_name, found.account.data.at(-1)?.id);
      if (found.maybeTwice) names.add(found.account.screen_name);
      accounts += 1;
      options.onProgress?.(records + accounts, all);
    }
    comparison?.end();
    const buckets = feedLedger.differences(accountLedger);
    if (buckets.length > 0 || names.size > 0) examine(tree, { buckets, names }, report);
    checkStrays(options.out, build, report);
    sortKeys.end();
  }
  const { violations, notes, violationCount, noteCount, notesByRule } = report;
  return { build, records, accounts, violations, notes, violationCount, noteCount, notesByRule };
}

/** More pages than this no tree has; what says so is damaged, and neither time nor memory is given to it. */
const MOST_PAGES = 10_000_000;
/** What a line of a manifest takes at the least, in bytes: a manifest bounds the pages that there can be. */
const SHORTEST_LINE = 80;

function buildRecord(out: string, report: Report): BuildRecord | undefined {
  const record = readBuildRecord(out);
  if (record === 'none') {
    throw new Failure('no-tree', `there is no finished tree in ${out}`, {
      place: { file: out },
      expected: 'a folder that palimpsest build made',
      found: 'no build.json',
      hint: 'run palimpsest build first, or name the folder with --out',
    });
  }
  if (typeof record === 'object' && isPlausible(record, mostPages(out))) return record;
  const words = { foreign: 'something else', unfinished: 'one that is unfinished or damaged: run palimpsest build again' };
  const found = typeof record === 'object' ? 'a base URL that is none, or numbers that do not fit together' : words[record];
  report.add({ rule: 'build-record', path: BUILD_RECORD, expected: 'the record of a finished build', found });
  return undefined;
}

/** A manifest may have lost lines, so half of what it should be is enough. */
function mostPages(out: string): number {
  const bytes = statSync(join(out, MANIFEST), { throwIfNoEntry: false })?.size ?? 0;
  return bytes === 0 ? MOST_PAGES : Math.min(MOST_PAGES, 1000 + (2 * bytes) / SHORTEST_LINE);
}

function isPlausible(record: BuildRecord, mostPages: number): boolean {
  if (!isBaseUrl(record.base_url)) return false;
  return COLLECTIONS.every((collection) => {
    const { items, pages, pageSize } = collectionWord(record, collection);
    return pageSize > 0 && pages <= mostPages && pages === pagesFor(items, pageSize);
  });
}

function isBaseUrl(text: string): boolean {
  try {
    return parseBaseUrl(text) === text;
  } catch {
    return false;
  }
}
