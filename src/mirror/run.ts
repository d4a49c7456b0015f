import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import type { OnProgress } from '../contract/pauses.ts';
import type { ItemKey } from '../store/mirror-memory.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { afterPage, type Beginning, idsCoveredBy, nextPage, type PageName, type Plan, startPlan } from './plan.ts';
import { TRIES } from './retrying-client.ts';
import type { PageContents } from './service-page.ts';
import type { Spool } from './spool.ts';

type PerCollection<T> = { readonly [C in Collection]: T };

/** How far a run is: plain data, kept with each page. */
export interface RunState {
  /** Names the run. */
  readonly run: string;
  /** The run before it whose pages are in the store. */
  readonly after: string | null;
  readonly isFull: boolean;
  readonly beginning: Beginning;
  readonly plan: Plan;
  /** Items known before the run, and those that it found. */
  readonly known: PerCollection<number>;
  readonly fresh: PerCollection<number>;
  /** Items seen in the round at hand; the round's number, counted through all walks; and what tells it from the next. */
  readonly seen: PerCollection<number>;
  readonly round: PerCollection<number>;
  readonly roundName: PerCollection<string>;
  /** Items on the shortest page that had a next one. */
  readonly shortest: PerCollection<number>;
  /** What the last page said of the collection. */
  readonly count: PerCollection<number>;
  readonly pages: { readonly read: number; readonly unchanged: number };
}

const NONE: PerCollection<number> = { data: 0, account: 0 };
const NO_ROUND: PerCollection<string> = { data: '', account: '' };

export function startRun(begin: Pick<RunState, 'run' | 'after' | 'isFull' | 'known' | 'beginning'>): RunState {
  return {
    ...begin,
    plan: startPlan(begin.beginning),
    fresh: NONE,
    seen: NONE,
    round: NONE,
    roundName: NO_ROUND,
    shortest: { data: Number.MAX_SAFE_INTEGER, account: Number.MAX_SAFE_INTEGER },
    count: NONE,
    pages: { read: 0, unchanged: 0 },
  };
}

/** How often page 1, and a page after a bad one, is asked for at most. */
const FEW_TRIES = 3;
/** After so many consecutive bad pages the service has failed. */
const MOST_BAD_PAGES = 10;

/** Reading one of the collections. It counts pages. */
export type ReadPhase = Collection;

export interface RunOptions {
  /** Concurrent requests, if all pages are read. */
  readonly concurrency: number;
  readonly onProgress?: OnProgress<ReadPhase> | undefined;
}

/** Reads the pages that the plan asks for, one after another, and keeps each with the state after it. */
export class Run {
  state: RunState;
  readonly #spool: Spool<RunState>;
  readonly #reader: Pick<PageReader, 'read' | 'addressOf'>;
  readonly #options: RunOptions;
  /** Pages that have been asked for and not been kept yet. */
  readonly #requested = new Map<string, Promise<Reading>>();
  /** Consecutive pages that could not be read. */
  #badPages = 0;

  constructor(state: RunState, spool: Spool<RunState>, reader: Pick<PageReader, 'read' | 'addressOf'>, options: RunOptions) {
    this.state = state;
    this.#spool = spool;
    this.#reader = reader;
    this.#options = options;
  }

  /** @throws Failure service-failed, bad-service, stopped: the state is kept */
  async toEnd(): Promise<void> {
    for (let name = nextPage(this.state.plan); name !== undefined; name = nextPage(this.state.plan)) {
      // only a walk through all pages has a known end
      const isReadingAll = this.#isReadingAll(name.collection);
      const reading = await this.#request(name);
      if (reading.kind === 'page') this.#keep(() => this.#after(name, reading));
      else if (reading.kind === 'tree-changed') this.#keep(() => this.#withoutLists());
      else await this.#skipPage(name, reading);
      this.#requested.delete(nameOf(name));
      if (isReadingAll) this.#options.onProgress?.(name.collection, name.number, pagesOf(this.state, name.collection));
      else this.#options.onProgress?.(name.collection, this.state.pages.read, 0);
    }
  }

