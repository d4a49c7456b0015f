import type { ChangeRecord } from '../../contract/record.ts';
import type { AccountReader, ListedAccount } from '../../store/accounts/account-reader.ts';
import type { FeedCursor } from '../../store/feed/feed-cursor.ts';
import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import { type Markup, markup, trusted } from '../markup.ts';
import { counted } from '../numbers.ts';
import { type Page, pageOf, ROOT_1 } from '../page-frame.ts';
import { accountsPage } from '../paths.ts';
import { accountTable } from './account-lists.ts';

/** The greatest number of accounts in each table. */
const LISTED = 200;
/** The number of accounts whose changes are counted, for the table of those with the most. */
const COUNTED = 2 * LISTED;
/** The number of records that are read at once, and the greatest number of such reads. */
const [READ_AT_ONCE, READS] = [500, 40];

/** Where the newest changes are in the feed. */
export class NewestChanges {
  /** The numbers of newer records before each. */
  readonly #places: number[] = [];

  /** Adds a record. @param before the number of newer records */
  readonly add: FeedVisitor = ({ isFirst }, before) => {
    if (!isFirst && this.#places.length < READ_AT_ONCE * READS) this.#places.push(before);
  };

  /** Returns the handles of the accounts with the newest changes, the newest first. @param feed begins after a number of its newest records */
  handles(feed: (after: number) => FeedCursor): readonly string[] {
    const found = new Set<string>();
    for (let [read, next] = [0, 0]; read < READS && found.size < LISTED; read += 1) {
      const place = this.#places.find((each) => each >= next);
      if (place === undefined) break;
      const records: readonly ChangeRecord[] = JSON.parse(`[${feed(place).take(READ_AT_ONCE).json}]`);
      for (const { account, previous } of records) if (previous !== null) found.add(account);
      next = place + READ_AT_ONCE;
    }
    return [...found].slice(0, LISTED);
  }
}

/**
 * Returns the page with the accounts that changed last, and with those that changed most.
 * @param newest the handles of the former
 * @param all the number of all accounts
 */
export function changedAccountsPage(reader: AccountReader, newest: readonly string[], all: number): Page {
  const candidates = reader.withMostRecords(COUNTED).map((handle) => reader.listed(handle));
  const most = candidates
    .filter(({ changes }) => changes > 0)
    .sort((one, other) => other.changes - one.changes || (one.screen_name < other.screen_name ? -1 : 1))
    .slice(0, LISTED);
  const compared =
    all <= COUNTED ? '' : markup`<p>Compared are the ${COUNTED} accounts with the most records: changes and first values.</p>\n`;
  return pageOf(
    { title: 'Accounts by changes', root: ROOT_1, section: 'accounts' },
    markup`<h1>Accounts by changes <small>${trusted(counted(all, 'account'))}, at most ${LISTED} in each table</small></h1>
<nav class=pages aria-label="All accounts"><a href="${ROOT_1}${accountsPage()}">All accounts by handle</a></nav>
<h2>Newest changes</h2>
${table(newest.map((handle) => reader.listed(handle)))}<h2 id=most>Most changes</h2>
${compared}${table(most)}`,
  );
}

function table(accounts: readonly ListedAccount[]): Markup {
  return accounts.length === 0 ? markup`<p>No account has changes.</p>\n` : accountTable(accounts, ROOT_1);
}
