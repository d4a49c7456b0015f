import { type Exclusion, handleHash, sharedHandleHash } from '../accounts/exclusion.ts';
import { isObject } from '../json.ts';

/** An account of an exclusion on a page. */
export interface ExcludedAccount {
  readonly screen_name: string;
  /** Its records on the page. */
  readonly records: readonly { readonly [field: string]: unknown }[];
  /** Whether only its handle is excluded: another account can have had it before. */
  readonly onlyByHandle: boolean;
}

/**
 * Returns a function that finds the accounts of exclusions on a page of accounts: those with an excluded handle or record, and those
 * whose handle another account has now.
 */
export function excludedAccounts(exclusions: readonly Exclusion[]): (page: unknown) => readonly ExcludedAccount[] {
  const handles = new Set(exclusions.flatMap((one) => one.handles));
  const ids = new Set(exclusions.flatMap((one) => one.records));
  return (page) => {
    const accounts = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    return accounts.flatMap(({ screen_name, data }) => {
      if (typeof screen_name !== 'string') return [];
      const records = Array.isArray(data) ? data.filter(isObject) : [];
      const onlyByHandle = !records.some(
        ({ id }) => typeof id === 'number' && (ids.has(id) || handles.has(sharedHandleHash(screen_name, id))),
      );
      return onlyByHandle && !handles.has(handleHash(screen_name)) ? [] : [{ screen_name, records, onlyByHandle }];
    });
  };
}
