import type { UnreadPage } from '../page-reader.ts';
import { ALL_IDS, type Gap, unreadRanges } from './gaps.ts';

/** What a walk through the feed needs from a page. */
export interface FeedPage {
  readonly number: number;
  /** The `count` of the page: the number of records in the whole feed. */
  readonly count: number;
  readonly hasNext: boolean;
  /** The number of pages of the feed, computed from `count`. */
  readonly pages: number;
  /** The ids of the newest and the oldest record on the page; null if it has none. */
  readonly highest: number | null;
  readonly lowest: number | null;
  /** Whether the ids descend. */
  readonly isOrdered: boolean;
}

/** The numbers of records after a page was read. */
export interface FeedTally {
  /** Records that this run or an earlier one has found in the service, without those that are gone. */
  readonly known: number;
  /** Records that were seen in the round, and those on its pages that could not be read. */
  readonly onPages: number;
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
  /** The highest id on page 1 of this round. */
  readonly newest: number | null;
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
  /** The excess after a page without a `next`, while the page after it is requested because of `count`; otherwise null. */
  readonly endExcess: number | null;
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
    newest: null,
    top: null,
    frontier: null,
    lastPage: 0,
    count: 0,
    isSteady: true,
    isOrdered: true,
    gaps: [],
    stepsBack: 0,
    excess,
    endExcess: null,
  };
}

export function afterFeedPage(walk: FeedWalk, page: FeedPage, tally: FeedTally): FeedWalk {
  if (isRestart(walk, page)) return nextRound(walk);
  const open = walk.gaps.filter(({ reason, older }) => reason !== null && older === null);
  const isJoined = isAdjacent(walk, page);
  if (!isJoined && open.length === 0 && walk.stepsBack < STEPS_BACK) {
    return { ...walk, page: page.number - 1, stepsBack: walk.stepsBack + 1 };
  }
  const skipped = { page: page.number, reason: null, newer: walk.frontier };
  const gaps = (open.length > 0 ? open : [skipped]).map((gap) => ({ ...gap, older: page.highest }));
  const others = walk.gaps.filter((gap) => !open.includes(gap));
  const frontier = least(walk.frontier, page.lowest);
  const isOrdered = walk.isOrdered && page.isOrdered;
  const next = {
    ...walk,
    page: page.number + 1,
    newest: page.number === 1 ? page.highest : walk.newest,
    top: isJoined ? (walk.top ?? page.highest) : page.highest,
    frontier,
    lastPage: page.number,
    count: page.count,
    isSteady: hasSameCount(walk, page),
    isOrdered,
    gaps: isJoined ? others : [...others, ...gaps],
    endExcess: null,
  };
  const isWatermarkReached =
    isOrdered && walk.watermark !== null && frontier !== null && frontier <= walk.watermark && !isBelowWatermark(next);
  const excess = page.count - tally.known;
  const isAgreed = excess === walk.excess;
  // with a page that could not be read, as many records can be gone as are missing
  const isUnread = unreadRanges(next).length > 0;
  if (page.hasNext && !(isWatermarkReached && isAgreed && !isUnread)) return next;
  const endExcess = isUnread ? page.count - tally.onPages : excess;
  // the link to a next page may be missing
  if (!page.hasNext && page.number < page.pages && !isAgreed) return { ...next, endExcess };
  return endOfRound(next, endExcess);
}

export function afterFeedUnread(walk: FeedWalk, { isMissing, reason, count, pages }: UnreadPage): FeedWalk {
  if (walk.endExcess !== null) return endOfRound(walk, walk.endExcess);
  // the feed has become shorter; if it did not, another round would find the same link to a page that is not there
  const isSame = walk.isSteady && walk.count === count;
  if (walk.page > pages && isMissing && !isSame) return nextRound(walk);
  const gap = { page: walk.page, reason, newer: walk.frontier, older: null };
  const next = { ...walk, gaps: [...walk.gaps, gap], page: walk.page + 1 };
  // the watermark stays: the records below the page are not known
  return walk.page >= pages ? { ...next, state: 'incomplete' } : next;
}

