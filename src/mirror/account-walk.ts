import type { UnreadPage } from './unread-page.ts';

/** A page of the accounts, as far as the walk through them looks at it. */
export interface AccountsPage {
  readonly number: number;
  /** Accounts in the whole collection, as this page says. */
  readonly count: number;
  readonly items: number;
  readonly hasNext: boolean;
}

/** What is known of the service's accounts after a page has been read. */
export interface AccountTally {
  /** Accounts known to be in the service, in this run or from one before. */
  readonly known: number;
  /** Of these, seen in this round. */
  readonly seen: number;
  /** Accounts that new records speak of and that no page has shown yet. */
  readonly wanted: number;
}

/**
 * Which pages a walk reads: `forward` all of them in their order. The other two read page 1, which has the `count`, and
 * then from the last page back: `back` until what is known agrees with the count, `sweep` down to page 1 again.
 */
export type Route = 'forward' | 'back' | 'sweep';

/**
 * A walk through the accounts. New accounts are on the last pages, and a removed one pulls those after it to earlier pages:
 * read from the last page to the first, no account can be missed, so one that was not seen is gone. Forward, one can be
 * missed, but the pages link to one another. Plain data: it is kept on disk after each page.
 */
export interface AccountWalk {
  readonly state: 'walking' | 'complete' | 'incomplete';
  readonly route: Route;
  readonly round: number;
  /** The page to read next. */
  readonly page: number;
  /** How often the round has turned from page 1 to the last page. */
  readonly turns: number;
  /** The page that the way back begins with: no page after it is there. */
  readonly top: number;
  /** What the last page said of the collection, and whether all pages of the round said the same; null before the first. */
  readonly count: number | null;
  readonly isSteady: boolean;
  /** Pages that could not be read. */
  readonly gaps: readonly { readonly page: number; readonly reason: string }[];
  /** By how many accounts `count` exceeds what all pages together hold. */
  readonly excess: number;
  /** Whether an account that was not seen in the last round is gone. */
  readonly hasSeenAll: boolean;
}

/** How many rounds are walked, at most, until the known accounts and the count agree. */
const ROUNDS = 3;

export function startAccountWalk(route: Route, excess: number, round = 1): AccountWalk {
  return { state: 'walking', route, round, page: 1, turns: 0, top: 1, count: null, isSteady: true, gaps: [], excess, hasSeenAll: false };
}

/** The walk after a page was read and its accounts were counted. */
export function afterAccountsPage(before: AccountWalk, page: AccountsPage, tally: AccountTally): AccountWalk {
  const isSteady = before.isSteady && (before.count === null || before.count === page.count);
  const walk = { ...before, count: page.count, isSteady };
  return walk.route === 'forward' ? afterPageForward(walk, page, tally) : afterPageBack(walk, page, tally);
}

function afterPageForward(walk: AccountWalk, page: AccountsPage, { known, seen }: AccountTally): AccountWalk {
  if (page.hasNext) return { ...walk, page: page.number + 1 };
  if (walk.gaps.length > 0) return { ...walk, state: 'incomplete' };
  const isAgreed = walk.isSteady && page.count === seen && known === seen;
  return isAgreed ? { ...walk, state: 'complete', excess: 0 } : nextRound(walk);
}

function afterPageBack(walk: AccountWalk, page: AccountsPage, tally: AccountTally): AccountWalk {
  const isAllKnown = walk.route === 'back' && page.count - tally.known === walk.excess && tally.wanted === 0;
  if (isAllKnown && walk.gaps.length === 0) return { ...walk, state: 'complete' };
  const excess = page.count - tally.seen;
  // after a whole way back, accounts that came meanwhile are on the last pages
  if (walk.turns > 1 && excess === walk.excess && walk.gaps.length === 0) return { ...walk, state: 'complete', hasSeenAll: true };
  if (page.number > 1) return { ...walk, page: page.number - 1 };
  const last = page.hasNext ? Math.ceil(page.count / Math.max(1, page.items)) : 1;
  const turned = { ...walk, turns: walk.turns + 1, page: last, top: last };
  if (walk.turns === 0 && last > 1) return turned;
  if (walk.gaps.length > 0) return { ...walk, state: 'incomplete' };
  // if nothing moved meanwhile, another round would find the same
  if (walk.isSteady || excess === walk.excess) {
    return { ...walk, state: 'complete', excess, hasSeenAll: excess <= Math.max(0, walk.excess) };
  }
  return walk.turns === 1 && last > 1 ? turned : nextRound(walk);
}

/** The walk after the page it was to read could not be read. */
export function afterAccountsUnread(walk: AccountWalk, { isMissing, reason, pages }: UnreadPage): AccountWalk {
  const next = { ...walk, gaps: [...walk.gaps, { page: walk.page, reason }] };
  if (walk.route === 'forward') {
    if (walk.page > pages) return nextRound(walk);
    return walk.page === pages ? { ...next, state: 'incomplete' } : { ...next, page: walk.page + 1 };
  }
  // a service may count what it does not show
  const isBehindLast = walk.page > pages || (isMissing && walk.page === walk.top);
  return isBehindLast ? { ...walk, page: walk.page - 1, top: walk.page - 1 } : { ...next, page: walk.page - 1 };
}

/** The walk after a page was read at the end that could not be read before. */
export function afterAccountsRetry(walk: AccountWalk, page: number): AccountWalk {
  return { ...walk, gaps: walk.gaps.filter((gap) => gap.page !== page) };
}

function nextRound(walk: AccountWalk): AccountWalk {
  return walk.round < ROUNDS ? startAccountWalk('sweep', walk.excess, walk.round + 1) : { ...walk, state: 'incomplete' };
}
