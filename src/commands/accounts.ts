import type { Values } from '../command-line/commands.ts';
import type { AccountEntry } from '../contract/accounts/account-entry.ts';
import { timestampOf } from '../contract/instant.ts';
import { matchingAccounts } from '../history/account-match.ts';
import { accountTable } from '../history/account-table.ts';
import { toFailure } from '../store/database/store-error.ts';
import { Store } from '../store/store.ts';
import type { Terminal } from '../terminal/terminal.ts';

export async function runAccounts(
  terminal: Terminal,
  { text, limit = Number.POSITIVE_INFINITY, store: storePath }: Values<'accounts'>,
): Promise<void> {
  const store = Store.open(storePath);
  try {
    const accounts = () => first(limit, matchingAccounts(store, text));
    terminal.summary({ accounts: jsonEntries(accounts()) }, orElse(accountTable(accounts()), nothingFound(text, storePath)));
  } catch (error) {
    throw toFailure(storePath, error);
  } finally {
    store.close();
  }
}

function* first<T>(limit: number, items: Iterable<T>): Generator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count === limit) return;
  }
}

function* jsonEntries(accounts: Iterable<AccountEntry>): Generator<object> {
  for (const { screen_name, stable_id, display_name, former_handles, changes, first_change, last_change } of accounts) {
    const handles = former_handles.map(({ handle, seen_to }) => ({ handle, seen_to: timestampOf(seen_to) }));
    yield { screen_name, stable_id, display_name, former_handles: handles, changes, first_change, last_change };
  }
}

function* orElse(lines: Iterable<string>, otherwise: string): Generator<string> {
  let isEmpty = true;
  for (const line of lines) {
    yield line;
    isEmpty = false;
  }
  if (isEmpty) yield otherwise;
}

function nothingFound(text: string | undefined, store: string): string {
  return text === undefined ? `${store} has no accounts` : `no account in ${store} matches ${text}`;
}
