import { join } from 'node:path';
import { encodeJson, isObject } from '../contract/json.ts';
import { count, oneOf, parseShape, type Rule, type Shape, text, Violation } from '../contract/shape.ts';
import { isBaseUrl, type Site } from '../contract/site.ts';
import { pagesFor } from '../pages/page.ts';
import { readRegularFile } from './regular-file.ts';

/** Says what a tree was built from; written last, so that its word is good. */
export const BUILD_RECORD = 'build.json';

export interface BuildRecord extends Site {
  /** The release of palimpsest that built the tree. */
  readonly palimpsest: string;
  readonly state: 'finished';
  readonly records: number;
  readonly accounts: number;
  readonly data_pages: number;
  readonly account_pages: number;
  /** What pages were compressed with besides, such as `gzip/1.3.1 brotli/1.1.0`; '' for nothing. */
  readonly compress: string;
  /** Fingerprint of the store's contents. */
  readonly store: string;
  /** SHA-256 of the manifest. */
  readonly manifest: string;
}

/** What stands in the record's place while files are being exchanged. */
export interface UnfinishedRecord {
  readonly palimpsest: string;
  readonly state: 'unfinished';
}

const finished: Rule<'finished'> = oneOf('finished');

const SHAPE: Shape<BuildRecord> = {
  palimpsest: text,
  state: finished,
  base_url: text,
  page_size: count,
  account_page_size: count,
  records: count,
  accounts: count,
  data_pages: count,
  account_pages: count,
  compress: text,
  store: text,
  manifest: text,
};

export function encodeBuildRecord(record: BuildRecord | UnfinishedRecord): string {
  return `${encodeJson(record)}\n`;
}

/** A tree's build record: `none` where there is no such file, `foreign` where it is somebody else's, `unfinished` where it is damaged too. */
export function readBuildRecord(out: string): BuildRecord | 'unfinished' | 'none' | 'foreign' {
  try {
    return parseBuildRecord(readRegularFile(join(out, BUILD_RECORD)));
  } catch {
    return 'none';
  }
}

/** The record in a file's bytes: `foreign` where they are somebody else's. */
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

/** Whether the base URL is one, and the numbers of pages follow from the others. */
function isConsistent({ base_url, records, data_pages, page_size, accounts, account_pages, account_page_size }: BuildRecord): boolean {
  return (
    isBaseUrl(base_url) &&
    page_size > 0 &&
    account_page_size > 0 &&
    data_pages === pagesFor(records, page_size) &&
    account_pages === pagesFor(accounts, account_page_size)
  );
}
