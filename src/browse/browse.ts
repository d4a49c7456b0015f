import { isDeepStrictEqual } from 'node:util';
import type { Site } from '../contract/site.ts';
import type { NewerAccount } from '../store/accounts/names-since-checkpoint.ts';
import type { HandleOfRow, StoredAccounts } from '../store/accounts/stored-accounts.ts';
import type { FeedDay } from '../store/feed/feed-days.ts';
import type { Store } from '../store/store.ts';
import { accountLists, nameLists } from './accounts/account-lists.ts';
import { accountFiles } from './accounts/account-pages.ts';
import { changedAccountsPage, NewestChanges } from './accounts/changed-accounts-page.ts';
import { type ChangedAccounts, changedAccounts, changedFiles } from './accounts/changed-by-folder.ts';
import { FormerHandles, formerHandleFiles } from './accounts/former-handles.ts';
import { atCheckpoint, withNewNames } from './accounts/newer-names.ts';
import { RecordLookup } from './accounts/record-lookup.ts';
import { clientScript, icon, stylesheet } from './assets.ts';
import { accountFeedBytes, feedBytes, newestArchive } from './atom.ts';
import { ChangesPages, recordsInFeed } from './changes-pages.ts';
import { FieldCounts } from './filter/field-counts.ts';
import { homePage } from './home-page.ts';
import { type ByteText, byteText, encodeFile, parseRecords } from './markup.ts';
import { monthPageOf } from './months/month-page.ts';
import { type Month, monthsOf } from './months/months.ts';
import { MonthRecords } from './months/most-changed.ts';
import { monthSnapshots } from './months/unseen-months.ts';
import { PageFrames, type UnframedFile } from './page-frame.ts';
import { type BrowseFile, type BrowsePart, partsOf, type RenderedState, rowsByFolder } from './parts.ts';
import {
  ABOUT,
  accountFeed,
  CHANGED_ACCOUNTS,
  CHANGES_FEED,
  HOME,
  ICON,
  monthPage,
  NOT_FOUND_FILE,
  SCRIPT,
  SITE_SCRIPT,
  STYLE,
} from './paths.ts';
import { newerNamesFile, searchFiles } from './search/search-index.ts';
import { NEWER_NAMES } from './search/search-terms.ts';
import { aboutPage, type ShownState, shownState, siteScript } from './site/about-page.ts';
import { notFoundPage } from './site/not-found-page.ts';

/** The number of records on the home page. */
const NEWEST = 10;

/** What is counted of all records. */
interface Counted {
  /** Newest first. */
  readonly months: readonly Month[];
  readonly fields: FieldCounts;
  readonly records: MonthRecords;
  readonly changes: NewestChanges;
}

/**
 * The files of the HTML pages. They are divided into parts, which can be rendered in any order and on several threads. An object
 * reads what several parts need only once: the folders of all handles (about 9 bytes for each) and the counts of all days.
 */
export class Browse {
  readonly #store: Store;
  readonly #site: Site;
  readonly #accounts: StoredAccounts;
  readonly #lookup: RecordLookup;
  readonly #frames: PageFrames;
  /** The accounts with records after the checkpoint. */
  readonly #newer: readonly NewerAccount[];
  /** The row numbers of the accounts that have a handle in each folder, and of those that had one. */
  #rows: ReturnType<typeof rowsByFolder> | undefined;
  #formerRows: ReturnType<typeof rowsByFolder> | undefined;
  readonly #changes: ChangesPages;
  #changed: ChangedAccounts | undefined;

  constructor(store: Store, site: Site) {
    this.#store = store;
    this.#site = site;
    this.#accounts = store.storedAccounts();
    this.#lookup = new RecordLookup(this.#accounts);
    this.#frames = new PageFrames(site);
    this.#newer = store.accountsSinceCheckpoint();
    this.#changes = new ChangesPages(store, site, this.#lookup);
  }

