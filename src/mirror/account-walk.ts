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
  /** Accounts known to have been in the service, in this run or in one before. */
  readonly known: number;
  /** Of these, seen in this round. */
  readonly seen: number;
  /** Accounts that new records speak of and that no page has shown yet. */
  readonly wanted: number;
}

/**
 * A walk through the accounts. New accounts are on the last pages, so a walk that knows the others reads page 1, which
 * has the `count`, and then from the last page back until what is known agrees with it. Any other walk reads all pages
 * in their order. Plain data: it is kept on disk after each page.
 */
export interface AccountWalk {
  readonly state: 'walking' | 'complete' | 'incomplete';
  readonly direction: 'forward' | 'backward';
  readonly round: number;
  /** The page to read next. */
  readonly page: number;
  /** Pages that could not be read. */
  readonly gaps: readonly { readonly page: number; readonly reason: string }[];
  /** By how many accounts `count` exceeds what all pages together hold. */
  readonly excess: number;
  /** Known accounts that all pages together do not show any more. */
  readonly gone: number;
}

/** How many rounds are walked, at most, until the known accounts and the count agree. */
const ROUNDS = 3;

export function startAccountWalk(direction: AccountWalk['direction'], excess: number, round = 1): AccountWalk {
  return { state: 'walking', direction, round, page: 1, gaps: [], excess, gone: 0 };
}

/** The walk after a page was read and its accounts were counted. */
export function afterAccountsPage(walk: AccountWalk, page: AccountsPage, tally: AccountTally): AccountWalk {
  if (walk.direction === 'forward') {
    return page.hasNext ? { ...walk, page: page.number + 1 } : endOfRound(walk, page, tally);
  }
  if (page.count - tally.known === walk.excess && tally.wanted === 0 && walk.gaps.length === 0) return { ...walk, state: 'complete' };
  if (page.number === 1) return page.hasNext ? { ...walk, page: Math.ceil(page.count / page.items) } : endOfRound(walk, page, tally);
  return page.number === 2 ? endOfRound(walk, page, tally) : { ...walk, page: page.number - 1 };
}

/** The walk after the page it was to read could not be read. */
export function afterAccountsFailure(walk: AccountWalk, reason: string, isLast: boolean): AccountWalk {
  const next = { ...walk, gaps: [...walk.gaps, { page: walk.page, reason }] };
  const isEnd = walk.direction === 'forward' ? isLast : walk.page <= 2;
  return isEnd ? { ...next, state: 'incomplete' } : { ...next, page: walk.page + (walk.direction === 'forward' ? 1 : -1) };
}

/** The walk after a page that should be there was not: there are fewer accounts than before. */
export function afterAccountsShrank(walk: AccountWalk): AccountWalk {
  return nextRound(walk);
}

/** All pages have been read. */
function endOfRound(walk: AccountWalk, page: AccountsPage, tally: AccountTally): AccountWalk {
  if (walk.gaps.length > 0) return { ...walk, state: 'incomplete' };
  const excess = page.count - tally.seen;
  if (excess === 0) return { ...walk, state: 'complete', excess, gone: tally.known - tally.seen };
  if (page.count - tally.known === 0) return { ...walk, state: 'complete', excess: 0, gone: 0 };
  return walk.round < ROUNDS ? nextRound(walk) : { ...walk, state: 'complete', excess, gone: tally.known - tally.seen };
}

function nextRound(walk: AccountWalk): AccountWalk {
  if (walk.round >= ROUNDS) return { ...walk, state: 'incomplete' };
  return startAccountWalk('backward', walk.excess, walk.round + 1);
}
