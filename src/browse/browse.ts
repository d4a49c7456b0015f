import type { Site } from '../contract/site.ts';
import { pagesFor } from '../pages/page.ts';
import type { AccountsPage } from '../store/accounts/account-reader.ts';
import type { StoredAccounts } from '../store/accounts/stored-accounts.ts';
import type { Store } from '../store/store.ts';
import { accountFiles } from './account-pages.ts';
import { RecordAddresses } from './account-parts.ts';
import { clientScript, icon, stylesheet } from './assets.ts';
import { changeFeeds, changesArchives } from './atom.ts';
import { type ByteText, byteText, encodeFile, parseRecords } from './byte-text.ts';
import { FormerHandles, formerHandleFiles } from './former-handles.ts';
import { accountsListPage, feedPage, homePage } from './list-pages.ts';
import { type Month, monthPageBytes, monthsOf } from './months.ts';
import { AccountIndex, type BrowseFile, type BrowsePart, PAGES_IN_PART, partsOf, type RenderedState } from './parts.ts';
import { accountsPage, changesPage, HOME, ICON, monthPage, SCRIPT, STYLE } from './paths.ts';
import { searchFiles } from './search/search-index.ts';

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
  readonly #addresses: RecordAddresses;
  #index: AccountIndex | undefined;
  #formerIndex: AccountIndex | undefined;
  #months: readonly Month[] | undefined;

  constructor(store: Store, site: Site) {
    this.#store = store;
    this.#site = site;
    this.#accounts = store.storedAccounts();
    this.#addresses = new RecordAddresses(this.#accounts);
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
        return changeFeeds(this.#store, this.#site.base_url, part.index, rendered, this.#addresses.of);
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
      const newest = parseRecords(this.#store.feed().take(NEWEST).json);
      return [homePage({ records, accounts, months: this.#allMonths(), newest, addressOf: this.#addresses.of })];
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
    const cursor = isOld ? undefined : this.#store.feed(index * PAGES_IN_PART * size);
    for (let page = index * PAGES_IN_PART + 1; page <= Math.min(pages, (index + 1) * PAGES_IN_PART); page += 1) {
      const count = Math.min(size, records - (page - 1) * size);
      const json = cursor === undefined || count === 0 ? Buffer.alloc(0) : cursor.take(count).json;
      yield { path: changesPage(page), render: isOld ? undefined : () => [feedPage(page, pages, json, this.#addresses.of)] };
    }
  }

  *#accountsFiles(index: number, since: number): Generator<BrowseFile> {
    const [size, pages] = [this.#site.account_page_size, this.#accountsPages];
    const runs = this.#accounts.pages(index * PAGES_IN_PART * size, size);
    for (let page = index * PAGES_IN_PART + 1; page <= Math.min(pages, (index + 1) * PAGES_IN_PART); page += 1) {
      const run: AccountsPage | undefined = runs.next().value;
      const isOld = Math.max(this.#store.revision.ranking, run?.revision ?? 0) <= since;
      yield { path: accountsPage(page), render: isOld ? undefined : () => [accountsListPage(page, pages, run?.read() ?? [])] };
    }
  }

  *#accountFiles(folder: number, since: number): Generator<BrowseFile> {
    this.#index ??= new AccountIndex(this.#accounts.handles(), this.#store.revision.accounts);
    this.#formerIndex ??= new AccountIndex(this.#accounts.allFormerHandles(), this.#accounts.identityCounts().former_handles);
    const former = new FormerHandles(this.#accounts, this.#formerIndex, folder);
    const parts = new Map<ByteText, number>();
    for (const row of this.#index.rows(folder)) {
      let account = this.#accounts.account(row, since);
      const handle = byteText(account.screen_name);
      // the page says who had the handle before, and that account can have changed
      if (former.has(handle)) account = this.#accounts.account(row, -1);
      const count = yield* accountFiles(this.#site.base_url, this.#accounts, former, account);
      if (former.has(handle)) parts.set(handle, count);
    }
    for (const handle of former.handles()) {
      yield* formerHandleFiles(this.#site.base_url, handle, former.holdersOf(handle), parts.get(handle) ?? 0);
    }
  }

  /** All names together decide how the index is divided, so a change of one account can change any file. */
  *#searchFiles(): Generator<BrowseFile> {
    for (const { path, text } of searchFiles(this.#store.accountReader().names('page'))) yield { path, render: () => [encodeFile(text)] };
  }

  #allMonths(): readonly Month[] {
    this.#months ??= monthsOf(this.#store.feedDays());
    return this.#months;
  }
}
