/** What a walk through the accounts needs from a page. */
export interface AccountsPage {
  readonly number: number;
  /** The `count` of the page: the number of accounts in the whole collection. */
  readonly count: number;
  readonly items: number;
  readonly hasNext: boolean;
}

/** The numbers of accounts after a page was read. */
export interface AccountTally {
  /** Accounts that this run or an earlier one has found in the service. */
  readonly known: number;
  /** Of these, the accounts seen in this round. */
  readonly seen: number;
  /** Accounts that new records name and that no page has shown yet. */
  readonly wanted: number;
}

/**
 * A walk through the accounts. New accounts are on the last pages. So if the other accounts are known, the walk goes backward: it reads
 * page 1, which has the `count`, and then the last page and the pages before it, until the number of known accounts agrees with `count`.
 * Otherwise the walk goes forward through all pages. A walk is plain data, which is saved after each page.
 */
export interface AccountWalk {
  readonly state: 'walking' | 'complete' | 'incomplete';
  readonly direction: 'forward' | 'backward';
  readonly round: number;
  /** The page to read next. */
  readonly page: number;
  /** Pages that could not be read. */
  readonly gaps: readonly { readonly page: number; readonly reason: string }[];
  /** `count` minus the number of accounts on all pages. */
  readonly excess: number;
  /** The number of known accounts that no page shows any more. */
  readonly gone: number;
}

/** The maximum number of rounds. The walk ends earlier if the number of known accounts agrees with `count`. */
const ROUNDS = 3;

export function startAccountWalk(direction: AccountWalk['direction'], excess: number, round = 1): AccountWalk {
  return { state: 'walking', direction, round, page: 1, gaps: [], excess, gone: 0 };
}

/** Returns the walk after a page was read and its accounts were counted. */
export function afterAccountsPage(walk: AccountWalk, page: AccountsPage, tally: AccountTally): AccountWalk {
  if (walk.direction === 'forward') {
    return page.hasNext ? { ...walk, page: page.number + 1 } : endOfRound(walk, page, tally);
  }
  if (page.count - tally.known === walk.excess && tally.wanted === 0 && walk.gaps.length === 0) return { ...walk, state: 'complete' };
  if (page.number === 1) return page.hasNext ? { ...walk, page: Math.ceil(page.count / page.items) } : endOfRound(walk, page, tally);
  return page.number === 2 ? endOfRound(walk, page, tally) : { ...walk, page: page.number - 1 };
}

/** Returns the walk after its next page could not be read. */
export function afterAccountsFailure(walk: AccountWalk, reason: string, isLast: boolean): AccountWalk {
  const next = { ...walk, gaps: [...walk.gaps, { page: walk.page, reason }] };
  const isEnd = walk.direction === 'forward' ? isLast : walk.page <= 2;
  return isEnd ? { ...next, state: 'incomplete' } : { ...next, page: walk.page + (walk.direction === 'forward' ? 1 : -1) };
}

/** Returns the walk after its next page did not exist: the service has fewer accounts than before. */
export function afterAccountsShrank(walk: AccountWalk): AccountWalk {
  return nextRound(walk);
}

/** Returns the walk after all pages of a round were read. */
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
