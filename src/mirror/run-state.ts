import { randomUUID } from 'node:crypto';
import { COLLECTIONS, type Collection, type PerCollection } from '../contract/pages/collection.ts';
import type { MirrorState, MirrorSummary } from '../store/mirror-state.ts';
import type { SavedTree } from './spool/page-spool.ts';
import { startAccountWalk } from './walk/account-walk.ts';
import { unreadRanges } from './walk/gaps.ts';
import { afterPage, type Beginning, isNewRound, type PageOutcome, type Plan, startPlan } from './walk/reading-plan.ts';

/** What a run found in one collection. */
interface CollectionState {
  /** The number of items known before the run, and of new items that it found. */
  readonly known: number;
  readonly fresh: number;
  /** The number of the current round, counted over all walks; and of the items seen in it. */
  readonly round: number;
  readonly seen: number;
  /** The number of items on the shortest page that had a `next`. */
  readonly shortest: number;
  /** The `count` of the last page; that of the run before if this run has read no page. */
  readonly count: number;
}

/** The state of a run. It is plain data, which is saved with each page. */
export interface RunState extends PerCollection<CollectionState> {
  /** Identifies the run. */
  readonly run: string;
  /** The last run before it whose pages are in the store; null if there is none. */
  readonly after: string | null;
  readonly isFull: boolean;
  /** Whether the pages come from a file with a version of the site. A later run then begins again: that takes no request. */
  readonly isVersion: boolean;
  readonly beginning: Beginning;
  readonly plan: Plan;
  readonly pages: { readonly read: number; readonly unchanged: number };
  /** The state after all pages were read, if the run was interrupted at that point and now reads only new items. */
  readonly finished?: RunState;
}

/**
 * Returns the state of a new run.
 * @param memory what is known of the service
 * @param changed the pages of the service that changed, if it is a tree
 */
export function startRun(
  memory: Pick<MirrorState, 'summary' | 'count'>,
  { isFull, isVersion, changed }: Pick<RunState, 'isFull' | 'isVersion'> & Pick<Beginning, 'changed'>,
): RunState {
  const { run = null, watermark = null, excess = { data: 0, account: 0 } } = memory.summary ?? {};
  const [records, accounts] = [memory.count('data'), memory.count('account')];
  const beginning = { watermark, excess, accounts, isFull, changed };
  const start = { fresh: 0, round: 1, seen: 0, shortest: Number.MAX_SAFE_INTEGER };
  return {
    run: randomUUID(),
    after: run,
    isFull,
    isVersion,
    beginning,
    plan: startPlan(beginning),
    data: { ...start, known: records, count: records + excess.data },
    account: { ...start, known: accounts, count: accounts + excess.account },
    pages: { read: 0, unchanged: 0 },
  };
}

/** Returns what the store knows of the service after a run. @param tree the tree that was read in full, if the service is one */
export function summaryOf({ run, plan }: RunState, tree: SavedTree | undefined): MirrorSummary {
  return {
    run,
    watermark: plan.feed.watermark,
    excess: { data: plan.feed.excess, account: plan.accounts.excess },
    build: tree?.build ?? null,
    manifest: tree?.manifest ?? null,
  };
}

/**
 * Whether a new run can resume an interrupted one. It cannot if another run has finished since, if the new run is a full one and the
 * interrupted one is not, or if its pages came from a version, which is kept.
 * @param state the interrupted run; undefined if there is none
 * @param last the last run whose pages are in the store; null if there is none
 */
export function isResumable(state: RunState | undefined, last: string | null, isFull: boolean): boolean {
  if (state === undefined) return true;
  return !state.isVersion && state.after === last && (state.isFull || !isFull || last === null);
}

/** Drops the lists of changed pages: they belong to a tree that was replaced. */
export function withoutChangedPages(state: RunState): RunState {
  const beginning = { ...state.beginning, changed: { data: undefined, account: undefined } };
  return { ...inNewRound(inNewRound(state, 'data'), 'account'), beginning, plan: startPlan(beginning) };
}

/** Returns the state of a run that has read everything and reads what the service has added since, as the next run would. */
export function readNewItems({ finished: _, ...state }: RunState): RunState {
  const { beginning, plan, account } = state;
  const { feed, accounts, changed, unread } = plan;
  const excess = { data: feed.excess, account: accounts.excess };
  const isGap = feed.gaps.length + accounts.gaps.length > 0;
  const again = { watermark: feed.watermark, excess, accounts: account.known + account.fresh, isFull: false };
  const start =
    // a changed page that could not be read has known records, so no count shows that it is missing
    isGap && (changed.data ?? changed.account) !== undefined
      ? startPlan(beginning)
      : startPlan({ ...again, changed: { data: undefined, account: undefined } });
  // nor does a count show a page of known accounts that could not be read
  const walk = accounts.gaps.length > 0 ? startAccountWalk('sweep', accounts.excess) : start.accounts;
  const next = { ...start, accounts: walk, unread: isGap ? [] : unread };
  return { ...inNewRound(inNewRound(state, 'data'), 'account'), plan: next, finished: state };
}

/** Returns the state of a run that has read everything, and then could not read page 1 of the feed again. */
export function withUnreadStart(state: RunState, reason: string): RunState {
  const { feed } = state.plan;
  const gap = { page: 1, reason, newer: null, older: feed.newest };
  return { ...state, plan: { ...state.plan, feed: { ...feed, state: 'incomplete', gaps: [gap, ...feed.gaps] } } };
}

/** Whether a page must be read again even if it has not changed. @param hasRejects whether items of the service were rejected */
export function mustRead(collection: Collection, state: RunState | undefined, hasRejects: boolean): boolean {
  if (state === undefined) return false;
  // the contents of known pages lack rejected items, and the records of accounts, which an unread page of the feed may have
  return (state.isFull && hasRejects) || (collection === 'account' && unreadRanges(state.plan.feed).length > 0);
}

/** Returns the number of items on a full page; undefined if the run read none that is followed by another. */
export function pageSizesOf({ data, account }: RunState): PerCollection<number | undefined> {
  const size = ({ shortest }: CollectionState) => (shortest === Number.MAX_SAFE_INTEGER ? undefined : shortest);
  return { data: size(data), account: size(account) };
}

/**
 * Returns the number of items that the service counts and that no page has shown, in this run or an earlier one. It is below 0
 * if the pages showed more.
 * @param gone the number of known items that the service no longer has
 */
export function excessOf({ data, account }: Pick<RunState, Collection>, gone: PerCollection<number>): PerCollection<number> {
  return {
    data: data.count - (data.known + data.fresh - gone.data),
    account: account.count - (account.known + account.fresh - gone.account),
  };
}

/** Returns the state after the next page of its plan was read, or could not be read. See {@link afterPage}. */
export function withOutcome(state: RunState, outcome: PageOutcome, excess: number | null): RunState {
  const next = { ...state, plan: afterPage(state.plan, outcome, excess) };
  return COLLECTIONS.filter((collection) => isNewRound(state.plan, next.plan, collection)).reduce(inNewRound, next);
}

function inNewRound(state: RunState, collection: Collection): RunState {
  return { ...state, [collection]: { ...state[collection], round: state[collection].round + 1, seen: 0 } };
}

/**
 * Returns the number of pages of a collection, as far as it is known.
 * @param size the maximum number of items on a page
 */
export function pagesOf({ count, shortest }: CollectionState, size = Number.MAX_SAFE_INTEGER): number {
  return Math.max(1, Math.ceil(count / Math.max(1, Math.min(shortest, size))));
}