  /** What the service does not have any more. */
  gone(): PerCollection<readonly ItemKey[]> {
    return { data: this.#spool.goneItems('data'), account: this.#spool.goneItems('account') };
  }

  #keep(work: () => RunState): void {
    this.state = this.#spool.together(() => {
      const state = work();
      this.#spool.setState(state);
      return state;
    });
  }

  /** Skips a page that cannot be read, if the service shows page 1. Its count tells whether the page should be there. */
  async #skipPage(name: PageName, reading: Reading & { readonly kind: 'failed' | 'missing' }): Promise<void> {
    const isMissing = reading.kind === 'missing';
    const reason = isMissing ? 'status 404' : reading.reason;
    const shortest = this.state.shortest[name.collection];
    const first = name.number === 1 ? reading : await this.#reader.read({ ...name, number: 1 }, shortest, FEW_TRIES);
    if (first.kind === 'tree-changed') return this.#keep(() => this.#withoutLists());
    const isRetry = this.state.plan.stage === 'retry';
    if (first.kind !== 'page' || (this.#badPages >= MOST_BAD_PAGES && !isRetry)) throw this.#serviceFailed(name, reason);
    const { count, items } = first.contents;
    const pages = Math.ceil(count / Math.max(1, Math.min(shortest, items.length)));
    if (name.number <= pages && !isRetry) this.#badPages += 1;
    this.#keep(() => ({ ...this.state, plan: afterPage(this.state.plan, { kind: 'unread', isMissing, reason, pages }) }));
  }

  #serviceFailed(name: PageName, reason: string): Failure {
    return new Failure('service-failed', 'the service does not send a page', {
      place: { file: this.#reader.addressOf(name) },
      expected: 'a page of the API',
      found: reason,
      hint: 'check that address, then mirror again: the run resumes at this page; the store is unchanged',
    });
  }

  /** Requests a page, and ahead the pages after it if all pages are read. Requests no page twice. */
  #request(name: PageName): Promise<Reading> {
    if (!this.#requested.has(nameOf(name))) this.#requested.clear();
    const last = this.#isReadingAll(name.collection) ? pagesOf(this.state, name.collection) : name.number;
    for (let number = name.number; number < name.number + this.#options.concurrency; number += 1) {
      const key = nameOf({ ...name, number });
      if ((number > last && number !== name.number) || this.#requested.has(key)) continue;
      const reading = this.#read({ ...name, number });
      // a page that is requested ahead may never be used
      reading.catch(() => {});
      this.#requested.set(key, reading);
    }
    return this.#requested.get(nameOf(name)) ?? this.#read(name);
  }

  /** A page after a bad one is most often bad, too. */
  #read(name: PageName): Promise<Reading> {
    return this.#reader.read(name, this.state.shortest[name.collection], this.#badPages === 0 ? TRIES : FEW_TRIES);
  }

  #isReadingAll(collection: Collection): boolean {
    const { stage, feed, accounts, changed } = this.state.plan;
    if (stage === 'retry' || changed[collection] !== undefined) return false;
    return collection === 'data' ? feed.watermark === null : accounts.route === 'forward';
  }

  /** Drops the lists of changed pages: they belong to a tree that was replaced. */
  #withoutLists(): RunState {
    const beginning = { ...this.state.beginning, changed: { data: undefined, account: undefined } };
    return { ...this.state, beginning, plan: startPlan(beginning), roundName: NO_ROUND };
  }

  /** The state after a page; what was on it goes into the spool. */
  #after(name: PageName, reading: Reading & { readonly kind: 'page' }): RunState {
    const { collection, number } = name;
    this.#badPages = 0;
    const { contents, sent, etag, url } = reading;
    this.#spool.addPage({ url, collection, number, etag }, contents, sent);
    const begun = this.#inRound(collection);
    const tally = this.#spool.see(collection, contents.items, begun.round[collection]);
    const state: RunState = {
      ...begun,
      fresh: { ...begun.fresh, [collection]: begun.fresh[collection] + tally.fresh },
      seen: { ...begun.seen, [collection]: begun.seen[collection] + tally.seen },
      count: { ...begun.count, [collection]: contents.count },
      shortest: { ...begun.shortest, [collection]: shortest(begun.shortest[collection], contents) },
      pages: { read: begun.pages.read + 1, unchanged: begun.pages.unchanged + (sent === null ? 1 : 0) },
    };
    return collection === 'data' ? this.#afterFeedPage(state, number, contents) : this.#afterAccountsPage(state, number, contents);
  }

  #afterFeedPage(state: RunState, number: number, contents: PageContents): RunState {
    const ids = contents.items.flatMap(({ key }) => (typeof key === 'number' ? [key] : []));
    const page = {
      number,
      count: contents.count,
      hasNext: contents.next !== null,
      pages: pagesOf(state, 'data', number === 1 ? contents.items.length : undefined),
      highest: ids.length === 0 ? null : Math.max(...ids),
      lowest: ids.length === 0 ? null : Math.min(...ids),
      isOrdered: ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0)),
    };
    const tally = () => ({ known: state.known.data + state.fresh.data, gone: this.#spool.gone('data'), wanted: this.#spool.wanted });
    const absent = (low: number, high: number) => this.#spool.absentRecords(low, high, new Set(ids));
    const older = page.hasNext ? 0 : absent(0, page.lowest ?? Number.MAX_SAFE_INTEGER).length;
    const covered = idsCoveredBy(state.plan, page, tally(), older);
    if (covered !== undefined) this.#spool.noteGone('data', absent(covered.low, covered.high));
    return { ...state, plan: afterPage(state.plan, { kind: 'feed', page, tally: tally() }) };
  }

  #afterAccountsPage(state: RunState, number: number, contents: PageContents): RunState {
    const page = { number, count: contents.count, items: contents.items.length, hasNext: contents.next !== null };
    const known = state.known.account + state.fresh.account - this.#spool.gone('account');
    const tally = { known, seen: state.seen.account, wanted: this.#spool.wanted };
    const plan = afterPage(state.plan, { kind: 'accounts', page, tally });
    if (plan.accounts.hasSeenAll) this.#spool.noteGone('account', this.#spool.unseen('account', state.round.account));
    return { ...state, plan };
  }

  /** The state with the round at hand counted. */
  #inRound(collection: Collection): RunState {
    const { stage, pass, checks, feed, accounts, changed } = this.state.plan;
    const name = [stage, pass, checks, collection === 'data' ? feed.round : accounts.round, changed[collection] === undefined].join(' ');
    if (this.state.roundName[collection] === name) return this.state;
    return {
      ...this.state,
      round: { ...this.state.round, [collection]: this.state.round[collection] + 1 },
      roundName: { ...this.state.roundName, [collection]: name },
      seen: { ...this.state.seen, [collection]: 0 },
    };
  }
}

function nameOf({ collection, number }: PageName): string {
  return `${collection} ${number}`;
}

function shortest(before: number, { items, next }: PageContents): number {
  return next === null || items.length === 0 ? before : Math.min(before, items.length);
}

/**
 * How many pages a collection has, as far as is known.
 * @param size how many items a page has at most
 */
function pagesOf({ count, shortest }: RunState, collection: Collection, size = Number.MAX_SAFE_INTEGER): number {
  return Math.max(1, Math.ceil(count[collection] / Math.max(1, Math.min(shortest[collection], size))));
}
