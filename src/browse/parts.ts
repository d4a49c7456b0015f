import type { Site } from '../contract/site.ts';
import { pagesFor } from '../pages/page.ts';
import type { Store } from '../store/store.ts';
import type { StoredAccounts } from '../store/stored-accounts.ts';
import { accountFiles } from './account-files.ts';
import { AccountIndex } from './account-index.ts';
import { accountsListPage } from './accounts-list-page.ts';
import { icon, stylesheet } from './assets.ts';
import { changesArchives } from './atom-feeds.ts';
import type { BrowseFile } from './browse-file.ts';
import { byteText, encodeFile } from './byte-text.ts';
import { type Month, monthsOf } from './calendar.ts';
import { changeFeeds } from './change-feeds.ts';
import { clientScript } from './client-script.ts';
import { feedPage } from './feed-page.ts';
import { formerHandlePage } from './former-handle-page.ts';
import { FormerHandles } from './former-handles.ts';
import { homePage } from './home-page.ts';
import { monthPageBytes } from './month-page.ts';
import { type BrowsePart, PAGES_IN_PART, partsOf } from './part-names.ts';
import { accountPage, accountsPage, changesPage, HOME, ICON, monthPage, SCRIPT, STYLE } from './paths.ts';
import { parseRecords } from './record-text.ts';
import type { RenderedState } from './rendered-state.ts';
import { searchFiles } from './search-index.ts';

export type { BrowseFile } from './browse-file.ts';
export type { BrowsePart } from './part-names.ts';

/** The number of records on the home page. */
const NEWEST = 10;

/**
 * The files for people. They are divided into parts, which can be rendered in any order and on several threads. An object
 * reads what several parts need only once: the folders of all handles (9 bytes for each) and the counts of all days.
 */
export class Browse {
  readonly #store: Store;
  readonly #site: Site;
  readonly #accounts: StoredAccounts;
  #index: AccountIndex | undefined;
  #formerIndex: AccountIndex | undefined;
  #months: readonly Month[] | undefined;

  constructor(store: Store, site: Site) {
    this.#store = store;
    this.#site = site;
    this.#accounts = store.storedAccounts();
  }

  /** All parts, in the order of the manifest. */
  get parts(): readonly BrowsePart[] {
    return partsOf(this.#changesPages, this.#accountsPages, changesArchives(this.#store.revision.records));
  }

  /** Whether all files of a part are the same as the present ones. If so, they need not be listed again. */
  isCurrent(part: BrowsePart, rendered: RenderedState): boolean {
    return part.kind === 'search' && rendered.search;
  }

  /**
   * Yields the files of a part, always in the same order. A file must be rendered before the next one is taken.
   * @throws Failure bad-store
   */
  files(part: BrowsePart, rendered: RenderedState): Generator<BrowseFile> {
    const since = rendered.revision;
    switch (part.kind) {
      case 'home':
        return this.#homeFiles(since);
      case 'changes':
        return this.#changesFiles(part.index, since);
      case 'accounts':
        return this.#accountsFiles(part.index, since);
      case 'account':
        return this.#accountFiles(part.index, since);
      case 'feeds':
        return changeFeeds(this.#store, this.#site.base_url, part.index, rendered);
      case 'search':
        return this.#searchFiles();
    }
  }

  get #changesPages(): number {
    return pagesFor(this.#store.revision.records, this.#site.page_size);
  }

  get #accountsPages(): number {
    return pagesFor(this.#store.revision.accounts, this.#site.account_page_size);
  }

  *#homeFiles(since: number): Generator<BrowseFile> {
    const { records, accounts, feed, ranking } = this.#store.revision;
    const render = () => {
      const newest = parseRecords(this.#store.feed('first').take(NEWEST).json);
      return [homePage({ records, accounts, months: this.#allMonths(), newest })];
    };
    yield { path: STYLE, render: () => [stylesheet()] };
    yield { path: ICON, render: () => [icon()] };
    yield { path: SCRIPT, render: () => [Buffer.from(clientScript())] };
    yield { path: HOME, render: Math.max(feed, ranking) <= since ? undefined : render };
    const months = this.#allMonths();
    for (const [index, month] of months.entries()) {
      const render = () => [monthPageBytes(months, index, this.#site.page_size)];
      yield { path: monthPage(month.month), render: feed <= since ? undefined : render };
    }
  }

  *#changesFiles(index: number, since: number): Generator<BrowseFile> {
    const { records, feed } = this.#store.revision;
    const [size, pages] = [this.#site.page_size, this.#changesPages];
    const isOld = feed <= since;
    const cursor = isOld ? undefined : this.#store.feedAfter(index * PAGES_IN_PART * size);
    for (let page = index * PAGES_IN_PART + 1; page <= Math.min(pages, (index + 1) * PAGES_IN_PART); page += 1) {
      const count = Math.min(size, records - (page - 1) * size);
      const json = cursor === undefined || count === 0 ? Buffer.alloc(0) : cursor.take(count).json;
      yield { path: changesPage(page), render: isOld ? undefined : () => [feedPage(page, pages, json)] };
    }
  }

  *#accountsFiles(index: number, since: number): Generator<BrowseFile> {
    const [size, pages] = [this.#site.account_page_size, this.#accountsPages];
    const lines = this.#store.accountLinesAfter(index * PAGES_IN_PART * size);
    for (let page = index * PAGES_IN_PART + 1; page <= Math.min(pages, (index + 1) * PAGES_IN_PART); page += 1) {
      const run = lines.take(size);
      const isOld = Math.max(this.#store.revision.ranking, run.revision) <= since;
      yield { path: accountsPage(page), render: isOld ? undefined : () => [accountsListPage(page, pages, run.read())] };
    }
  }

  *#accountFiles(folder: number, since: number): Generator<BrowseFile> {
    this.#index ??= new AccountIndex(this.#accounts.handles(), this.#store.revision.accounts);
    this.#formerIndex ??= new AccountIndex(this.#accounts.allFormerHandles(), this.#accounts.formerHandleCount);
    const former = new FormerHandles(this.#accounts, this.#formerIndex, folder);
    const current = new Set<string>();
    for (const row of this.#index.rows(folder)) {
      let account = this.#accounts.account(row, since);
      const handle = byteText(account.screen_name);
      if (former.has(handle)) {
        current.add(handle);
        // the page says who had the handle before, and that account can have changed
        account = this.#accounts.account(row, -1);
      }
      yield* accountFiles(this.#site.base_url, this.#accounts, former, account);
    }
    for (const [handle, holders] of former) {
      if (!current.has(handle)) yield { path: accountPage(handle), render: () => [formerHandlePage(handle, holders)] };
    }
  }

  /** All names together decide how the index is divided, so a change of one account can change any file. */
  *#searchFiles(): Generator<BrowseFile> {
    for (const { path, text } of searchFiles(this.#store.searchedNames())) yield { path, render: () => [encodeFile(text)] };
  }

  #allMonths(): readonly Month[] {
    this.#months ??= monthsOf(this.#store.feedDays());
    return this.#months;
  }
}
