import { isBaseUrl } from '../../contract/base-url.ts';
import { Failure } from '../../contract/failure.ts';
import { encodeJson, isObject } from '../../contract/json.ts';
import type { BrowseSettings } from '../../contract/site.ts';
import { aboutOrNothing } from '../../contract/site-json.ts';
import { BUILD_RECORD, readBuildRecord } from '../build-record.ts';
import { type Encoding, encodingsIn } from '../encoding.ts';
import { openTreeFiles, type TreeFiles } from '../tree-files.ts';
import type { BuildOptions } from './build.ts';
import { isOwnZip } from './claim-output.ts';

/** What the next build keeps if its options do not say otherwise. */
export interface LastBuild extends BrowseSettings {
  /** The encodings of its compressed copies. */
  readonly compress: readonly Encoding[];
  /** Whether it has browse files. */
  readonly html: boolean;
  /** Its base URL, its numbers of items on a page, and the fingerprint of its store; undefined if they are not known. */
  readonly baseUrl?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly accountPageSize?: number | undefined;
  readonly store?: string | undefined;
}

/** Returns what the last build wrote or began to write. A folder without a tree has nothing. */
export function lastBuildIn(files: TreeFiles): LastBuild {
  try {
    const record: unknown = JSON.parse(files.read(BUILD_RECORD).toString());
    if (!isObject(record) || typeof record['palimpsest'] !== 'string') return NO_BUILD;
    const { compress, browse_files, about, noindex, account_feeds, base_url, page_size, account_page_size, store } = record;
    return {
      compress: typeof compress === 'string' ? encodingsIn(compress) : [],
      html: Number(browse_files) > 0,
      about: aboutOrNothing.accepts(about) ? about : undefined,
      noindex: noindex === true || undefined,
      account_feeds: account_feeds === true || undefined,
      baseUrl: typeof base_url === 'string' && isBaseUrl(base_url) ? base_url : undefined,
      pageSize: pageSizeIn(page_size),
      accountPageSize: pageSizeIn(account_page_size),
      store: typeof store === 'string' ? store : undefined,
    };
  } catch {
    return NO_BUILD;
  }
}

function pageSizeIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const NO_BUILD: LastBuild = { compress: [], html: false };

/** The base URL of a build, and its origin. */
export interface ChosenBaseUrl {
  readonly url: string;
  /** Whether it is the given one, that of the tree in the folder, or the default. */
  readonly from: 'option' | 'tree' | 'default';
  /** The base URL of the tree in the folder; null if there is none. */
  readonly before: string | null;
}

/**
 * Chooses the base URL of a build: the given one, otherwise that of the tree in the folder, otherwise the default.
 * A build without a given base URL therefore never changes the links of a tree.
 * @throws Failure usage if none is given, and the folder has a damaged tree without a base URL
 */
export function chooseBaseUrl(out: string, given: string | undefined, defaultUrl: string): ChosenBaseUrl {
  const before = baseUrlIn(out) ?? null;
  if (given !== undefined) return { url: given, from: 'option', before };
  if (before !== null) return { url: before, from: 'tree', before };
  const record = readBuildRecord(out);
  if (record !== 'unfinished' && !(record === 'none' && isOwnZip(out))) return { url: defaultUrl, from: 'default', before };
  throw new Failure('usage', `the base URL of the tree in ${out} is unknown`, {
    place: { file: out, field: '--base-url' },
    expected: `a base URL, because ${BUILD_RECORD} has none`,
    found: 'no --base-url, and an unfinished or damaged tree',
    hint: 'give the address of the site with --base-url',
  });
}

/** Returns the base URL of a tree, even if the tree is unfinished. */
function baseUrlIn(out: string): string | undefined {
  let files: TreeFiles | undefined;
  try {
    files = openTreeFiles(out);
    return lastBuildIn(files).baseUrl;
  } catch {
    return undefined;
  } finally {
    files?.close();
  }
}

/**
 * Returns what a build says about the site: what its options give, otherwise the same as the last build.
 * @throws Failure usage for `noindex` without browse files
 */
export function browseSettings(options: BuildOptions, last: LastBuild, html: boolean): BrowseSettings {
  const { out, about = last.about, noindex = last.noindex, accountFeeds = last.account_feeds } = options;
  const given = { '--noindex': options.noindex, '--account-feeds': options.accountFeeds };
  const [field] = html ? [] : (Object.entries(given).find(([, value]) => value) ?? []);
  if (field === undefined)
    return { about: about ?? undefined, noindex: (html && noindex) || undefined, account_feeds: (html && accountFeeds) || undefined };
  throw new Failure('usage', `${field} needs HTML pages, and the tree has none`, {
    place: { file: out, field },
    expected: 'a tree with HTML pages',
    found: 'no --html, now or in the last build',
    hint: 'add --html, or build without this option',
  });
}

/** Whether the browse files of both trees say the same about the site. */
export function haveSameBrowseSettings(one: BrowseSettings, other: BrowseSettings): boolean {
  return encodeJson(settingsIn(one)) === encodeJson(settingsIn(other));
}

function settingsIn({ about, noindex, account_feeds }: BrowseSettings): readonly unknown[] {
  return [about, noindex, account_feeds];
}
