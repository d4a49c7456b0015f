import { type Exclusion, handleHash } from '../contract/exclusion.ts';
import { isObject } from '../contract/json.ts';
import type { ZipReader } from '../zip/zip-reader.ts';

const ACCOUNT_PAGE = /^rest\/account\/page\/\d+\/index\.json$/;

/**
 * Whether a tree in a ZIP has an account of the exclusions: one with an excluded handle or record.
 * @throws ZipDamage if a page cannot be read
 */
export function hasRemovedAccount(zip: ZipReader, exclusions: readonly Exclusion[]): boolean {
  const handles = new Set(exclusions.flatMap((one) => one.handles));
  const records = new Set(exclusions.flatMap((one) => one.records));
  for (const path of zip.paths()) {
    if (!ACCOUNT_PAGE.test(path)) continue;
    const page: unknown = JSON.parse((zip.read(path) ?? '{}').toString());
    const accounts = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    const isRemoved = accounts.some(({ screen_name, data }) => {
      if (typeof screen_name === 'string' && handles.has(handleHash(screen_name))) return true;
      const items = records.size > 0 && Array.isArray(data) ? data.filter(isObject) : [];
      return items.some(({ id }) => typeof id === 'number' && records.has(id));
    });
    if (isRemoved) return true;
  }
  return false;
}
