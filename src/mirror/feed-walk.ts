import type { UnreadPage } from './unread-page.ts';

/** A page of the feed, as far as the walk through it looks at it. */
export interface FeedPage {
  readonly number: number;
  /** Records in the whole feed, as this page says. */
  readonly count: number;
  readonly hasNext: boolean;
  /** How many pages the feed has, by the `count`. */
  readonly pages: number;
  /** Ids of the newest and the oldest record on the page; null if it has none. */
  readonly highest: number | null;
  readonly lowest: number | null;
  /** Whether the ids fall from record to record. */
  readonly isOrdered: boolean;
}

/** How many records of the service are known, counted after a page has been read. */
export interface FeedTally {
  /** Known to have been in the service, in this run or in one before. */
  readonly known: number;
  /** Of these, missing on the pages that cover their ids. */
  readonly gone: number;
}

/** A place in the feed that could not be read. Ids are null if there was no record on that side. */
export interface Gap {
  /** The page that could not be read, or before which records may have been skipped. */
  readonly page: number;
  /** Why the page could not be read; null if it was read, and records may have been skipped before it. */
  readonly reason: string | null;
  readonly newer: number | null;
  readonly older: number | null;
}

/**
 * A walk through the feed, newest record first. New records push older ones to later pages while it goes on, removed
 * ones pull them to earlier pages, so that pages alone prove nothing: it ends when the ids that are known agree with
 * the `count` of the service. Plain data: it is kept on disk after each page.
 */
export interface FeedWalk {
  readonly state: 'walking' | 'complete' | 'incomplete';
  /** A round begins at page 1. */
  readonly round: number;
  /** The page to read next. */
  readonly page: number;
  /** Every record of the service up to this id is known; null if that is not known of any. */
  readonly watermark: number | null;
  /** Highest id on page 1 of this round. */
  readonly newest: number | null;
  /** Highest and lowest id of the records that were read without a gap; null before the first. */
  readonly top: number | null;
  readonly frontier: number | null;
  /** The last page that joined the ones before it, and what it said of the feed. */
  readonly lastPage: number;
  readonly count: number;
  /** Whether all pages of the round said the same of it. */
  readonly isSteady: boolean;
  readonly isOrdered: boolean;
  readonly gaps: readonly Gap[];
  readonly stepsBack: number;
  /** By how many records `count` exceeds what all pages together hold. A service may count what it does not show. */
  readonly excess: number;
  /** The excess after a page that links to no next one, while the page after it is asked for because of the `count`. */
  readonly endExcess: number | null;
}

/** How often a round may go back a page because records may have been skipped. */
const STEPS_BACK = 20;
/** How many rounds are walked, at most, until the known records and the count agree. */
const ROUNDS = 4;

/**
 * @param watermark of the runs before; null to read all pages
 * @param excess that the runs before have found
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

/**
 * The ids that a page covers, from `low` up to but not `high`: the service has no other records there. The last page covers
 * all older ids only if the count agrees: its link to a next page may be missing.
 * @param older how many known records that are not gone have lower ids than the page
 */
export function idsCovered(
  walk: FeedWalk,
  page: FeedPage,
  tally: FeedTally,
  older: number,
): { readonly low: number; readonly high: number } | undefined {
  if (!walk.isOrdered || !page.isOrdered || isRestart(walk, page) || !joins(walk, page)) return undefined;
  const high = page.number === 1 && walk.lastPage === 0 ? Number.MAX_SAFE_INTEGER + 1 : (walk.frontier ?? Number.MAX_SAFE_INTEGER + 1);
  const isEnd = !page.hasNext && page.count - (tally.known - tally.gone - older) === walk.excess;
  return { low: isEnd ? 0 : (page.lowest ?? high), high };
}

