/** What a walk through the feed needs from a page. */
export interface FeedPage {
  readonly number: number;
  /** The `count` of the page: the number of records in the whole feed. */
  readonly count: number;
  readonly hasNext: boolean;
  /** The ids of the newest and the oldest record on the page; null if it has none. */
  readonly highest: number | null;
  readonly lowest: number | null;
  /** Whether the ids descend. */
  readonly isOrdered: boolean;
}

/** The numbers of records after a page was read. */
export interface FeedTally {
  /** Records that this run or an earlier one has found in the service. */
  readonly known: number;
  /** Of these, the records that are missing from the pages that cover their ids. */
  readonly gone: number;
}

/** A part of the feed that may not have been read. The ids on both sides are null if no record was read on that side. */
export interface Gap {
  /** The page that could not be read, or before which records may have been skipped. */
  readonly page: number;
  /** Why the page could not be read; null if it was read, and records may have been skipped before it. */
  readonly reason: string | null;
  readonly newer: number | null;
  readonly older: number | null;
}

/**
 * A walk through the feed, newest record first. During the walk, new records move others to later pages, and removed records move others
 * to earlier pages. So even a walk through all pages can miss records. The walk ends when the number of known records agrees with the
 * `count` of the service. A walk is plain data, which is saved after each page.
 */
export interface FeedWalk {
  readonly state: 'walking' | 'complete' | 'incomplete';
  /** The number of the round. Each round begins at page 1. */
  readonly round: number;
  /** The page to read next. */
  readonly page: number;
  /** Every record of the service up to this id is known; null if there is no such id. */
  readonly watermark: number | null;
  /** The highest and the lowest id of the records that were read without a gap; null before the first page. */
  readonly top: number | null;
  readonly frontier: number | null;
  /** The number of the last page that was read, and its `count`. */
  readonly lastPage: number;
  readonly count: number;
  /** Whether all pages of the round had the same `count`. */
  readonly isSteady: boolean;
  readonly isOrdered: boolean;
  readonly gaps: readonly Gap[];
  readonly stepsBack: number;
  /** `count` minus the number of records on all pages. A service can count records that it does not show. */
  readonly excess: number;
}

/** How often a round can go back one page because records may have been skipped. */
const STEPS_BACK = 20;
/** The maximum number of rounds. The walk ends earlier if the number of known records agrees with `count`. */
const ROUNDS = 4;

/**
 * @param watermark the watermark of earlier runs; null to read all pages
 * @param excess the excess that earlier runs found
 */
export function startFeedWalk(watermark: number | null, excess: number): FeedWalk {
  return {
    state: 'walking',
    round: 1,
    page: 1,
    watermark,
    top: null,
    frontier: null,
    lastPage: 0,
    count: 0,
    isSteady: true,
    isOrdered: true,
    gaps: [],
    stepsBack: 0,
    excess,
  };
}

/** Returns the range of ids that a page covers, from `low` to before `high`. All records of the service in it are on the page. */
export function idsCovered(walk: FeedWalk, page: FeedPage): { readonly low: number; readonly high: number } | undefined {
  if (!walk.isOrdered || !page.isOrdered || isRestart(walk, page) || !isAdjacent(walk, page)) return undefined;
  const high = page.number === 1 && walk.lastPage === 0 ? Number.MAX_SAFE_INTEGER + 1 : (walk.frontier ?? Number.MAX_SAFE_INTEGER + 1);
  const low = page.hasNext ? (page.lowest ?? high) : 0;
  return low < high ? { low, high } : undefined;
}

