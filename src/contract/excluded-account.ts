import { type Exclusion, handleHash, sharedHandleHash } from './exclusion.ts';
import { isObject } from './json.ts';

/** An account of an exclusion on a page. */
export interface ExcludedAccount {
  readonly screen_name: string;
  /** The number of its records on the page. */
  readonly records: number;
}

/**
 * Returns a function that finds the accounts of exclusions on a page of accounts: those with an excluded handle or record, and those
 * whose handle another account has now.
 */
export function excludedAccounts(exclusions: readonly Exclusion[]): (page: unknown) => readonly ExcludedAccount[] {
  const handles = new Set(exclusions.flatMap((one) => one.handles));
  const records = new Set(exclusions.flatMap((one) => one.records));
  return (page) => {
    const accounts = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    return accounts.flatMap(({ screen_name, data }) => {
      if (typeof screen_name !== 'string') return [];
      const ids = Array.isArray(data) ? data.filter(isObject).flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) : [];
      const isExcluded =
        handles.has(handleHash(screen_name)) || ids.some((id) => records.has(id) || handles.has(sharedHandleHash(screen_name, id)));
      return isExcluded ? [{ screen_name, records: ids.length }] : [];
    });
  };
}
