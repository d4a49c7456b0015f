import { isBaseUrl } from '../contract/base-url.ts';
import { incompleteMirrors } from '../contract/files/incomplete-mirror.ts';
import { encodeJson, isObject } from '../contract/json.ts';
import { count, oneOf, orNothing, parseShape, type Rule, rule, type Shape, text, Violation } from '../contract/json-shape.ts';
import type { BrowseSettings, Site } from '../contract/site.ts';
import { aboutOrNothing } from '../contract/site-json.ts';
import { snapshotDays } from '../contract/snapshots/snapshot-days.ts';
import { pagesFor } from '../pages/pagination.ts';
import { encodingsIn } from './encoding.ts';
import type { Layout } from './layout.ts';
import { openTreeFiles, type TreeFiles, UnreadableFile } from './tree-files.ts';

/** The file that describes what a tree was built from. It is written last, so a finished record means a finished tree. */
export const BUILD_RECORD = 'build.json';

export interface BuildRecord extends Site {
  /** The release of palimpsest that built the tree. */
  readonly palimpsest: string;
  /** A digest of the code that rendered the pages. */
  readonly renderer: string;
  readonly state: 'finished';
  readonly records: number;
  readonly accounts: number;
  readonly data_pages: number;
  readonly account_pages: number;
  /** How many stable ids and former handles the store has, which the pages lack; undefined if none. */
  readonly stable_id_count?: number | undefined;
  readonly former_handle_count?: number | undefined;
  /** The compressors of the compressed copies, such as `gzip/1.3.1 brotli/1.1.0`; '' if there are no copies. */
  readonly compress: string;
  /** The number of browse files; undefined if the tree was built without them. */
  readonly browse_files?: number | undefined;
  /** The SHA-256 of the records and former handles on pages of changes, and of the names in lists and in the search; undefined without browse files. */
  readonly browse_feed?: string | undefined;
  readonly browse_search?: string | undefined;
  /** Fingerprint of the store's contents. */
  readonly store: string;
  /** SHA-256 of the manifest. */
  readonly manifest: string;
}

/** The content of `build.json` while files are being exchanged: what the tree will have, and from which store. */
export interface UnfinishedRecord
  extends BrowseSettings,
    Pick<BuildRecord, 'palimpsest' | 'base_url' | 'page_size' | 'account_page_size' | 'browse_files' | 'store'> {
  readonly state: 'unfinished';
  /** The compressors that the build uses; undefined if it writes no compressed copies. */
  readonly compress?: string | undefined;
}

const finished: Rule<'finished'> = oneOf('finished');
const trueOrNothing: Rule<true | undefined> = orNothing(rule('true', (value) => value === true));

const SHAPE: Shape<BuildRecord> = {
  palimpsest: text,
  renderer: text,
  state: finished,
  base_url: text,
  page_size: count,
  account_page_size: count,
  about: aboutOrNothing,
  noindex: trueOrNothing,
  account_feeds: trueOrNothing,
  records: count,
  accounts: count,
  data_pages: count,
  account_pages: count,
  stable_id_count: orNothing(count),
  former_handle_count: orNothing(count),
  compress: text,
  browse_files: orNothing(count),
  browse_feed: orNothing(text),
  browse_search: orNothing(text),
  incomplete: incompleteMirrors,
  snapshot_days: snapshotDays,
  store: text,
  manifest: text,
};

export function encodeBuildRecord(record: BuildRecord | UnfinishedRecord): string {
  return `${encodeJson(record)}\n`;
}

/**
 * Reads the build record of a tree in a folder or a ZIP.
 * @returns `none` if the file cannot be read, `foreign` if palimpsest did not write it, `unfinished` if the build is
 *   unfinished or the record damaged
 */
export function readBuildRecord(out: string): BuildRecord | 'unfinished' | 'none' | 'foreign' {
  let files: TreeFiles | undefined;
  try {
    files = openTreeFiles(out);
    return buildRecordIn(files);
  } catch {
    return 'none';
  } finally {
    files?.close();
  }
}

/** Like {@link readBuildRecord}, for files that are open. */
export function buildRecordIn(files: TreeFiles): BuildRecord | 'unfinished' | 'none' | 'foreign' {
  try {
    return parseBuildRecord(files.read(BUILD_RECORD));
  } catch (error) {
    return error instanceof UnreadableFile && error.reason === 'damaged' ? 'unfinished' : 'none';
  }
}

export function layoutOf({ data_pages, account_pages, compress }: Pick<BuildRecord, 'data_pages' | 'account_pages' | 'compress'>): Layout {
  return { pages: { data: data_pages, account: account_pages }, encodings: encodingsIn(compress) };
}

/** Whether a folder has a tree. The tree may be unfinished or damaged. */
export function hasTree(out: string): boolean {
  const record = readBuildRecord(out);
  return record !== 'none' && record !== 'foreign';
}

/** Parses the bytes of a build record. Returns `foreign` if palimpsest did not write them. */
export function parseBuildRecord(bytes: Buffer): BuildRecord | 'unfinished' | 'foreign' {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return 'foreign';
  }
  if (!isObject(value) || typeof value['palimpsest'] !== 'string') return 'foreign';
  return finishedRecord(value) ?? 'unfinished';
}

function finishedRecord(value: unknown): BuildRecord | undefined {
  try {
    const record = parseShape(SHAPE, value, '');
    return isConsistent(record) ? record : undefined;
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
}

/** Whether the base URL is valid and the numbers of pages follow from the other numbers. */
function isConsistent({ base_url, records, data_pages, page_size, accounts, account_pages, account_page_size }: BuildRecord): boolean {
  return (
    isBaseUrl(base_url) &&
    page_size > 0 &&
    account_page_size > 0 &&
    data_pages === pagesFor(records, page_size) &&
    account_pages === pagesFor(accounts, account_page_size)
  );
}
