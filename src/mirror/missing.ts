import type { Collection } from '../contract/collection.ts';
import type { ItemKey } from '../store/mirror-memory.ts';
import type { RunState } from './run-state.ts';
import type { Gap } from './walk/feed-walk.ts';
import type { PageName } from './walk/reading-plan.ts';

/** What a service has that could not be read. */
export interface Missing {
  /** The number of items that `count` includes and that no page showed. */
  readonly records: number;
  readonly accounts: number;
  /** Gaps in the feed: a page that failed (with the reason), or records that may have been skipped. */
  readonly gaps: readonly (Gap & { readonly url: string })[];
  /** Whether the service changed so often that the number of known items never agreed with `count`. */
  readonly isCountUnstable: boolean;
  /** Pages of accounts that failed. */
  readonly pages: readonly { readonly page: number; readonly reason: string; readonly url: string }[];
}

/** Returns whether a finished run has everything that the service has, and what is missing. */
export function missingOf(
  { plan, data, account }: RunState,
  gone: { readonly [C in Collection]: readonly ItemKey[] },
  addressOf: (name: PageName) => string,
): { readonly isComplete: boolean; readonly missing: Missing } {
  const { feed, accounts } = plan;
  const isComplete = feed.state === 'complete' && feed.excess <= 0 && accounts.state === 'complete' && accounts.excess <= 0;
  if (isComplete) return { isComplete, missing: { records: 0, accounts: 0, gaps: [], isCountUnstable: false, pages: [] } };
  const missing = {
    // records and accounts that were removed during the last walk still count as known, so its excess can be higher
    records: Math.max(0, feed.excess, data.count - (data.known + data.fresh - gone.data.length)),
    accounts: Math.max(0, accounts.excess, account.count - (account.known + account.fresh - gone.account.length)),
    gaps: feed.gaps.map((gap) => ({ ...gap, url: addressOf({ collection: 'data', number: gap.page }) })),
    isCountUnstable: [...feed.gaps, ...accounts.gaps].every(({ reason }) => reason === null) && feed.excess <= 0 && accounts.excess <= 0,
    pages: accounts.gaps.map((gap) => ({ ...gap, url: addressOf({ collection: 'account', number: gap.page }) })),
  };
  return { isComplete, missing };
}
