import type { Values } from '../command-line/commands.ts';
import type { AccountEntry } from '../contract/accounts/account-state.ts';
import { formerHandlesOf } from '../contract/accounts/former-handles.ts';
import { number } from '../contract/amounts.ts';
import { type Instant, parseInstant, timestampOf } from '../contract/instant.ts';
import { matchingAccounts } from '../history/find-account.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withStore } from './tree-state.ts';

const HEADINGS = ['handle', 'id', 'records', 'first record', 'last record', 'name'];
/** The column that is aligned to the right. */
const COUNT = 2;

export function runAccounts(
  terminal: Terminal,
  { text, since, limit = Number.POSITIVE_INFINITY, store: storePath }: Values<'accounts'>,
): void {
  withStore(storePath, (store) => {
    const found = () => changedSince(since, matchingAccounts(store, text));
    const accounts = () => first(limit, found());
    const hasMore = limit < Number.POSITIVE_INFINITY && [...first(limit + 1, found())].length > limit;
    const hasNone = [...first(1, found())].length === 0;
    const lines = hasNone ? [nothingFound(text, since, storePath)] : table(HEADINGS, [COUNT], rowsOf(accounts()));
    if (text !== undefined && [...first(1, matchingAccounts(store, text))].length === 0) terminal.exitCode = 1;
    terminal.summary({ results: jsonEntries(accounts()), hasMore }, lines);
    if (hasMore) terminal.notes(['more accounts are not shown; raise --limit']);
  });
}

function* changedSince(since: Instant | undefined, accounts: Iterable<AccountEntry>): Generator<AccountEntry> {
  for (const account of accounts) {
    if (since === undefined || (parseInstant(account.last_record_date ?? '') ?? Number.NEGATIVE_INFINITY) >= since) yield account;
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
  for (const { screen_name, stable_id, display_name, former_handles, records, first_record_date, last_record_date } of accounts) {
    const handles = former_handles.map(({ handle, seen_to }) => ({ handle, seen_to: timestampOf(seen_to) }));
    yield { screen_name, stable_id, display_name, former_handles: handles, records, first_record_date, last_record_date };
  }
}

function* rowsOf(accounts: Iterable<AccountEntry>): Generator<string[]> {
  for (const account of accounts) {
    const { screen_name, stable_id, records, first_record_date, last_record_date, display_name } = account;
    const handles = new Set(formerHandlesOf(account).map(({ handle }) => `@${handle}`));
    const former = handles.size === 0 ? '' : `(formerly ${[...handles].join(', ')})`;
    const names = [display_name.replace(/\s+/g, ' '), former].filter((name) => name !== '');
    const dates = [first_record_date, last_record_date].map((time) => time?.slice(0, 10) ?? '-');
    yield [screen_name, stable_id ?? '-', number(records), ...dates, names.join(' ')].map(printable);
  }
}

function nothingFound(text: string | undefined, since: Instant | undefined, store: string): string {
  const wanted = [
    ...(text === undefined ? [] : [`matches ${text}`]),
    ...(since === undefined ? [] : [`has a record since ${timestampOf(since)}`]),
  ];
  return wanted.length === 0 ? `${store} has no accounts` : `no account in ${store} ${wanted.join(' and ')}`;
}
