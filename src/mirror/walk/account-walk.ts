import { areUnseenAccountsGone } from '../gone-from-service.ts';
import type { UnreadPage } from '../page-reader.ts';

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
  /** Accounts that this run or an earlier one has found in the service, without those that are gone. */
  readonly known: number;
  /** Of these, the accounts seen in this round. */
  readonly seen: number;
  /** Accounts that new records name and that no page has shown yet. */
  readonly wanted: number;
}

/**
 * Which pages a walk reads. `forward`: all pages in their order. The other two read page 1, which has the `count`, then the last page
 * and the pages before it. `back` ends when the number of known accounts agrees with `count`, `sweep` ends with page 1.
 */
export type Route = 'forward' | 'back' | 'sweep';

/**
 * A walk through the accounts. New accounts are on the last pages, and a removed account moves those after it to earlier pages. So a
 * walk from the last page to the first cannot miss an account, and a known account that it does not see is gone. A walk forward can
 * miss an account. A walk is plain data, which is saved after each page.
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
  /** Whether the page before `page` was read just before and links to it. */
  readonly isLinked: boolean;
  /** What the last page said of the collection; null before the first. Whether all pages since the turn, and page 1 there, said the same. */
  readonly count: number | null;
  readonly isSteady: boolean;
  /** Pages that could not be read. */
  readonly gaps: readonly { readonly page: number; readonly reason: string }[];
  /** `count` minus the number of accounts on all pages. */
  readonly excess: number;
  /** Whether an account that was not seen in the last round is gone. */
  readonly areUnseenGone: boolean;
}

/** The maximum number of rounds. The walk ends earlier if the number of known accounts agrees with `count`. */
const ROUNDS = 3;

export function startAccountWalk(route: Route, excess: number, round = 1): AccountWalk {
  return {
    state: 'walking',
    route,
    round,
    page: 1,
    turns: 0,
    top: 1,
    isLinked: false,
    count: null,
    isSteady: true,
    gaps: [],
    excess,
    areUnseenGone: false,
  };
}

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
  const isLinked = page.number === 1 && page.hasNext && page.count <= page.items;
  const isOneState = walk.isSteady && walk.gaps.length === 0;
  const isAllKnown = walk.route === 'back' && !isLinked && page.count - tally.known === walk.excess && tally.wanted === 0;
  if (isAllKnown && isOneState) return { ...walk, state: 'complete' };
  // a count that is too low hides the last pages
  if (page.number > 1 && page.number === walk.top && page.hasNext) {
    return { ...walk, page: page.number + 1, top: page.number + 1, isLinked: true };
  }
  const excess = page.count - tally.seen;
  const areUnseenGone = areUnseenAccountsGone(walk, page, tally);
  // after a sweep, accounts that were added meanwhile are on the last pages
  if (walk.turns > 1 && areUnseenGone) return { ...walk, state: 'complete', areUnseenGone };
  // the walk has seen accounts that are gone now, so no further page can make the numbers agree
  if (walk.turns > 1 && excess < walk.excess && isOneState) return nextRound(walk);
  if (page.number > 1 && page.number === walk.top && page.items === 0 && page.number > farBehind(tally)) {
    const half = Math.floor(page.number / 2);
    return { ...walk, page: half, top: half, isLinked: false };
  }
  if (page.number > 1) return { ...walk, page: page.number - 1, isLinked: false };
  const last = isLinked ? 2 : page.hasNext ? Math.ceil(page.count / Math.max(1, page.items)) : 1;
  const turned = { ...walk, isSteady: true, turns: walk.turns + 1, page: last, top: last, isLinked: page.hasNext && last === 2 };
  if (walk.turns === 0 && last > 1) return turned;
  if (walk.gaps.length > 0) return { ...walk, state: 'incomplete' };
  // if nothing moved meanwhile, another round would find the same
  if (walk.isSteady && walk.turns < 2) return { ...walk, state: 'complete', excess, areUnseenGone };
  return walk.turns === 1 && last > 1 ? turned : nextRound(walk);
}

/** Above this number, an empty page is not read back page by page: a page has at least one account, so `count` is far too high. */
function farBehind({ known }: AccountTally): number {
  return 2 * known + 10;
}

export function afterAccountsUnread(walk: AccountWalk, { isMissing, reason, pages }: UnreadPage): AccountWalk {
  const next = { ...walk, gaps: [...walk.gaps, { page: walk.page, reason }] };
  if (walk.route === 'forward') {
    if (walk.page > pages) return nextRound(walk);
    return walk.page === pages ? { ...next, state: 'incomplete' } : { ...next, page: walk.page + 1 };
  }
  // a link to a page that is not counted and not there proves nothing
  const gapped = isMissing && walk.page > pages ? walk : next;
  if (walk.isLinked) return { ...gapped, page: Math.max(1, walk.page - 2), isLinked: false };
  // a service may count what it does not show
  const isBehindLast = walk.page > pages || (isMissing && walk.page === walk.top);
  return isBehindLast ? { ...walk, page: walk.page - 1, top: walk.page - 1 } : { ...next, page: walk.page - 1 };
}

/** Returns the walk after a page was read at the end that could not be read before. */
export function afterAccountsRetry(walk: AccountWalk, page: number): AccountWalk {
  return { ...walk, gaps: walk.gaps.filter((gap) => gap.page !== page) };
}

function nextRound(walk: AccountWalk): AccountWalk {
  return walk.round < ROUNDS ? startAccountWalk('sweep', walk.excess, walk.round + 1) : { ...walk, state: 'incomplete' };
}
