import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import type { Collection, PerCollection } from '../contract/pages/collection.ts';
import type { ItemKey } from '../store/mirror-state.ts';
import { idsCovered, rangesShown, unseenRecordsGone } from './gone-from-service.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { MAX_ATTEMPTS, serviceFailed } from './retrying-client.ts';
import { excessOf, pagesOf, type RunState, readNewItems, withOutcome, withoutChangedPages, withUnreadStart } from './run-state.ts';
import type { PageContents } from './service-page.ts';
import type { PageSpool } from './spool/page-spool.ts';
import { recordsIn, unreadRanges } from './walk/gaps.ts';
import { nextPage, type PageName } from './walk/reading-plan.ts';

/** The maximum number of requests for page 1 after a bad page, and for a page that follows a bad page. */
const FEW_ATTEMPTS = 3;
/** The maximum number of consecutive bad pages that one run skips. */
const MAX_BAD_PAGES = 10;
/** The number of consecutive pages without a `next` and without new items that end the feed, although `count` implies more. */
const MAX_ENDS = 10;

export interface RunOptions {
  /** The number of concurrent requests, if all pages are read. */
  readonly concurrency: number;
  /** The phases are the collections. They count pages. */
  readonly onProgress?: OnProgress<Collection> | undefined;
}

/** Reads the pages of the plan one after another, and saves each together with the state after it. */
export class Run {
  state: RunState;
  readonly #spool: PageSpool;
  readonly #reader: Pick<PageReader, 'read' | 'addressOf'>;
  readonly #options: RunOptions;
  /** Pages that were requested and are not saved yet. */
  readonly #requested = new Map<string, Promise<Reading>>();
  /** Consecutive pages that could not be read. */
  #badPages = 0;
  /** Consecutive pages without a `next` and without new items. */
  #ends = 0;

  constructor(state: RunState, spool: PageSpool, reader: Pick<PageReader, 'read' | 'addressOf'>, options: RunOptions) {
    this.state = state;
    this.#spool = spool;
    this.#reader = reader;
    this.#options = options;
  }

  /**
   * Ends a run that another process began. If that had read all pages, items may have been added since. So the run reads the new ones. If
   * the service can no longer be read, page 1 of the feed is a gap.
   * @throws Failure see {@link toEnd}
   */
  async resume(): Promise<void> {
    if (this.state.plan.stage === 'done') this.state = readNewItems(this.state);
    const { finished } = this.state;
    try {
      await this.toEnd();
    } catch (error) {
      const isUnreachable = error instanceof Failure && /^(service-failed|bad-service)$/.test(error.code);
      if (finished === undefined || !isUnreachable) throw error;
      this.state = withUnreadStart(finished, error.found ?? error.message);
    }
  }

  /** @throws Failure service-failed, bad-service, stopped: the state stays saved */
  async toEnd(): Promise<void> {
    for (let name = nextPage(this.state.plan); name !== undefined; name = nextPage(this.state.plan)) {
      // only a walk through all pages has a known end
      const isReadingAll = this.#isReadingAll(name.collection);
      const reading = await this.#request(name);
      if (reading.kind === 'page') this.#save(() => this.#after(name, reading));
      else if (reading.kind === 'tree-changed') this.#save(() => withoutChangedPages(this.state));
      else await this.#skipPage(name, reading);
      this.#requested.delete(keyOf(name));
      if (isReadingAll) this.#options.onProgress?.(name.collection, name.number, pagesOf(this.state[name.collection]));
      else this.#options.onProgress?.(name.collection, this.state.pages.read, 0);
    }
  }