/** Returns the walk after a page was read and its records were counted. */
export function afterFeedPage(walk: FeedWalk, page: FeedPage, tally: FeedTally): FeedWalk {
  if (isRestart(walk, page)) return nextRound(walk);
  const failed = walk.gaps.find((gap) => gap.reason !== null && gap.page === page.number - 1);
  const isJoined = isAdjacent(walk, page);
  if (!isJoined && failed === undefined && walk.stepsBack < STEPS_BACK) {
    return { ...walk, page: page.number - 1, stepsBack: walk.stepsBack + 1 };
  }
  const gap = { page: failed?.page ?? page.number, reason: failed?.reason ?? null, newer: walk.frontier, older: page.highest };
  const others = walk.gaps.filter((one) => one !== failed);
  const frontier = least(walk.frontier, page.lowest);
  const isOrdered = walk.isOrdered && page.isOrdered;
  const next = {
    ...walk,
    page: page.number + 1,
    top: isJoined ? (walk.top ?? page.highest) : page.highest,
    frontier,
    lastPage: page.number,
    count: page.count,
    isSteady: walk.isSteady && (walk.lastPage === 0 || walk.count === page.count),
    isOrdered,
    gaps: isJoined ? others : [...others, gap],
  };
  const isWatermarkReached =
    isOrdered && walk.watermark !== null && frontier !== null && frontier <= walk.watermark && !isBelowWatermark(next);
  const excess = page.count - (tally.known - tally.gone);
  return page.hasNext && !(isWatermarkReached && excess === walk.excess) ? next : endOfRound(next, excess);
}

/** Returns the walk after its next page could not be read. */
export function afterFeedFailure(walk: FeedWalk, reason: string, isLast: boolean): FeedWalk {
  const next = {
    ...walk,
    gaps: [...walk.gaps, { page: walk.page, reason, newer: walk.frontier, older: null }],
    page: walk.page + 1,
  };
  // the watermark stays: the records below the page are not known
  return isLast ? { ...next, state: 'incomplete' } : next;
}

/** Returns the walk after its next page did not exist: the feed has become shorter. */
export function afterFeedShrank(walk: FeedWalk): FeedWalk {
  return nextRound(walk);
}

/** Returns a walk that starts again at page 1, to find records that were added meanwhile. */
export function walkFeedAgain(walk: FeedWalk): FeedWalk {
  return { ...startFeedWalk(walk.isOrdered ? walk.watermark : null, walk.excess), isOrdered: walk.isOrdered };
}

/** @param excess `count` minus the number of known records */
function endOfRound(walk: FeedWalk, excess: number): FeedWalk {
  // the records that were read without a gap reach down to the watermark, or to the end of the feed
  const ended = { ...walk, watermark: walk.isOrdered ? (walk.top ?? walk.watermark) : null };
  if (walk.gaps.some(({ reason }) => reason !== null)) return { ...ended, state: 'incomplete' };
  if (walk.gaps.length > 0) return nextRound(ended);
  // if `count` stayed the same, another round would find the same; if it changed, it can agree by chance
  return walk.isSteady || walk.round >= ROUNDS ? { ...ended, state: 'complete', excess } : nextRound(ended);
}

function nextRound(walk: FeedWalk): FeedWalk {
  if (walk.round >= ROUNDS) return { ...walk, state: 'incomplete' };
  return { ...walkFeedAgain(walk), round: walk.round + 1 };
}

/** Whether page 1 shows none of the records of this round: the service has other records now. */
function isRestart(walk: FeedWalk, page: FeedPage): boolean {
  return page.number === 1 && walk.lastPage > 0 && (page.highest ?? -1) < (walk.frontier ?? 0);
}

/** Whether the newest record is older than the watermark. Then newer records were removed, or all ids changed: it proves nothing. */
function isBelowWatermark({ watermark, top, gaps }: FeedWalk): boolean {
  return gaps.length === 0 && (top ?? 0) < (watermark ?? 0);
}

/** Whether no record can lie between a page and what was read before it. */
function isAdjacent(walk: FeedWalk, page: FeedPage): boolean {
  if (walk.lastPage === 0 && page.number === 1) return true;
  if (walk.frontier !== null && page.highest !== null && page.highest >= walk.frontier) return true;
  return page.number === walk.lastPage + 1 && page.count >= walk.count;
}

function least(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other);
}
