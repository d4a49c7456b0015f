import { type FailedPages, type IncompleteMirror, MAX_RANGES } from '../contract/files/incomplete-mirror.ts';
import type { PerCollection } from '../contract/pages/collection.ts';
import type { ItemKey } from '../store/mirror-state.ts';
import { excessOf, type RunState } from './run-state.ts';
import { pageAddress } from './service-page.ts';
import type { FeedWalk } from './walk/feed-walk.ts';
import type { Gap } from './walk/gaps.ts';

/** What a service has that could not be read. */
export interface Missing {
  /** The number of items that `count` includes and that no page showed, neither of the feed nor of the accounts. At least so many. */
  readonly records: number;
  readonly accounts: number;
  /** The number of items that pages showed and that `count` does not include. It then proves nothing. */
  readonly uncounted: { readonly records: number; readonly accounts: number };
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
  gone: PerCollection<readonly ItemKey[]>,
  baseUrl: string,
): { readonly isComplete: boolean; readonly missing: Missing } {
  const { feed, accounts } = plan;
  const excess = excessOf({ data, account }, { data: gone.data.length, account: gone.account.length });
  const [records, profiles] = [lackOf(feed, excess.data), lackOf(accounts, excess.account)];
  const isRead = feed.state === 'complete' && accounts.state === 'complete';
  const missing = {
    records: Math.max(0, records),
    accounts: Math.max(0, profiles),
    uncounted: { records: Math.max(0, -records), accounts: Math.max(0, -profiles) },
    gaps: feed.gaps.map((gap) => ({ ...gap, url: pageAddress(baseUrl, 'data', gap.page) })),
    isCountUnstable: !isRead && [...feed.gaps, ...accounts.gaps].every(({ reason }) => reason === null),
    pages: accounts.gaps.map((gap) => ({ ...gap, url: pageAddress(baseUrl, 'account', gap.page) })),
  };
  return { isComplete: isRead && records === 0 && profiles === 0, missing };
}

/** Returns the report of a run that did not read everything. */
export function reportOf(
  missing: Missing,
  { data, account }: RunState,
  run: Pick<IncompleteMirror, 'base_url' | 'finished_at' | 'request_count'>,
): IncompleteMirror {
  return {
    ...run,
    counted: { records: data.count, accounts: account.count },
    missing: { records: missing.records, accounts: missing.accounts },
    failed_pages: failedPages(missing),
  };
}

/** Returns the pages that could not be read, as a report has them. */
function failedPages({ gaps, pages }: Missing): readonly FailedPages[] | undefined {
  const ranges = [...rangesOf(gaps), ...rangesOf(pages)];
  return ranges.length === 0 ? undefined : ranges.slice(0, MAX_RANGES);
}

function rangesOf(pages: readonly { readonly page: number; readonly url: string; readonly reason: string | null }[]): FailedPages[] {
  const ranges: { url: string; pages: number; reason: string }[] = [];
  let end = 0;
  for (const { page, url, reason: whole } of pages.toSorted((one, other) => one.page - other.page)) {
    if (whole === null) continue;
    // reports are published: they contain no text from the service, and no address of the network
    const reason = /^(?:status \d+|not a page of the API|HTML or XML)/.exec(whole)?.[0] ?? 'no usable answer';
    const last = ranges.at(-1);
    if (last?.reason === reason && end === page - 1) last.pages += 1;
    else ranges.push({ url, pages: 1, reason });
    end = page;
  }
  return ranges;
}

/**
 * Returns how many items a store lacks, at least; below 0 if it has more than the service counts. Known items that were removed
 * unnoticed hide as many that are missing.
 * @param walk its excess counts only if it is complete: otherwise it is that of an earlier walk
 * @param known the excess over all known items
 */
function lackOf(walk: Pick<FeedWalk, 'state' | 'excess'>, known: number): number {
  const walked = walk.state === 'complete' ? walk.excess : 0;
  const most = Math.max(walked, known);
  return most > 0 ? most : Math.min(walked, known);
}