  gone(): PerCollection<readonly ItemKey[]> {
    return { data: this.#spool.items.goneItems('data'), account: this.#spool.items.goneItems('account') };
  }

  #save(work: () => RunState): void {
    this.state = this.#spool.transaction(() => {
      const state = work();
      this.#spool.setState(state);
      return state;
    });
  }

  /** Skips a page that cannot be read, if page 1 can be read. The `count` on page 1 tells whether the page should exist. */
  async #skipPage(name: PageName, reading: Reading & { readonly kind: 'failed' | 'missing' }): Promise<void> {
    const isMissing = reading.kind === 'missing';
    const reason = isMissing ? 'status 404' : reading.reason;
    const { shortest } = this.state[name.collection];
    const first = name.number === 1 ? reading : await this.#reader.read({ ...name, number: 1 }, FEW_ATTEMPTS);
    if (first.kind === 'tree-changed') return this.#save(() => withoutChangedPages(this.state));
    const isRetry = this.state.plan.stage === 'retry';
    if (first.kind !== 'page' || (this.#badPages >= MAX_BAD_PAGES && !isRetry)) throw serviceFailed(this.#reader.addressOf(name), reason);
    const { count, items } = first.contents;
    const pages = Math.ceil(count / Math.max(1, Math.min(shortest, items.length)));
    if (name.number <= pages && !isRetry) this.#badPages += 1;
    const { [name.collection]: before } = this.state;
    const state = { ...this.state, [name.collection]: { ...before, count } };
    this.#save(() => withOutcome(state, { kind: 'unread', isMissing, reason, count, pages }, this.#excessIfSupplied(state)));
  }

  /** Returns `count` minus the number of known records, if other pages have shown all records of the unread pages of the feed; otherwise null. */
  #excessIfSupplied(state: RunState): number | null {
    const { items } = this.#spool;
    const { round } = state.data;
    const { ranges, isAll } = rangesShown(state, (range) => items.shownIn(range, round));
    items.markGone(
      'data',
      ranges.flatMap((range) => items.unseenRecords(range, round)),
    );
    return isAll ? excessOf(state, { data: items.gone('data'), account: 0 }).data : null;
  }

  /** Requests a page, and also the next pages if all pages are read. Requests no page twice. */
  #request(name: PageName): Promise<Reading> {
    if (!this.#requested.has(keyOf(name))) this.#requested.clear();
    const last = this.#isReadingAll(name.collection) ? pagesOf(this.state[name.collection]) : name.number;
    for (let number = name.number; number < name.number + this.#options.concurrency; number += 1) {
      const key = keyOf({ ...name, number });
      if ((number > last && number !== name.number) || this.#requested.has(key)) continue;
      const reading = this.#read({ ...name, number });
      // a page that is requested ahead may never be used
      reading.catch(() => {});
      this.#requested.set(key, reading);
    }
    return this.#requested.get(keyOf(name)) ?? this.#read(name);
  }

  /** A page that follows a bad page is often bad too. */
  #read(name: PageName): Promise<Reading> {
    return this.#reader.read(name, this.#badPages === 0 ? MAX_ATTEMPTS : FEW_ATTEMPTS);
  }

  #isReadingAll(collection: Collection): boolean {
    const { stage, feed, accounts, changed } = this.state.plan;
    if (stage === 'retry' || changed[collection] !== undefined) return false;
    return collection === 'data' ? feed.watermark === null : accounts.route === 'forward';
  }

  /** Adds a page to the spool. Returns the state after it. */
  #after(name: PageName, reading: Reading & { readonly kind: 'page' }): RunState {
    const { collection, number } = name;
    this.#badPages = 0;
    const { contents, sent, etag, url } = reading;
    this.#spool.addPage({ url, collection, number, etag }, contents, sent);
    const { [collection]: before, pages } = this.state;
    // the last page can link to a page that is not there
    const isLast = before.shortest < Number.MAX_SAFE_INTEGER && number >= pagesOf({ ...before, count: contents.count });
    const isFull = contents.next !== null && contents.items.length > 0 && !isLast;
    const tally = this.#spool.items.markSeen(collection, contents.items, before.round);
    const state: RunState = {
      ...this.state,
      [collection]: {
        ...before,
        fresh: before.fresh + tally.fresh,
        seen: before.seen + tally.seen,
        shortest: isFull ? Math.min(before.shortest, contents.items.length) : before.shortest,
        count: contents.count,
      },
      pages: { read: pages.read + 1, unchanged: pages.unchanged + (sent === null ? 1 : 0) },
    };
    // a service can count too few or too many items, or link to ever more pages without new items
    this.#ends = contents.next === null && tally.seen === 0 ? this.#ends + 1 : 0;
    const isEnd = tally.seen === 0 && (this.#ends >= MAX_ENDS || number > pagesOf(state[collection]));
    const page = isEnd ? { ...contents, next: null } : contents;
    return collection === 'data' ? this.#afterFeedPage(state, number, page, isEnd) : this.#afterAccountsPage(state, number, page);
  }

  /** @param isEnd whether no page after this one is requested, whatever `count` implies */
  #afterFeedPage(state: RunState, number: number, contents: PageContents, isEnd: boolean): RunState {
    const ids = contents.items.flatMap(({ key }) => (typeof key === 'number' ? [key] : []));
    const page = {
      number,
      count: contents.count,
      hasNext: contents.next !== null,
      pages: isEnd ? number : pagesOf(state.data, number === 1 ? contents.items.length : undefined),
      highest: ids.length === 0 ? null : ids.reduce((a, b) => Math.max(a, b)),
      lowest: ids.length === 0 ? null : ids.reduce((a, b) => Math.min(a, b)),
      isOrdered: ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0)),
    };
    const { items } = this.#spool;
    const { known, fresh, seen, shortest, round } = state.data;
    const onPages = unreadRanges(state.plan.feed).reduce((sum, range) => sum + recordsIn(range, shortest, page.count), seen);
    const covered = idsCovered(state.plan, page, onPages);
    if (covered !== undefined) items.markGone('data', items.absentRecords(covered.low, covered.high, new Set(ids)));
    const isGone = known + fresh - items.gone('data') > seen ? unseenRecordsGone(state.plan, page, seen) : undefined;
    if (isGone !== undefined) items.markGone('data', items.unseen('data', round).filter(isGone));
    const tally = { known: known + fresh - items.gone('data'), onPages, wanted: items.wanted };
    return withOutcome(state, { kind: 'feed', page, tally }, this.#excessIfSupplied(state));
  }

  #afterAccountsPage(before: RunState, number: number, contents: PageContents): RunState {
    const { items } = this.#spool;
    const page = { number, count: contents.count, items: contents.items.length, hasNext: contents.next !== null };
    const ranges = unreadRanges(before.plan.feed);
    const records = contents.items.flatMap((item) => item.records ?? []);
    const fresh = before.data.fresh + items.markSupplied(records, ranges, before.data.round);
    const state = { ...before, data: { ...before.data, fresh } };
    const known = state.account.known + state.account.fresh - items.gone('account');
    const tally = { known, seen: state.account.seen, wanted: items.wanted };
    const next = withOutcome(state, { kind: 'accounts', page, tally }, this.#excessIfSupplied(state));
    if (next.plan.accounts.areUnseenGone) items.markGone('account', items.unseen('account', state.account.round));
    return next;
  }
}

function keyOf({ collection, number }: PageName): string {
  return `${collection} ${number}`;
}
