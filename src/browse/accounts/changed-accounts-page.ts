import type { ChangeRecord } from '../../contract/record.ts';
import type { AccountReader, ListedAccount } from '../../store/accounts/account-reader.ts';
import type { NamedAccount } from '../../store/accounts/stored-accounts.ts';
import type { FeedCursor } from '../../store/feed/feed-cursor.ts';
import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import { changesMarkup, type Markup, markup, trusted } from '../markup.ts';
import { counted } from '../numbers.ts';
import { type Page, pageOf, ROOT_1 } from '../page-frame.ts';
import { accountsPage, namesPage } from '../paths.ts';
import { accountTable, nameTable } from './account-lists.ts';

/** The greatest number of accounts in each table. */
const MAX_LISTED = 200;
/** The number of records that one read gets, and the greatest number of reads. */
const [READ_AT_ONCE, MAX_READS] = [500, 40];

/** Finds the accounts with the newest changes. */
export class NewestChanges {
  /** The places of the newest changes in the feed: for each, the number of newer records. */
  readonly #places: number[] = [];

  /** Adds a record. @param before the number of newer records */
  readonly add: FeedVisitor = ({ isFirst }, before) => {
    if (!isFirst && this.#places.length < READ_AT_ONCE * MAX_READS) this.#places.push(before);
  };

  /** Returns the handles of the accounts with the newest changes, the newest first. @param feed returns a cursor that skips this number of newest records */
  handles(feed: (after: number) => FeedCursor): readonly string[] {
    const found = new Set<string>();
    for (let [read, next] = [0, 0]; read < MAX_READS && found.size < MAX_LISTED; read += 1) {
      const place = this.#places.find((each) => each >= next);
      if (place === undefined) break;
      const records: readonly ChangeRecord[] = JSON.parse(`[${feed(place).take(READ_AT_ONCE).json}]`);
      for (const { account, previous } of records) if (previous !== null) found.add(account);
      next = place + READ_AT_ONCE;
    }
    return [...found].slice(0, MAX_LISTED);
  }
}

/**
 * Returns the page with the accounts that changed last, with those that changed most, and with those that the lists by name lack.
 * @param newest the handles of the accounts that changed last
 * @param names those with names that are newer than the lists by name
 * @param all the number of all accounts
 */
export function changedAccountsPage(reader: AccountReader, newest: readonly string[], names: readonly NamedAccount[], all: number): Page {
  const listed = (handles: readonly string[]) => handles.map((handle) => reader.listed(handle));
  const [last, most] = [listed(newest), listed(reader.withMostChanges(MAX_LISTED))];
  const named = names.filter(({ display_name }) => display_name !== '');
  const isWhole = most.length < MAX_LISTED && last.length === most.length;
  const others = markup`are in <a href="${ROOT_1}${accountsPage()}">the list of all accounts</a>`;
  return pageOf(
    { title: 'Accounts by changes', root: ROOT_1, section: 'accounts' },
    markup`<h1>Accounts by changes <small>${trusted(counted(all, 'account'))}, at most ${MAX_LISTED} in each table of changes</small></h1>
<nav class=pages aria-label="All accounts"><a href="${ROOT_1}${accountsPage()}">All accounts by handle</a> <a href="${ROOT_1}${namesPage()}">Accounts by name</a> <a href="#most">Most changes</a> <a href="#names">New names</a></nav>
<h2>Newest changes</h2>
${table(last)}${isWhole ? '' : markup`<p>The newest changes of the other accounts ${others}.</p>\n`}<h2 id=most>Most changes</h2>
${most.length === 0 ? '' : SAME_RANK}${table(most)}${isWhole ? '' : markup`<p>Every other account has at most ${changesMarkup(most.at(-1)?.changes ?? 0)}. Their numbers ${others}.</p>\n`}<h2 id=names>New names</h2>
${named.length === 0 ? markup`<p>No account has a newer name than in the <a href="${ROOT_1}${namesPage()}">list by name</a>.</p>\n` : markup`<p>The <a href="${ROOT_1}${namesPage()}">list by name</a> does not have these names yet.</p>\n${nameTable(named, ROOT_1)}`}`,
  );
}

const SAME_RANK = markup`<p>Accounts with the same number of changes have the same rank. They are sorted by handle.</p>\n`;

function table(accounts: readonly ListedAccount[]): Markup {
  return accounts.length === 0 ? markup`<p>No account has changes.</p>\n` : accountTable(accounts, ROOT_1);
}
