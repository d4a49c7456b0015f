import { excludedAccounts } from '../contract/excluded-account.ts';
import type { Exclusion } from '../contract/exclusion.ts';
import type { ZipReader } from '../zip/zip-reader.ts';

const ACCOUNT_PAGE = /^rest\/account\/page\/\d+\/index\.json$/;

/**
 * Returns the handles of the accounts of the exclusions that a tree in a ZIP has.
 * @throws ZipDamage if a page cannot be read
 */
export function removedAccountsIn(zip: ZipReader, exclusions: readonly Exclusion[]): readonly string[] {
  const accountsOn = excludedAccounts(exclusions);
  const found: string[] = [];
  for (const path of zip.paths()) {
    if (!ACCOUNT_PAGE.test(path)) continue;
    found.push(...accountsOn(JSON.parse((zip.read(path) ?? '{}').toString())).map(({ screen_name }) => screen_name));
  }
  return found;
}
