import type { Collection, PerCollection } from '../../contract/pages/collection.ts';
import type { UnreadPage } from '../page-reader.ts';
import {
  type AccountsPage,
  type AccountTally,
  type AccountWalk,
  afterAccountsPage,
  afterAccountsRetry,
  afterAccountsUnread,
  startAccountWalk,
} from './account-walk.ts';
import {
  afterFeedPage,
  afterFeedRetry,
  afterFeedUnread,
  type FeedPage,
  type FeedTally,
  type FeedWalk,
  startFeedWalk,
  walkFeedAgain,
  withoutUnread,
} from './feed-walk.ts';
import { unreadRanges } from './gaps.ts';

/** The pages that changed according to a manifest; undefined if the collection has to be walked. */
export type ChangedPages = PerCollection<readonly number[] | undefined>;

/** What was known of a service before a run. */
export interface Beginning {
  readonly watermark: number | null;
  readonly excess: PerCollection<number>;
  readonly accounts: number;
  readonly isFull: boolean;
  readonly changed: ChangedPages;
}

/**
 * What a run reads next: first the feed, then the accounts, then the feed again for records that were added meanwhile. If these name
 * new accounts, the accounts and the feed are read once more. At the end, pages that could not be read are requested again. A plan is
 * plain data, which is saved after each page.
 */
export interface Plan {
  readonly stage: 'feed' | 'accounts' | 'check' | 'retry' | 'done';
  readonly pass: number;
  /** How often the feed has been walked again at the end. */
  readonly checks: number;
  /** The changed pages that are still to be read, instead of a walk. */
  readonly changed: ChangedPages;
  readonly feed: FeedWalk;
  readonly accounts: AccountWalk;
  /** Pages that could not be read and must be requested once more; null before the end. */
  readonly retries: readonly PageName[] | null;
  /** Of these, the pages that could not be read then either, and why. */
  readonly unread: readonly (PageName & { readonly reason: string })[];
}

export interface PageName {
  readonly collection: Collection;
  readonly number: number;
}

/** The result of reading the next page. */
export type PageOutcome =
  | { readonly kind: 'feed'; readonly page: FeedPage; readonly tally: FeedTally & Pick<AccountTally, 'wanted'> }
  | { readonly kind: 'accounts'; readonly page: AccountsPage; readonly tally: AccountTally }
  | ({ readonly kind: 'unread' } & UnreadPage);

/** The maximum number of passes through the accounts. New records can require another pass. */
const PASSES = 3;
/** The maximum number of times that the feed is walked again at the end, until page 1 alone has all new records. */
const CHECKS = 20;
/** The same for a feed whose ids do not descend: each time all its pages are read. */
const UNORDERED_CHECKS = 2;

export function startPlan({ watermark, excess, accounts, isFull, changed }: Beginning): Plan {
  return withoutEmptyStages({
    stage: 'feed',
    pass: 1,
    checks: 0,
    changed,
    feed: startFeedWalk(isFull ? null : watermark, excess.data),
    accounts: startAccountWalk(accounts === 0 ? 'forward' : isFull ? 'sweep' : 'back', excess.account),
    retries: null,
    unread: [],
  });
}

/** Returns the next page to read; undefined at the end of the plan. */
export function nextPage(plan: Plan): PageName | undefined {
  if (plan.stage === 'done') return undefined;
  if (plan.stage === 'retry') return plan.retries?.[0];
  const collection = plan.stage === 'accounts' ? 'account' : 'data';
  const changed = plan.changed[collection]?.[0];
  return { collection, number: changed ?? (collection === 'data' ? plan.feed.page : plan.accounts.page) };
}

/**
 * Whether the next page of a collection begins another round through it than the page before. What other collections and retries
 * show of a collection belongs to the last round through it.
 */
export function isNewRound(before: Plan, after: Plan, collection: Collection): boolean {
  const roundOf = ({ feed, accounts }: Plan) => (collection === 'data' ? feed.round : accounts.round);
  const isWalked = ({ changed }: Plan) => changed[collection] === undefined;
  // the way back reads page 1 again, and its accounts may have been renamed since
  const hasTurned = ({ accounts }: Plan) => collection === 'account' && accounts.turns > 0;
  const isWalkStage = collection === 'data' ? after.stage === 'feed' || after.stage === 'check' : after.stage === 'accounts';
  return (
    (isWalkStage && before.stage !== after.stage) ||
    before.checks !== after.checks ||
    hasTurned(before) !== hasTurned(after) ||
    roundOf(before) !== roundOf(after) ||
    isWalked(before) !== isWalked(after)
  );
}

/**
 * Returns the plan after its next page was read, or could not be read.
 * @param excess `count` minus the number of known records, if other pages showed all records of the pages of the feed that could
 *   not be read; otherwise null
 */
export function afterPage(plan: Plan, outcome: PageOutcome, excess: number | null): Plan {
  if (plan.stage === 'retry') return afterRetry(plan, outcome, excess);
  const isAccounts = plan.stage === 'accounts';
  if (plan.changed[isAccounts ? 'account' : 'data'] !== undefined) return withoutEmptyStages(afterChangedPage(plan, outcome));
  if (isAccounts) {
    const accounts = afterAccounts(plan.accounts, outcome);
    return accounts.state === 'walking' ? { ...plan, accounts } : withoutEmptyStages(afterAccountsStage({ ...plan, accounts }));
  }
  const feed = afterFeed(plan.feed, outcome);
  if (feed.state === 'walking') return { ...plan, feed };
  if (plan.stage === 'feed') return withoutEmptyStages({ ...plan, feed, stage: 'accounts', accounts: accountsAfter(feed, plan.accounts) });
  return afterCheck({ ...plan, feed }, outcome);
}

