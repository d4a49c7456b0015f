import type { ItemKey } from '../store/mirror-state.ts';
import type { RunState } from './run-state.ts';
import { isDigest } from './service-page.ts';
import type { AccountsPage, AccountTally, AccountWalk } from './walk/account-walk.ts';
import { type FeedPage, type FeedWalk, hasSameCount, isAdjacent, isRestart } from './walk/feed-walk.ts';
import { ALL_IDS, type IdRange, recordsIn, unreadRanges } from './walk/gaps.ts';
import type { Plan } from './walk/reading-plan.ts';

// Each function here is one rule: it decides which known records or accounts the service no longer has. Items move between pages during
// a run. So an item is gone only if the pages that were read show all items that the service has where this one was. If a later page shows
// it, it is not gone.

/**
 * Returns a range of ids: a page of the feed shows all records of the service with an id in this range. So a known record is gone if it
 * has such an id and is not on the page.
 * @param onPages see {@link FeedTally}
 */
export function idsCovered(plan: Plan, page: FeedPage, onPages: number): IdRange | undefined {
  if (plan.changed.data === undefined && plan.stage !== 'retry') return idsCoveredInWalk(plan.feed, page, onPages);
  return page.isOrdered && page.lowest !== null && page.highest !== null ? { low: page.lowest, high: page.highest + 1 } : undefined;
}

/** The last page covers all lower ids only if `count` agrees, because its link to a next page may be missing. */
function idsCoveredInWalk(walk: FeedWalk, page: FeedPage, onPages: number): IdRange | undefined {
  if (!walk.isOrdered || !page.isOrdered || isRestart(walk, page)) return undefined;
  // below records that may have been skipped, and below a page that could not be read, only its own ids are certain
  const high = isAdjacent(walk, page) ? (walk.frontier ?? ALL_IDS.high) : (page.highest ?? -1) + 1;
  const isEnd = !page.hasNext && (page.count === onPages || page.count - onPages === walk.excess);
  return { low: isEnd ? 0 : (page.lowest ?? high), high };
}

/**
 * Returns a test for the known records that a round has not seen when it reads a page of the feed: true for a record that is gone. Returns
 * undefined if none is known to be gone: if the page does not end the round, or the round has not shown as many records as the service counts.
 * @param seen the number of records that were seen in the round
 */
export function unseenRecordsGone({ stage, feed }: Plan, page: FeedPage, seen: number): ((key: ItemKey) => boolean) | undefined {
  const hasShownAll = !page.hasNext && hasSameCount(feed, page) && feed.gaps.length === 0 && seen === page.count;
  if (stage === 'retry' || !hasShownAll) return undefined;
  // in a feed in order, the others are gone by their ids: see `idsCovered`
  return feed.isOrdered && page.isOrdered ? isDigest : () => true;
}

/**
 * Returns the ranges of ids of those unread pages of the feed whose records other pages have shown, as far as their number says. A known
 * record with an id in such a range is gone if this round has not seen it. Pages of earlier rounds prove nothing: what they showed can be
 * removed since.
 * @param shownIn returns the number of records in a range that this round has seen
 * @returns the ranges, and whether no record of an unread page is left
 */
export function rangesShown(
  { data: { count, shortest }, plan: { stage, feed } }: RunState,
  shownIn: (range: IdRange) => number,
): { readonly ranges: readonly IdRange[]; readonly isAll: boolean } {
  if (stage !== 'retry' || !feed.isSteady || feed.count !== count) return { ranges: [], isAll: false };
  const unread = unreadRanges(feed);
  const shown = unread.filter((range) => shownIn(range) === recordsIn(range, shortest, count));
  const isAll = shown.length === unread.length;
  // how many records the last pages have is known only from the count, which can be wrong
  return { ranges: shown.filter(({ low }) => isAll || low > 0), isAll };
}

/**
 * Whether the accounts that a round has not seen are gone, if the round ends after this page. The round has then read all pages, from the
 * last one back to page 1. All must have the same `count`, and the round must have seen that many accounts.
 */
export function areUnseenAccountsGone(
  { isSteady, gaps, turns, excess }: AccountWalk,
  { count }: AccountsPage,
  { seen }: AccountTally,
): boolean {
  if (!isSteady || gaps.length > 0) return false;
  // a service may count more accounts than it shows, in each run
  return turns > 1 ? count - seen === excess : count - seen <= Math.max(0, excess);
}
