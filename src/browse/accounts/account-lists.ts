import type { ListedAccount } from '../../store/accounts/account-reader.ts';
import type { StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { dateMarkup } from '../dates.ts';
import { type ByteText, byteText, escapeText, exactByteText, joined, type Markup, markup, numberMarkup, plainText } from '../markup.ts';
import { type Page, pageOf, type ROOT_1, ROOT_2, type UnframedFile } from '../page-frame.ts';
import { accountPage, accountsPage, CHANGED_ACCOUNTS } from '../paths.ts';
import { LONGEST_PREFIX, longerPrefix, PrefixCursor } from './prefix-cursor.ts';

/** The largest number of accounts on a page, unless more handles differ only in letter case. */
const MOST = 200;

/** An account in the order of the handles. */
interface Listed {
  /** Its handle without letter case. */
  readonly text: ByteText;
  readonly screen_name: string;
}

/** The accounts of a page: those whose handles begin with the first text, the last one, or one between. */
interface Beginnings {
  readonly first: ByteText;
  readonly last: ByteText;
}

/**
 * Yields the pages with all accounts, sorted by handle. A page with more accounts than fit has links to pages for longer
 * beginnings of these handles instead. So a new record changes one page, and a new account rarely more.
 * @param hasChanged whether an account changed since the present pages were rendered
 */
export function* accountLists(
  accounts: Pick<StoredAccounts, 'byHandle' | 'listed'>,
  hasChanged: (screenName: string) => boolean,
): Generator<UnframedFile> {
  const page = (shown: Beginnings, links: readonly Beginnings[], own: readonly Listed[]): UnframedFile => {
    // links depend on other accounts, and a page without accounts can be new: always render them
    const isOld = links.length === 0 && own.length > 0 && !own.some(({ screen_name }) => hasChanged(screen_name));
    const listed = () => own.map(({ screen_name }) => accounts.listed(screen_name));
    return { path: accountsPage(shown.first), render: isOld ? undefined : () => [listPage(shown, links, listed())] };
  };
  yield* listsOf(new PrefixCursor(sorted(accounts)), '', page);
}

function* sorted(accounts: Pick<StoredAccounts, 'byHandle'>): Generator<Listed> {
  for (const screen_name of accounts.byHandle()) yield { text: folded(screen_name), screen_name };
}

/** Returns a handle as SQLite compares it: letters of ASCII in lower case. */
function folded(handle: string): ByteText {
  return exactByteText(handle).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Yields the pages of a beginning of handles. Returns the beginnings of the page that leads to all of them. */
function* listsOf(
  cursor: PrefixCursor<Listed>,
  prefix: ByteText,
  page: (shown: Beginnings, links: readonly Beginnings[], own: readonly Listed[]) => UnframedFile,
): Generator<UnframedFile, Beginnings> {
  const whole = { first: prefix, last: prefix };
  if (prefix.length >= LONGEST_PREFIX || cursor.fits(prefix, MOST)) {
    yield page(whole, [], [...cursor.all(prefix)]);
    return whole;
  }
  const [links, own]: [Beginnings[], Listed[]] = [[], []];
  let shown: Beginnings | undefined;
  let group: Listed[] = [];
  for (let next = cursor.at(prefix); next !== undefined; next = cursor.at(prefix)) {
    if (next.text === prefix) {
      own.push(cursor.take());
      continue;
    }
    const longer = longerPrefix(next.text, prefix.length);
    if (shown !== undefined && !cursor.fits(longer, MOST - group.length)) {
      yield page(shown, [], group);
      links.push(shown);
      shown = undefined;
      group = [];
    }
    if (cursor.fits(longer, MOST)) {
      group.push(...cursor.all(longer));
      shown = { first: shown?.first ?? longer, last: longer };
    } else links.push(yield* listsOf(cursor, longer, page));
  }
  if (shown !== undefined) {
    yield page(shown, [], group);
    links.push(shown);
  }
  const [only] = links;
  if (only !== undefined && links.length === 1 && own.length === 0 && prefix !== '') return only;
  yield page(whole, links, own);
  return whole;
}

function listPage({ first, last }: Beginnings, longer: readonly Beginnings[], accounts: readonly ListedAccount[]): Page {
  const isAll = first === '';
  const range = (each: Beginnings) => {
    const [from, to] = [markup`<bdi>@${shown(each.first)}</bdi>`, markup`<bdi>@${shown(each.last)}</bdi>`];
    return each.first === each.last ? from : markup`${from} to ${to}`;
  };
  const links = longer.map((each) => markup`<a href="${ROOT_2}${accountsPage(each.first)}">${range(each)}</a>`);
  const nav = markup`<nav class=pages aria-label="Accounts by handle">${joined(links, '\n')}</nav>\n`;
  const table = accountTable(accounts, ROOT_2);
  const none = isAll && longer.length === 0 ? markup`<p>There are no accounts yet.</p>\n` : '';
  const others = isAll
    ? markup`<a href="${ROOT_2}${CHANGED_ACCOUNTS}">Accounts by changes</a>`
    : markup`<a href="${ROOT_2}${accountsPage()}">All accounts</a>`;
  const beginning = isAll ? '' : markup` <small>whose handles begin with ${range({ first, last })}</small>`;
  return pageOf(
    { title: isAll ? 'Accounts' : `Accounts from @${first}`, root: ROOT_2, section: 'accounts' },
    markup`<h1>Accounts${beginning}</h1>\n<nav class=pages aria-label="Other lists">${others}</nav>\n${longer.length === 0 ? '' : nav}${accounts.length === 0 ? none : table}`,
  );
}

/** Returns a beginning of handles without characters that HTML forbids. */
function shown(prefix: ByteText): Markup {
  return escapeText(byteText(plainText(prefix)));
}

/** Returns a table of accounts. @param root the path from its page to the root of the tree */
export function accountTable(accounts: readonly ListedAccount[], root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const rows = accounts.map((account) => row(account, root));
  return markup`<table class=accounts><thead><tr><th scope=col>Account<th scope=col class=n>Changes<th scope=col>First seen<th scope=col>Last change</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
}

function row({ screen_name, display_name, changes, first_seen, last_change }: ListedAccount, root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const handle = byteText(screen_name);
  const name = display_name === '' ? '' : markup` <bdi class=name>${escapeText(byteText(display_name))}</bdi>`;
  return markup`<tr><td><a href="${root}${accountPage(handle)}"><bdi>@${escapeText(handle)}</bdi></a>${name}<td class=n>${numberMarkup(changes)}<td>${date(first_seen)}<td>${date(last_change)}\n`;
}

function date(time: string | null): Markup | '' {
  return time === null ? '' : dateMarkup(time);
}
