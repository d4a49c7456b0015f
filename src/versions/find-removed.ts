import { type Exclusion, excludedAccounts } from '../contract/accounts/exclusion.ts';
import type { ZipReader } from '../zip/zip-reader.ts';

const ACCOUNT_PAGE = /^rest\/account\/page\/\d+\/index\.json$/;

export interface AccountsFound {
  /** Those of removed accounts: those with an excluded handle or record, and those whose handle another account has now. */
  readonly removed: readonly string[];
  /** Those that a removed account had, too. Here, an account has them that is not removed. */
  readonly others: readonly string[];
}

/**
 * Looks for the accounts of exclusions in a tree in a ZIP.
 * @param hasRecords whether the store has all these records: then their account is not removed, whatever handle it had
 * @throws ZipDamage if a page cannot be read
 */
export function removedAccountsIn(
  zip: ZipReader,
  exclusions: readonly Exclusion[],
  hasRecords: (records: readonly { readonly [field: string]: unknown }[]) => boolean,
): AccountsFound {
  const accountsOn = excludedAccounts(exclusions);
  const [removed, others]: [string[], string[]] = [[], []];
  for (const path of zip.paths()) {
    if (!ACCOUNT_PAGE.test(path)) continue;
    for (const { screen_name, records, onlyByHandle } of accountsOn(JSON.parse((zip.read(path) ?? '{}').toString()))) {
      const isOther = onlyByHandle && records.length > 0 && hasRecords(records);
      (isOther ? others : removed).push(screen_name);
    }
  }
  return { removed, others };
}
