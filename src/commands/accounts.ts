import { Option } from '@commander-js/extra-typings';
import type { AccountEntry } from '../contract/account-entry.ts';
import { timestampOf } from '../contract/instant.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';

export function declareAccounts(program: Program, terminal: Terminal): void {
  program
    .command('accounts')
    .summary('list the accounts in the store, or search them')
    .description(
      'Lists accounts, sorted by handle. With a text, lists only accounts whose names contain every word of the text. The names are ' +
        'the handle, former handles and the display name. Case and accents are ignored. With @text, lists only accounts with a handle ' +
        'or former handle that begins with the text.',
    )
    .argument('[text]', 'what to search for')
    .addOption(
      new Option('--limit <n>', 'list at most this many accounts')
        .env('PALIMPSEST_LIMIT')
        .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest accounts', 'every account in the store'],
        ['palimpsest accounts "clay higgins"', 'the accounts with both words in their names'],
        ['palimpsest accounts @rep --limit 20', 'the first 20 accounts with a handle that begins with rep'],
      ),
    )
    .action(async (text, { limit = Number.POSITIVE_INFINITY, store: storePath, ...outputMode }) => {
      terminal.setOutput(outputMode);
      const [{ Store }, { toFailure }, { matchingAccounts }, { accountTable }] = await Promise.all([
        import('../store/store.ts'),
        import('../store/store-error.ts'),
        import('../history/account-match.ts'),
        import('../history/account-table.ts'),
      ]);
      const store = Store.open(storePath);
      try {
        const accounts = () => first(limit, matchingAccounts(store, text));
        terminal.summary({ accounts: jsonEntries(accounts()) }, orElse(accountTable(accounts()), nothingFound(text, storePath)));
      } catch (error) {
        throw toFailure(storePath, error);
      } finally {
        store.close();
      }
    });
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
