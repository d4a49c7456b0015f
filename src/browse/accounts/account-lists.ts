import type { ListedAccount } from '../../store/accounts/account-reader.ts';
import type { NewerAccount } from '../../store/accounts/names-since-checkpoint.ts';
import type { NamedAccount, StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { dateMarkup } from '../dates.ts';
import { type ByteText, byteText, escapeText, joined, type Markup, markup, numberMarkup } from '../markup.ts';
import { pageOf, type ROOT_1, ROOT_2, type UnframedFile } from '../page-frame.ts';
import { accountPage, accountsPage, CHANGED_ACCOUNTS, namesPage } from '../paths.ts';
import { LONGEST_PREFIX, longerPrefix, PrefixCursor } from './prefix-cursor.ts';

/** The largest number of accounts on a page, unless more texts differ only in letter case or after their first {@link LONGEST_PREFIX} bytes. */
const MOST = 250;

/** An account in a list. */
interface Sorted {
  /** What the list is sorted by, without letter case. */
  readonly text: ByteText;
  readonly screen_name: string;
}

/** The accounts of a page: those whose texts begin with the first of these, the last one, or one between. */
interface Beginnings {
  readonly first: ByteText;
  readonly last: ByteText;
}

/** What is different between lists. */
interface ListKind<T extends Sorted> {
  readonly title: string;
  readonly path: (first?: ByteText) => Markup;
  /** What begins with the texts of a page, such as `handles`. */
  readonly texts: Markup;
  /** Returns a beginning of a text as readers see it. */
  readonly shown: (beginning: ByteText) => ByteText;
  /** A sentence for a list without accounts. */
  readonly none: Markup;
  /** A sentence about names that the list has in another form. */
  readonly note: Markup | '';
  readonly otherList: { readonly path: Markup; readonly name: Markup };
  readonly isOld: (own: readonly T[]) => boolean;
  readonly table: (own: readonly T[]) => Markup;
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
  const kind: ListKind<Sorted> = {
    title: 'Accounts',
    path: accountsPage,
    texts: markup`handles`,
    shown: (beginning) => `@${beginning}`,
    none: markup`There are no accounts yet.`,
    note: '',
    otherList: { path: namesPage(), name: markup`Accounts by name` },
    isOld: (own) => !own.some(({ screen_name }) => hasChanged(screen_name)),
    table: (own) =>
      accountTable(
        own.map(({ screen_name }) => accounts.listed(screen_name)),
        ROOT_2,
      ),
  };
  yield* listsOf(new PrefixCursor(byHandle(accounts)), '', kind);
}

function* byHandle(accounts: Pick<StoredAccounts, 'byHandle'>): Generator<Sorted> {
  for (const screen_name of accounts.byHandle()) yield { text: folded(screen_name), screen_name };
}

/**
 * Yields the pages with all accounts that had a display name at the checkpoint, sorted by it. They have nothing that a record changes, except
 * names.
 * @param newer the accounts with records after the checkpoint
 */
export function* nameLists(
  accounts: { readonly byName: () => Iterable<NamedAccount> },
  newer: readonly NewerAccount[],
): Generator<UnframedFile> {
  const kind: ListKind<Sorted & NamedAccount> = {
    title: 'Accounts by name',
    path: namesPage,
    texts: markup`names`,
    shown: (beginning) => beginning.replace(END, ' @'),
    none: markup`No account has a display name.`,
    note: markup`<p>Sorted by the whole name as it is written, not by the surname. An account can have a <a href="${ROOT_2}${CHANGED_ACCOUNTS}#names">newer name</a> than in this list, or none any more.</p>\n`,
    otherList: { path: accountsPage(), name: markup`All accounts by handle` },
    isOld: () => false,
    table: (own) => nameTable(own, ROOT_2),
  };
  yield* listsOf(new PrefixCursor(byName(accounts.byName(), newer)), '', kind);
}

/** Comes between name and handle, before any other character. SQLite sorts names with it in another way: they are not in the lists. */
const END = '\0';

/** Yields the accounts by their names at the checkpoint. @param sorted the accounts by their present names */
function* byName(sorted: Iterable<NamedAccount>, newer: readonly NewerAccount[]): Generator<Sorted & NamedAccount> {
  const withOlderNames = newer
    .flatMap(({ screen_name, older_name, older_records }) =>
      older_records === 0 || older_name === '' ? [] : listedByName({ screen_name, display_name: older_name }),
    )
    .sort((one, other) => (isBefore(one, other) ? -1 : 1))
    .values();
  const handles = new Set(newer.map(({ screen_name }) => screen_name));
  let older = withOlderNames.next().value;
  for (const account of sorted) {
    if (handles.has(account.screen_name)) continue;
    for (const listed of listedByName(account)) {
      for (; older !== undefined && isBefore(older, listed); older = withOlderNames.next().value) yield older;
      yield listed;
    }
  }
  for (; older !== undefined; older = withOlderNames.next().value) yield older;
}

/** Whether a name comes before another. SQLite sorts equal names of handles that differ only in case by the bytes of the handle. */
function isBefore(one: Sorted, other: Sorted): boolean {
  return one.text === other.text ? byteText(one.screen_name) < byteText(other.screen_name) : one.text < other.text;
}

function listedByName({ screen_name, display_name }: NamedAccount): (Sorted & NamedAccount)[] {
  return display_name.includes(END) ? [] : [{ screen_name, display_name, text: `${folded(display_name)}${END}${folded(screen_name)}` }];
}

/** Returns a text as SQLite compares it: letters of ASCII in lower case. */
function folded(text: string): ByteText {
  return byteText(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Yields the pages of a beginning. Returns the beginnings of the page that leads to all of them. */
function* listsOf<T extends Sorted>(cursor: PrefixCursor<T>, prefix: ByteText, kind: ListKind<T>): Generator<UnframedFile, Beginnings> {
  const whole = { first: prefix, last: prefix };
  if (prefix.length >= LONGEST_PREFIX || cursor.fits(prefix, MOST)) {
    yield listPage(kind, whole, [], [...cursor.all(prefix)]);
    return whole;
  }
  const [links, own]: [Beginnings[], T[]] = [[], []];
  let shown: Beginnings | undefined;
  let group: T[] = [];
  for (let next = cursor.at(prefix); next !== undefined; next = cursor.at(prefix)) {
    if (next.text === prefix) {
      own.push(cursor.take());
      continue;
    }
    const longer = longerPrefix(next.text, prefix.length);
    if (shown !== undefined && !cursor.fits(longer, MOST - group.length)) {
      yield listPage(kind, shown, [], group);
      links.push(shown);
      shown = undefined;
      group = [];
    }
    if (cursor.fits(longer, MOST)) {
      group.push(...cursor.all(longer));
      shown = { first: shown?.first ?? longer, last: longer };
    } else links.push(yield* listsOf(cursor, longer, kind));
  }
  if (shown !== undefined) {
    yield listPage(kind, shown, [], group);
    links.push(shown);
  }
  const [only] = links;
  if (only !== undefined && links.length === 1 && own.length === 0 && prefix !== '') return only;
  yield listPage(kind, whole, links, own);
  return whole;
}

function listPage<T extends Sorted>(
  kind: ListKind<T>,
  { first, last }: Beginnings,
  longer: readonly Beginnings[],
  own: readonly T[],
): UnframedFile {
  const path = kind.path(first);
  // links depend on other accounts, and a page without accounts can be new: always render them
  if (longer.length === 0 && own.length > 0 && kind.isOld(own)) return { path, render: undefined };
  const isAll = first === '';
  const range = (each: Beginnings) => {
    const [from, to] = [shownText(kind.shown(each.first)), shownText(kind.shown(each.last))];
    return each.first === each.last ? from : markup`${from} to ${to}`;
  };
  const links = longer.map((each) => markup`<a href="${ROOT_2}${kind.path(each.first)}">${range(each)}</a>`);
  const nav = markup`<nav class=pages aria-label="Accounts by beginning">${joined(links, '\n')}</nav>\n`;
  const none = isAll && longer.length === 0 ? markup`<p>${kind.none}</p>\n` : '';
  const { path: otherPath, name: otherName } = kind.otherList;
  const others = isAll
    ? markup`<a href="${ROOT_2}${otherPath}">${otherName}</a> <a href="${ROOT_2}${CHANGED_ACCOUNTS}">Accounts by changes</a>`
    : markup`<a href="${ROOT_2}${kind.path()}">All ${kind.texts}</a>`;
  const heading = escapeText(byteText(kind.title));
  const beginning = isAll ? '' : markup` <small>whose ${kind.texts} begin with ${range({ first, last })}</small>`;
  const title = isAll ? kind.title : `${kind.title} from ${kind.shown(first)}`;
  const page = () =>
    pageOf(
      { title, root: ROOT_2, section: 'accounts' },
      markup`<h1>${heading}${beginning}</h1>\n<nav class=pages aria-label="Other lists">${others}</nav>\n${kind.note}${longer.length === 0 ? '' : nav}${own.length === 0 ? none : kind.table(own)}`,
    );
  return { path, render: () => [page()] };
}

function shownText(text: ByteText): Markup {
  return markup`<bdi>${escapeText(text)}</bdi>`;
}

/** Returns a table of accounts. @param root the path from its page to the root of the tree */
export function accountTable(accounts: readonly ListedAccount[], root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const rows = accounts.map((account) => row(account, root));
  return markup`<table class=accounts><thead><tr><th scope=col>Account<th scope=col class=n>Changes<th scope=col>First seen<th scope=col>Last change</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
}

function row({ screen_name, display_name, changes, first_seen, last_change }: ListedAccount, root: typeof ROOT_1 | typeof ROOT_2): Markup {
  return markup`<tr><td>${accountNames({ screen_name, display_name }, root)}<td class=n>${numberMarkup(changes)}<td>${date(first_seen)}<td>${date(last_change)}\n`;
}

/** Returns a link to an account, with its name. */
export function accountNames({ screen_name, display_name }: NamedAccount, root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const name = display_name === '' ? '' : markup` <bdi class=name>${escapeText(byteText(display_name))}</bdi>`;
  return markup`${accountLink(screen_name, root)}${name}`;
}

/** Returns a table of accounts by name. @param root the path from its page to the root of the tree */
export function nameTable(accounts: readonly NamedAccount[], root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const rows = accounts.map(
    ({ screen_name, display_name }) =>
      markup`<tr><td><bdi class=name>${escapeText(byteText(display_name))}</bdi><td>${accountLink(screen_name, root)}\n`,
  );
  return markup`<table class=accounts><thead><tr><th scope=col>Name<th scope=col>Account</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
}

function accountLink(screenName: string, root: typeof ROOT_1 | typeof ROOT_2): Markup {
  const handle = byteText(screenName);
  return markup`<a href="${root}${accountPage(handle)}"><bdi>@${escapeText(handle)}</bdi></a>`;
}

function date(time: string | null): Markup | '' {
  return time === null ? '' : dateMarkup(time);
}