  /** All parts, in the order of the manifest. */
  get parts(): readonly BrowsePart[] {
    return partsOf(this.#changes.count);
  }

  /** Whether all files of a part are the same as the present ones. If so, they need not be listed again. */
  isCurrent(part: BrowsePart, rendered: RenderedState): boolean {
    if (part.kind === 'names' || part.kind === 'search') return rendered.names;
    const changed = part.kind === 'account' ? this.#changedSince(rendered.revision) : undefined;
    return changed !== undefined && !changed.folders.has(part.index);
  }

  /**
   * Yields the files of a part, always in the same order. A file must be rendered before the next one is taken.
   * @throws Failure bad-store
   */
  *files(part: BrowsePart, rendered: RenderedState): Generator<BrowseFile> {
    for (const file of this.#unframed(part, rendered)) yield this.#frames.framed(file);
  }

  #unframed(part: BrowsePart, rendered: RenderedState): Generator<UnframedFile> {
    const since = rendered.revision;
    switch (part.kind) {
      case 'home':
        return this.#homeFiles(rendered);
      case 'changes':
        return this.#changes.files(part.index, rendered);
      case 'accounts':
        return accountLists(this.#accounts, (handle) => this.#changedSince(since)?.handles.has(handle) ?? true);
      case 'account':
        return this.#accountFiles(part.index, rendered);
      case 'names':
        return nameLists(this.#accounts, this.#newer);
      case 'search':
        return this.#searchFiles();
    }
  }

  /** Returns the accounts that changed since a revision; undefined if any can have. */
  #changedSince(since: number): ChangedAccounts | undefined {
    if (since === -1 || this.#store.revision.ranking > since) return undefined;
    if (this.#changed?.since !== since) this.#changed = changedAccounts(since, this.#accounts.handlesChangedSince(since));
    return this.#changed;
  }

  *#homeFiles({ revision: since, records: sameRecords, snapshot_days: oldDays = [] }: RenderedState): Generator<UnframedFile> {
    const { records, feed, ranking } = this.#store.revision;
    const { page_size, snapshot_days = [] } = this.#site;
    const pages = this.#changes.count;
    let known: Counted | undefined;
    const counted = () => {
      known ??= this.#counted();
      return known;
    };
    const months = () => counted().months;
    const newestRecords = (count: number) => parseRecords(this.#store.feed().take(count).json);
    yield { path: STYLE, render: () => [stylesheet()] };
    yield { path: ICON, render: () => [icon()] };
    yield { path: SCRIPT, render: () => [clientScript()] };
    const scriptState = () => ({
      fingerprint: this.#store.revision.fingerprint,
      fields: counted().fields.newest(),
      months: months().map(({ month }) => month),
    });
    yield { path: SITE_SCRIPT, render: () => [Buffer.from(siteScript(this.#site, scriptState()))] };
    const newer = () => withNewNames(this.#accounts, this.#newer);
    yield { path: NEWER_NAMES, render: () => [encodeFile(newerNamesFile(newer()))] };
    yield { path: NOT_FOUND_FILE, render: () => [notFoundPage(this.#site.base_url)] };
    const state = () => this.#state(months());
    // it has the fingerprint, which each build changes
    yield { path: ABOUT, render: () => [aboutPage(this.#site, state())] };
    const home = () => {
      const [lookup, links] = [this.#lookup, this.#changes.links(pages, '')];
      const fields = counted().fields.totals();
      return homePage({ site: this.#site, state: state(), months: months(), fields, newest: newestRecords(NEWEST), lookup, links });
    };
    yield {
      path: HOME,
      render: Math.max(feed, ranking) <= since && isDeepStrictEqual(snapshot_days, oldDays) ? undefined : () => [home()],
    };
    const changed = () => {
      const newest = counted().changes.handles((after) => this.#store.feed(after));
      return changedAccountsPage(this.#accounts, newest, newer(), this.#store.revision.accounts);
    };
    const isSame = this.#changedSince(since)?.handles.size === 0;
    yield { path: CHANGED_ACCOUNTS, render: isSame ? undefined : () => [changed()] };
    const atom = () => {
      const inFeed = newestRecords(recordsInFeed(records, this.#site));
      // a rename has no place in an archive before the account has another record
      const newestRenames = this.#lookup.renames.all.toSorted((one, other) => other.seen_to - one.seen_to).slice(0, page_size);
      const renames = [...new Set([...this.#lookup.renamesBefore(inFeed), ...newestRenames])];
      return feedBytes(this.#site, newestArchive(pages), 0, { records: inFeed, renames }, this.#lookup);
    };
    yield { path: CHANGES_FEED, render: feed <= since ? undefined : () => [atom()] };
    const changesPageOf = ({ before }: FeedDay) => Math.ceil((records - before) / page_size);
    const newest = (month: Month) => counted().records.newest(month.month, records - sameRecords);
    for (const [index, month] of months().entries()) {
      const snapshots = monthSnapshots(snapshot_days, month.month);
      const page = () => monthPageOf(months(), index, counted().records.mostChanged(month.month), snapshots, this.#lookup, changesPageOf);
      const haveSameDays = isDeepStrictEqual(snapshots, monthSnapshots(oldDays, month.month));
      // it has links to the months beside it, which can be new
      const isOld =
        !newest(month).some &&
        !months()
          .slice(Math.max(0, index - 1), index + 2)
          .some((beside) => newest(beside).all);
      yield { path: monthPage(month.month), render: haveSameDays && (feed <= since || isOld) ? undefined : () => [page()] };
    }
    yield* counted().fields.files(feed <= since);
  }

  /** Counts all records once. */
  #counted(): Counted {
    const fields = new FieldCounts(this.#store.revision.records, this.#site.page_size);
    const records = new MonthRecords((after) => this.#store.feed(after));
    const changes = new NewestChanges();
    const days = this.#store.feedDays((record, before) => {
      fields.add(record, before);
      records.add(record, before);
      changes.add(record, before);
    });
    return { months: monthsOf(days, this.#lookup.renames.all), fields, records, changes };
  }

  *#accountFiles(folder: number, { revision: since, paths }: RenderedState): Generator<UnframedFile> {
    this.#formerRows ??= rowsByFolder(this.#accounts.allFormerHandles());
    const former = new FormerHandles(this.#accounts, this.#formerRows[folder] ?? [], folder);
    const changed = this.#changedSince(since)?.folders.get(folder);
    if (paths !== undefined && changed?.every(({ handle }) => !former.has(byteText(handle)))) {
      const filesOf = ({ id }: HandleOfRow) =>
        accountFiles(this.#site, this.#accounts, former, this.#accounts.account(id, since), this.#lookup);
      return yield* changedFiles(paths, changed, filesOf);
    }
    this.#rows ??= rowsByFolder(this.#accounts.handles());
    const parts = new Map<ByteText, number>();
    for (const row of this.#rows[folder] ?? []) {
      let account = this.#accounts.account(row, since);
      const handle = byteText(account.screen_name);
      // the page says who had the handle before, and that account can have changed
      if (former.has(handle)) account = this.#accounts.account(row, -1);
      const count = yield* accountFiles(this.#site, this.#accounts, former, account, this.#lookup);
      if (former.has(handle)) parts.set(handle, count);
    }
    for (const handle of former.handles()) {
      const [holders, present] = [former.holdersOf(handle), parts.get(handle) ?? 0];
      yield* formerHandleFiles(handle, holders, present);
      if (!this.#site.account_feeds || present > 0) continue;
      yield {
        path: accountFeed(handle),
        render: () => [accountFeedBytes(this.#site, handle, { records: [], renames: [] }, holders, this.#lookup)],
      };
    }
  }

  *#searchFiles(): Generator<UnframedFile> {
    const reader = this.#store.accountReader();
    const accounts = () => atCheckpoint(reader.searchedNames(), this.#newer);
    for (const { path, text } of searchFiles(accounts)) yield { path, render: () => [encodeFile(text)] };
  }

  #state(months: readonly Month[]): ShownState {
    return shownState(this.#store.revision, months, this.#lookup.renames.all.length);
  }
}
