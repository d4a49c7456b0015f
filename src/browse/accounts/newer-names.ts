import type { AccountReader, SearchedNames } from '../../store/accounts/account-reader.ts';
import type { NewerAccount } from '../../store/accounts/names-since-checkpoint.ts';

/** Returns the accounts whose names the lists by name and the search index lack, because they are newer than the checkpoint. */
export function withNewNames(accounts: AccountReader, newer: readonly NewerAccount[]): readonly SearchedNames[] {
  const renamed = newer.filter(({ display_name, older_name, older_records }) => older_records === 0 || display_name !== older_name);
  return renamed.flatMap(({ screen_name }) => accounts.entryOf(screen_name) ?? []);
}

/** Yields the accounts with their names and numbers of records at the checkpoint. @param newer those with records after it */
export function* atCheckpoint(accounts: Iterable<SearchedNames>, newer: readonly NewerAccount[]): Generator<SearchedNames> {
  const known = new Map(newer.map((account) => [account.screen_name, account]));
  for (const names of accounts) {
    const older = known.get(names.screen_name);
    if (older === undefined) yield names;
    else if (older.older_records > 0) yield { ...names, display_name: older.older_name, records: older.older_records };
  }
}