function afterFeed(walk: FeedWalk, outcome: PageOutcome): FeedWalk {
  if (outcome.kind === 'feed') return afterFeedPage(walk, outcome.page, outcome.tally);
  return outcome.kind === 'unread' ? afterFeedUnread(walk, outcome) : walk;
}

function afterAccounts(walk: AccountWalk, outcome: PageOutcome): AccountWalk {
  if (outcome.kind === 'accounts') return afterAccountsPage(walk, outcome.page, outcome.tally);
  return outcome.kind === 'unread' ? afterAccountsUnread(walk, outcome) : walk;
}

/** All pages of accounts are read if pages of the feed could not be read, because they may show the same records. */
function accountsAfter(feed: FeedWalk, accounts: AccountWalk): AccountWalk {
  return unreadRanges(feed).length > 0 && accounts.route === 'back' ? startAccountWalk('sweep', accounts.excess) : accounts;
}

/** The feed is walked again for records that were added while the accounts were read, unless it has gaps. */
function afterAccountsStage(plan: Plan): Plan {
  const mustCheck = plan.feed.state === 'complete' && plan.changed.data === undefined;
  return mustCheck ? { ...plan, stage: 'check', feed: walkFeedAgain(plan.feed) } : afterWalks(plan);
}

function afterCheck(plan: Plan, outcome: PageOutcome): Plan {
  // only page 1 shows what was added while later pages were read: `count` can be the same, if records were removed too
  const isBehind = outcome.kind === 'feed' && outcome.page.number > 1 && plan.feed.state === 'complete';
  const most = plan.feed.isOrdered ? CHECKS : UNORDERED_CHECKS;
  if (isBehind && plan.checks < most) return { ...plan, checks: plan.checks + 1, feed: walkFeedAgain(plan.feed) };
  const areAccountsKnown = outcome.kind === 'feed' && outcome.tally.wanted === 0;
  if (areAccountsKnown || plan.pass >= PASSES || plan.accounts.state !== 'complete') return afterWalks(plan);
  const accounts = startAccountWalk('back', plan.accounts.excess);
  return { ...plan, stage: 'accounts', pass: plan.pass + 1, changed: { ...plan.changed, account: undefined }, accounts };
}

/** Pages that could not be read are requested once more. */
function afterWalks(plan: Plan): Plan {
  if (plan.retries !== null) return { ...plan, stage: 'done' };
  const retries: readonly PageName[] = [
    ...plan.feed.gaps.flatMap(({ page, reason }) => (reason === null ? [] : [{ collection: 'data' as const, number: page }])),
    ...plan.accounts.gaps.map(({ page }) => ({ collection: 'account' as const, number: page })),
  ];
  return { ...plan, retries, stage: retries.length === 0 ? 'done' : 'retry' };
}

function afterRetry(plan: Plan, outcome: PageOutcome, excess: number | null): Plan {
  const [page, ...retries] = plan.retries ?? [];
  const feed = outcome.kind === 'feed' ? afterFeedRetry(plan.feed, outcome.page) : plan.feed;
  const accounts = outcome.kind === 'accounts' ? afterAccountsRetry(plan.accounts, outcome.page.number) : plan.accounts;
  const isUnread = outcome.kind === 'unread' && page !== undefined;
  const unread = isUnread ? [...plan.unread, { ...page, reason: outcome.reason }] : plan.unread;
  if (retries.length > 0) return { ...plan, retries, unread, feed, accounts };
  const next = { ...plan, retries, unread, feed: excess === null ? feed : withoutUnread(feed, excess), accounts };
  if (outcome.kind !== 'accounts' || next.accounts.gaps.length > 0) return afterAccountsStage(next);
  const again = startAccountWalk('back', plan.accounts.excess);
  return { ...next, stage: 'accounts', changed: { ...plan.changed, account: undefined }, accounts: again };
}

/** If the number of known items does not agree with `count` after all changed pages were read, all pages are read. */
function afterChangedPage(plan: Plan, outcome: PageOutcome): Plan {
  const collection = plan.stage === 'accounts' ? 'account' : 'data';
  const [page = 0, ...rest] = plan.changed[collection] ?? [];
  const fullWalk = {
    ...plan,
    changed: { ...plan.changed, [collection]: undefined },
    ...(collection === 'data' ? { feed: startFeedWalk(null, 0) } : { accounts: startAccountWalk('sweep', 0) }),
  };
  if (outcome.kind === 'unread' && page > outcome.pages) return fullWalk;
  const next = { ...plan, changed: { ...plan.changed, [collection]: rest } };
  if (outcome.kind === 'unread') {
    const gap = { page, reason: outcome.reason };
    return collection === 'data'
      ? { ...next, feed: { ...plan.feed, gaps: [...plan.feed.gaps, { ...gap, newer: null, older: null }] } }
      : { ...next, accounts: { ...plan.accounts, gaps: [...plan.accounts.gaps, gap] } };
  }
  return rest.length > 0 || outcome.tally.known === outcome.page.count ? next : fullWalk;
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
