import { Failure } from '../../contract/failure.ts';
import { BUILD_RECORD, lastBuildIn, readBuildRecord } from '../build-record.ts';
import { openTreeFiles, type TreeFiles } from '../tree-files.ts';
import { isOwnZip } from './folder.ts';

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
