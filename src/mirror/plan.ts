import type { Collection } from '../contract/collection.ts';
import {
  type AccountsPage,
  type AccountTally,
  type AccountWalk,
  afterAccountsFailure,
  afterAccountsPage,
  afterAccountsShrank,
  startAccountWalk,
} from './account-walk.ts';
import {
  afterFeedFailure,
  afterFeedPage,
  afterFeedShrank,
  type FeedPage,
  type FeedTally,
  type FeedWalk,
  idsCovered,
  startFeedWalk,
  walkFeedAgain,
} from './feed-walk.ts';

/** The pages that changed according to a manifest; undefined if the collection has to be walked. */
export type ChangedPages = { readonly [C in Collection]: readonly number[] | undefined };

/** What was known of a service before a run. */
export interface Beginning {
  readonly watermark: number | null;
  readonly excess: { readonly [C in Collection]: number };
  readonly accounts: number;
  readonly isFull: boolean;
  readonly changed: ChangedPages;
}

/**
 * What a run reads next: first the feed, then the accounts, then the feed again for records that were added meanwhile. If these name
 * new accounts, the accounts and the feed are read once more. A plan is plain data, which is saved after each page.
 */
export interface Plan {
  readonly stage: 'feed' | 'accounts' | 'check' | 'done';
  readonly pass: number;
  /** How often the feed has been walked again at the end. */
  readonly checks: number;
  /** The changed pages that are still to be read, instead of a walk. */
  readonly changed: ChangedPages;
  readonly feed: FeedWalk;
  readonly accounts: AccountWalk;
}

export interface PageName {
  readonly collection: Collection;
  readonly number: number;
}

/** The result of reading the next page. */
export type PageOutcome =
  | { readonly kind: 'feed'; readonly page: FeedPage; readonly tally: FeedTally & Pick<AccountTally, 'wanted'> }
  | { readonly kind: 'accounts'; readonly page: AccountsPage; readonly tally: AccountTally }
  /** The page no longer exists. */
  | { readonly kind: 'shrank' }
  /** The page cannot be read. `isLast`: no page follows it. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isLast: boolean };

/** The maximum number of passes through the accounts. New records can require another pass. */
const PASSES = 3;
/** The maximum number of times that the feed is walked again at the end, until page 1 alone has all new records. */
const CHECKS = 20;

export function startPlan({ watermark, excess, accounts, isFull, changed }: Beginning): Plan {
  return withoutEmptyStages({
    stage: 'feed',
    pass: 1,
    checks: 0,
    changed,
    feed: startFeedWalk(isFull ? null : watermark, excess.data),
    accounts: startAccountWalk(isFull || accounts === 0 ? 'forward' : 'backward', excess.account),
  });
}

/** Returns the next page to read; undefined at the end of the plan. */
export function nextPage(plan: Plan): PageName | undefined {
  if (plan.stage === 'done') return undefined;
  const collection = plan.stage === 'accounts' ? 'account' : 'data';
  const changed = plan.changed[collection]?.[0];
  return { collection, number: changed ?? (collection === 'data' ? plan.feed.page : plan.accounts.page) };
}

/** Returns the range of ids that a page of the feed covers: see {@link idsCovered}. */
export function idsCoveredBy(plan: Plan, page: FeedPage): { readonly low: number; readonly high: number } | undefined {
  if (plan.changed.data === undefined) return idsCovered(plan.feed, page);
  return page.isOrdered && page.lowest !== null && page.highest !== null ? { low: page.lowest, high: page.highest + 1 } : undefined;
}

/** Returns the plan after its next page was read, or could not be read. */
export function afterPage(plan: Plan, outcome: PageOutcome): Plan {
  const isAccounts = plan.stage === 'accounts';
  if (plan.changed[isAccounts ? 'account' : 'data'] !== undefined) return withoutEmptyStages(afterChangedPage(plan, outcome));
  if (isAccounts) {
    const accounts = afterAccounts(plan.accounts, outcome);
    return accounts.state === 'walking' ? { ...plan, accounts } : withoutEmptyStages(afterAccountsStage({ ...plan, accounts }));
  }
  const feed = afterFeed(plan.feed, outcome);
  if (feed.state === 'walking') return { ...plan, feed };
  if (plan.stage === 'feed') return withoutEmptyStages({ ...plan, feed, stage: 'accounts' });
  return afterCheck({ ...plan, feed }, outcome);
}

