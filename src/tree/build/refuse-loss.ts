import { plural } from '../../contract/amounts.ts';
import { Failure } from '../../contract/failure.ts';
import type { Site } from '../../contract/site.ts';
import type { Store } from '../../store/store.ts';
import { buildRecordIn, layoutOf } from '../build-record.ts';
import { fileCount, isPagePath, type Layout } from '../layout.ts';
import type { TreeFiles } from '../tree-files.ts';
import { lastBuildIn } from './last-settings.ts';

/** Whether a tree was built from a state that a store does not know. A tree without any items does not count. */
export function isOfOtherStore(files: TreeFiles, store: Store): boolean {
  const { store: fingerprint } = lastBuildIn(files);
  const record = buildRecordIn(files);
  const isEmpty = typeof record === 'object' && record.records + record.accounts === 0;
  return fingerprint !== undefined && !isEmpty && store.revisionOf(fingerprint) === undefined;
}

/**
 * Refuses a build that would replace the tree of another store, or remove more than half of the files with pages. Compressed
 * copies and browse files do not count.
 * @param layout that of the new tree
 * @throws Failure store-diverged, too-many-deletes
 */
export function refuseLoss(
  out: string,
  files: TreeFiles,
  storePath: string,
  store: Store,
  { page_size, account_page_size }: Site,
  { pages }: Layout,
): void {
  const record = buildRecordIn(files);
  const place = { file: out };
  if (isOfOtherStore(files, store)) {
    const contents = typeof record === 'object' ? ` with ${plural(record.records, 'record')} of ${plural(record.accounts, 'account')}` : '';
    throw new Failure('store-diverged', `the tree in ${out} was built from a state that ${storePath} does not know`, {
      place,
      expected: `a tree of ${storePath}, or no tree`,
      found: `a tree${contents} from another store, or from this one before another program changed it`,
      hint: 'name the store of this tree with --store, or another place with --out; to replace this tree, add --replace-tree; nothing was changed',
    });
  }
  const [before, after] = [pageFilesIn(files), fileCount({ pages, encodings: [] })];
  if (after * 2 >= before) return;
  const isOtherSize = typeof record === 'object' && (record.page_size !== page_size || record.account_page_size !== account_page_size);
  const sizes = isOtherSize
    ? `; the tree has --page-size ${record.page_size} --account-page-size ${record.account_page_size}, and this build has ${page_size} and ${account_page_size}`
    : '';
  throw new Failure('too-many-deletes', `the build would remove more than half of the pages in ${out}`, {
    place,
    expected: `at least half of the ${plural(before, 'file')} with pages`,
    found: `${plural(after, 'file')}${sizes}`,
    hint: 'check the store and the page sizes; if this is right, add --replace-tree; nothing was changed',
  });
}

/** Returns how many uncompressed files with pages a tree has. Those of an unfinished folder are counted one by one. */
function pageFilesIn(files: TreeFiles): number {
  const record = buildRecordIn(files);
  if (typeof record === 'object') return fileCount({ ...layoutOf(record), encodings: [] });
  if (record !== 'unfinished' || files.form === 'zip') return 0;
  let count = 0;
  for (const path of files.paths('rest')) if (isPagePath(path) && path.endsWith('.json')) count += 1;
  return count;
}
