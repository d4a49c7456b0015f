import { type Exclusion, handleHash, sharedHandleHash } from '../contract/exclusion.ts';
import { isObject } from '../contract/json.ts';
import type { ZipReader } from '../zip/zip-reader.ts';

const ACCOUNT_PAGE = /^rest\/account\/page\/\d+\/index\.json$/;

/**
 * Returns the handles of the accounts of the exclusions that a tree in a ZIP has: those with an excluded handle or record, and those
 * whose handle another account has now.
 * @throws ZipDamage if a page cannot be read
 */
export function removedAccountsIn(zip: ZipReader, exclusions: readonly Exclusion[]): readonly string[] {
  const handles = new Set(exclusions.flatMap((one) => one.handles));
  const records = new Set(exclusions.flatMap((one) => one.records));
  const found: string[] = [];
  for (const path of zip.paths()) {
    if (!ACCOUNT_PAGE.test(path)) continue;
    const page: unknown = JSON.parse((zip.read(path) ?? '{}').toString());
    const accounts = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    for (const { screen_name, data } of accounts) {
      if (typeof screen_name !== 'string') continue;
      const ids = Array.isArray(data) ? data.filter(isObject).flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) : [];
      const isRemoved =
        handles.has(handleHash(screen_name)) || ids.some((id) => records.has(id) || handles.has(sharedHandleHash(screen_name, id)));
      if (isRemoved) found.push(screen_name);
    }
  }
  return found;
}