/** Returns the walk after a page was read at the end that could not be read before. */
export function afterFeedRetry(walk: FeedWalk, page: FeedPage): FeedWalk {
  const unread = walk.gaps.filter((gap) => gap.reason === null || gap.page !== page.number);
  const gaps = unread.map((gap) => withoutIdsOf(gap, page));
  const isOrdered = walk.isOrdered && page.isOrdered;
  // if records moved meanwhile, the page may not have all that it had
  const isSteady = walk.isSteady && walk.count === page.count;
  const next = { ...walk, gaps, isOrdered, isSteady };
  if (gaps.length > 0) return next;
  return { ...next, state: 'complete', watermark: isSteady && isOrdered ? (walk.newest ?? walk.watermark) : walk.watermark };
}

/** Returns the gap of an unread page without the ids from a page on that was read. That page has its own records. */
function withoutIdsOf(gap: Gap, { number, highest, lowest }: FeedPage): Gap {
  if (gap.reason === null || highest === null) return gap;
  const rest = gap.page < number ? { ...gap, older: Math.max(gap.older ?? 0, highest) } : { ...gap, newer: least(gap.newer, lowest) };
  // if records moved meanwhile, the page can reach beyond the gap
  return (rest.newer ?? ALL_IDS.high) > (rest.older ?? 0) ? rest : gap;
}

/**
 * Returns the walk after other pages have supplied all records of the unreadable pages, so that no gap is left.
 * @param excess `count` minus the number of known records
 */
export function withoutUnread(walk: FeedWalk, excess: number): FeedWalk {
  if (walk.gaps.length === 0 || walk.gaps.some(({ reason }) => reason === null)) return walk;
  return { ...walk, gaps: [], state: 'complete', excess, watermark: walk.isOrdered ? (walk.newest ?? walk.watermark) : null };
}

/** Returns a walk that starts again at page 1, to find records that were added meanwhile. */
export function walkFeedAgain(walk: FeedWalk): FeedWalk {
  return { ...startFeedWalk(walk.isOrdered ? walk.watermark : null, walk.excess), isOrdered: walk.isOrdered };
}

/** @param excess `count` minus the number of records on all pages */
function endOfRound(walk: FeedWalk, excess: number): FeedWalk {
  // the records that were read without a gap reach down to the watermark, or to the end of the feed
  const ended = { ...walk, watermark: walk.isOrdered ? (walk.top ?? walk.watermark) : null };
  if (walk.gaps.some(({ reason }) => reason !== null)) {
    return { ...ended, state: 'incomplete', excess: walk.isSteady ? excess : walk.excess };
  }
  if (walk.gaps.length > 0) return nextRound(ended);
  // if `count` stayed the same, another round would find the same; if it changed, it can agree by chance
  return walk.isSteady || walk.round >= ROUNDS ? { ...ended, state: 'complete', excess } : nextRound(ended);
}

function nextRound(walk: FeedWalk): FeedWalk {
  if (walk.round >= ROUNDS) return { ...walk, state: 'incomplete' };
  return { ...walkFeedAgain(walk), round: walk.round + 1 };
}

/** Whether a page has the same `count` as all earlier pages of the round. */
export function hasSameCount(walk: FeedWalk, page: FeedPage): boolean {
  return walk.isSteady && (walk.lastPage === 0 || walk.count === page.count);
}

/** Whether page 1 shows none of the records of this round: the service has other records now. */
export function isRestart(walk: FeedWalk, page: FeedPage): boolean {
  return page.number === 1 && walk.lastPage > 0 && (page.highest ?? -1) < (walk.frontier ?? 0);
}

/** Whether the newest record is older than the watermark. Then newer records were removed, or all ids changed: it proves nothing. */
function isBelowWatermark({ watermark, top, gaps }: FeedWalk): boolean {
  return gaps.length === 0 && (top ?? 0) < (watermark ?? 0);
}

/** Whether no record can lie between a page and what was read before it. */
export function isAdjacent(walk: FeedWalk, page: FeedPage): boolean {
  if ((page.highest ?? -1) >= (walk.frontier ?? ALL_IDS.high)) return true;
  return page.number === walk.lastPage + 1 && page.count >= walk.count;
}

function least(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other);
}
