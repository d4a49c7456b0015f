/** A part of the feed that may not have been read. The ids on both sides are null if no record was read on that side. */
export interface Gap {
  /** The page that could not be read, or before which records may have been skipped. */
  readonly page: number;
  /** Why the page could not be read; null if it was read, and records may have been skipped before it. */
  readonly reason: string | null;
  readonly newer: number | null;
  readonly older: number | null;
}

/** The ids of records from `low` to before `high`. */
export interface IdRange {
  readonly low: number;
  readonly high: number;
}

export const ALL_IDS: IdRange = { low: 0, high: Number.MAX_SAFE_INTEGER + 1 };

/** The ids of the records that consecutive pages may have. */
interface UnreadRange extends IdRange {
  /** The number of the first page, and how many pages there are. */
  readonly page: number;
  readonly pages: number;
}

/** Returns the ranges of ids whose records may be on pages of a walk through the feed that could not be read. */
export function unreadRanges(walk: { readonly gaps: readonly Gap[]; readonly isOrdered: boolean }): readonly UnreadRange[] {
  const unread = walk.gaps.filter(({ reason }) => reason !== null);
  if (!walk.isOrdered && unread.length > 0) return [{ ...ALL_IDS, page: 1, pages: Number.MAX_SAFE_INTEGER }];
  const ranges = new Map<number, UnreadRange>();
  for (const { page, newer, older } of unread) {
    const low = older === null ? 0 : older + 1;
    const { page: first, pages } = ranges.get(low) ?? { page, pages: 0 };
    ranges.set(low, { low, high: newer ?? ALL_IDS.high, page: first, pages: pages + 1 });
  }
  return [...ranges.values()];
}

/**
 * Returns the number of records on the pages of a range, if nothing moved. Pages with another behind them are full. The last ones have
 * the rest of `count`. If there is no rest, `count` is wrong, and the pages have at most as many as full ones.
 * @param size the number of records on a full page
 * @param count the `count` of the service
 */
export function recordsIn({ low, page, pages }: UnreadRange, size: number, count: number): number {
  const rest = count - (page - 1) * size;
  return low > 0 || rest <= 0 ? pages * size : Math.min(pages * size, rest);
}