function afterFeed(walk: FeedWalk, outcome: PageOutcome): FeedWalk {
  if (outcome.kind === 'feed') return afterFeedPage(walk, outcome.page, outcome.tally);
  return outcome.kind === 'failed' ? afterFeedFailure(walk, outcome.reason, outcome.isLast) : afterFeedShrank(walk);
}

function afterAccounts(walk: AccountWalk, outcome: PageOutcome): AccountWalk {
  if (outcome.kind === 'accounts') return afterAccountsPage(walk, outcome.page, outcome.tally);
  return outcome.kind === 'failed' ? afterAccountsFailure(walk, outcome.reason, outcome.isLast) : afterAccountsShrank(walk);
}

/** The feed is walked again for records that were added while the accounts were read, unless it has gaps. */
function afterAccountsStage(plan: Plan): Plan {
  const mustCheck = plan.feed.state === 'complete' && plan.changed.data === undefined;
  return mustCheck ? { ...plan, stage: 'check', feed: walkFeedAgain(plan.feed) } : { ...plan, stage: 'done' };
}

function afterCheck(plan: Plan, outcome: PageOutcome): Plan {
  // only page 1 shows what was added while later pages were read: `count` can be the same, if records were removed too
  const isBehind = outcome.kind === 'feed' && outcome.page.number > 1 && plan.feed.state === 'complete';
  if (isBehind && plan.checks < CHECKS) return { ...plan, checks: plan.checks + 1, feed: walkFeedAgain(plan.feed) };
  const areAccountsKnown = outcome.kind === 'feed' && outcome.tally.wanted === 0;
  if (areAccountsKnown || plan.pass >= PASSES || plan.accounts.state !== 'complete') return { ...plan, stage: 'done' };
  const accounts = startAccountWalk('backward', plan.accounts.excess);
  return { ...plan, stage: 'accounts', pass: plan.pass + 1, changed: { ...plan.changed, account: undefined }, accounts };
}

/** If the number of known items does not agree with `count` after all changed pages were read, all pages are read. */
function afterChangedPage(plan: Plan, outcome: PageOutcome): Plan {
  const collection = plan.stage === 'accounts' ? 'account' : 'data';
  const [page = 0, ...rest] = plan.changed[collection] ?? [];
  const fullWalk = {
    ...plan,
    changed: { ...plan.changed, [collection]: undefined },
    ...(collection === 'data' ? { feed: startFeedWalk(null, 0) } : { accounts: startAccountWalk('forward', 0) }),
  };
  if (outcome.kind === 'shrank') return fullWalk;
  const next = { ...plan, changed: { ...plan.changed, [collection]: rest } };
  if (outcome.kind === 'failed') {
    const gap = { page, reason: outcome.reason, newer: null, older: null };
    return collection === 'data'
      ? { ...next, feed: { ...plan.feed, gaps: [...plan.feed.gaps, gap] } }
      : { ...next, accounts: { ...plan.accounts, gaps: [...plan.accounts.gaps, gap] } };
  }
  const known = outcome.kind === 'feed' ? outcome.tally.known - outcome.tally.gone : outcome.tally.known;
  return rest.length > 0 || known === outcome.page.count ? next : fullWalk;
}

/** Skips the stages in which no page has to be read. */
function withoutEmptyStages(plan: Plan): Plan {
  if (plan.stage === 'feed' && plan.changed.data?.length === 0) {
    const state = plan.feed.gaps.length === 0 ? 'complete' : 'incomplete';
    return withoutEmptyStages({ ...plan, feed: { ...plan.feed, state }, stage: 'accounts' });
  }
  if (plan.stage === 'accounts' && plan.changed.account?.length === 0) {
    const state = plan.accounts.gaps.length === 0 ? 'complete' : 'incomplete';
    return afterAccountsStage({ ...plan, accounts: { ...plan.accounts, state } });
  }
  return plan;
}