/** The walk after a page was read and its records were counted. */
export function afterFeedPage(walk: FeedWalk, page: FeedPage, tally: FeedTally): FeedWalk {
  if (isRestart(walk, page)) return nextRound(walk);
  const open = walk.gaps.filter(({ reason, older }) => reason !== null && older === null);
  const isJoined = joins(walk, page);
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
    isSteady: walk.isSteady && (walk.lastPage === 0 || walk.count === page.count),
    isOrdered,
    gaps: isJoined ? others : [...others, ...gaps],
    endExcess: null,
  };
  const isMet = isOrdered && walk.watermark !== null && frontier !== null && frontier <= walk.watermark && !isBelowWatermark(next);
  const excess = page.count - (tally.known - tally.gone);
  const isAgreed = excess === walk.excess;
  if (page.hasNext && !(isMet && isAgreed)) return next;
  // the link to a next page may be missing
  if (!page.hasNext && page.number < page.pages && !isAgreed) return { ...next, endExcess: excess };
  return endOfRound(next, excess);
}

/** The walk after the page it was to read could not be read. */
export function afterFeedUnread(walk: FeedWalk, { reason, pages }: UnreadPage): FeedWalk {
  if (walk.endExcess !== null) return endOfRound(walk, walk.endExcess);
  // the feed has become shorter
  if (walk.page > pages) return nextRound(walk);
  const gap = { page: walk.page, reason, newer: walk.frontier, older: null };
  const next = { ...walk, gaps: [...walk.gaps, gap], page: walk.page + 1 };
  // the watermark stays: the records below the page are not known
  return walk.page === pages ? { ...next, state: 'incomplete' } : next;
}

/** The walk after a page was read at the end that could not be read before. */
export function afterFeedRetry(walk: FeedWalk, page: FeedPage): FeedWalk {
  const gaps = walk.gaps.filter((gap) => gap.reason === null || gap.page !== page.number);
  const isOrdered = walk.isOrdered && page.isOrdered;
  // if records moved meanwhile, the page may not have all that it had
  const isSteady = walk.isSteady && walk.count === page.count;
  const next = { ...walk, gaps, isOrdered, isSteady };
  if (gaps.length > 0) return next;
  return { ...next, state: 'complete', watermark: isSteady && isOrdered ? (walk.newest ?? walk.watermark) : walk.watermark };
}

/** The walk from page 1 once more, to see what has come meanwhile. */
export function walkFeedAgain(walk: FeedWalk): FeedWalk {
  return { ...startFeedWalk(walk.isOrdered ? walk.watermark : null, walk.excess), isOrdered: walk.isOrdered };
}

/** @param excess of `count` over the records that are known */
function endOfRound(walk: FeedWalk, excess: number): FeedWalk {
  // what was read without a gap reaches down to where all is known, or to the end
  const ended = { ...walk, watermark: walk.isOrdered ? (walk.top ?? walk.watermark) : null };
  if (walk.gaps.some(({ reason }) => reason !== null)) return { ...ended, state: 'incomplete' };
  if (walk.gaps.length > 0) return nextRound(ended);
  // if nothing moved meanwhile, another round would find the same; if something did, the count can agree by chance
  return walk.isSteady || walk.round >= ROUNDS ? { ...ended, state: 'complete', excess } : nextRound(ended);
}

function nextRound(walk: FeedWalk): FeedWalk {
  if (walk.round >= ROUNDS) return { ...walk, state: 'incomplete' };
  return { ...walkFeedAgain(walk), round: walk.round + 1 };
}

/** Page 1 shows nothing of what was read in this round: the service holds other records now. */
function isRestart(walk: FeedWalk, page: FeedPage): boolean {
  return page.number === 1 && walk.lastPage > 0 && (page.highest ?? -1) < (walk.frontier ?? 0);
}

/** The newest record is older than the watermark, so that record was removed, or all ids are new. Then the watermark proves nothing. */
function isBelowWatermark({ watermark, top, gaps }: FeedWalk): boolean {
  return gaps.length === 0 && (top ?? 0) < (watermark ?? 0);
}

/** Whether no record can lie between a page and what was read before it. */
function joins(walk: FeedWalk, page: FeedPage): boolean {
  if (walk.lastPage === 0 && page.number === 1) return true;
  if (walk.frontier !== null && page.highest !== null && page.highest >= walk.frontier) return true;
  return page.number === walk.lastPage + 1 && page.count >= walk.count;
}

function least(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other);
}
