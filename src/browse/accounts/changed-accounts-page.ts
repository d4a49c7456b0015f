import type { Account } from '../../contract/account.ts';
import { timestampOf } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { ListedAccount } from '../../store/accounts/account-reader.ts';
import { SEEN_LATELY } from '../../store/accounts/last-seen.ts';
import type { NamedAccount, SeenAccount, StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import type { FeedCursor } from '../../store/feed/feed-cursor.ts';
import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import { fullTime, timeMarkup } from '../dates.ts';
import { changesMarkup, joined, type Markup, markup, trusted } from '../markup.ts';
import { counted } from '../numbers.ts';
import { type Page, pageOf, ROOT_1 } from '../page-frame.ts';
import { ABOUT, accountsPage, namesPage } from '../paths.ts';
import { accountNames, accountTable, nameTable } from './account-lists.ts';
import { hasRecordAfter } from './profile-list.ts';

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
 * Returns the page with the accounts that changed last, those that changed most, those that were not seen lately, and those that the lists by name lack.
 * @param newest the handles of the accounts that changed last
 * @param names those with names that are newer than the lists by name
 * @param all the number of all accounts
 */
export function changedAccountsPage(reader: StoredAccounts, newest: readonly string[], names: readonly NamedAccount[], all: number): Page {
  const listed = (handles: readonly string[]) => handles.map((handle) => reader.listed(handle));
  const [last, most] = [listed(newest), listed(reader.withMostChanges(MAX_LISTED))];
  const named = names.filter(({ display_name }) => display_name !== '');
  const isWhole = most.length < MAX_LISTED && last.length === most.length;
  const notSeen = notSeenLately(reader);
  const others = markup`are in <a href="${ROOT_1}${accountsPage()}">the list of all accounts</a>`;
  return pageOf(
    { title: 'Accounts by changes', root: ROOT_1, section: 'accounts' },
    markup`<h1>Accounts by changes <small>${trusted(counted(all, 'account'))}, at most ${MAX_LISTED} in each table of changes</small></h1>
<nav class=pages aria-label="All accounts"><a href="${ROOT_1}${accountsPage()}">All accounts by handle</a> <a href="${ROOT_1}${namesPage()}">Accounts by name</a> <a href="#most">Most changes</a> ${notSeen === undefined ? '' : markup`<a href="#lately">Not seen lately</a> `}<a href="#names">New names</a></nav>
<h2>Newest changes</h2>
${table(last)}${isWhole ? '' : markup`<p>The newest changes of the other accounts ${others}.</p>\n`}<h2 id=most>Most changes</h2>
${most.length === 0 ? '' : SAME_RANK}${table(most)}${isWhole ? '' : markup`<p>Every other account has at most ${changesMarkup(most.at(-1)?.changes ?? 0)}. Their numbers ${others}.</p>\n`}${notSeen === undefined ? '' : notSeenList(reader, notSeen)}<h2 id=names>New names</h2>
${named.length === 0 ? markup`<p>No account has a newer name than in the <a href="${ROOT_1}${namesPage()}">list by name</a>.</p>\n` : markup`<p>The <a href="${ROOT_1}${namesPage()}">list by name</a> does not have these names yet.</p>\n${nameTable(named, ROOT_1)}`}`,
  );
}

const SAME_RANK = markup`<p>Accounts with the same number of changes have the same rank. They are sorted by handle.</p>\n`;

function table(accounts: readonly ListedAccount[]): Markup {
  return accounts.length === 0 ? markup`<p>No account has changes.</p>\n` : accountTable(accounts, ROOT_1);
}

/**
 * Returns the first accounts that the newest snapshots lack, the last seen one first, and one more than are listed if there are so many.
 * Undefined: no account was observed.
 */
function notSeenLately(accounts: StoredAccounts): readonly SeenAccount[] | undefined {
  const found: SeenAccount[] = [];
  let areObserved = false;
  for (const seen of accounts.byLastSeen()) {
    areObserved = true;
    if (seen.last_seen === SEEN_LATELY || found.length > MAX_LISTED) break;
    const account: Pick<Account, 'data'> = JSON.parse(String(accounts.account(seen.id, -1).json));
    if (!hasRecordAfter(account, seen.last_seen)) found.push(seen);
  }
  return areObserved ? found : undefined;
}

function notSeenList(reader: StoredAccounts, found: readonly SeenAccount[]): Markup {
  const rows = found.slice(0, MAX_LISTED).map(({ screen_name, last_seen }) => {
    const time = timestampOf(last_seen);
    return markup`<tr><td>${accountNames(reader.listed(screen_name), ROOT_1)}<td>${timeMarkup(time, fullTime(time))}\n`;
  });
  const table = markup`<table class=accounts><thead><tr><th scope=col>Account<th scope=col>Last seen</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
  const only = found.length > MAX_LISTED ? markup` The list has only the ${MAX_LISTED} that were seen last.` : '';
  return markup`<h2 id=lately>Not seen lately</h2>\n${NOT_SEEN}${only}</p>\n${rows.length === 0 ? markup`<p>No account.</p>\n` : table}`;
}

/** Does not say that they are gone: a source can lack an account that is still there. */
const NOT_SEEN = markup`<p>Accounts that earlier snapshots have, but no snapshot of the newest 10 days. Accounts with a newer record of another source are left out. The days end at <a href="${ROOT_1}${ABOUT}#complete">the newest snapshot</a>, not today. This says nothing about why. The accounts need not be gone.`;
