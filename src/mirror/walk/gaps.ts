/** A part of the feed that may not have been read. The ids on both sides are null if no record was read on that side. */
export interface Gap {
  /** The page that could not be read, or before which records may have been skipped. */
  readonly page: number;
  /** Why the page could not be read; null if it was read, and records may have been skipped before it. */
  readonly reason: string | null;
  readonly newer: number | null;
  readonly older: number | null;
}

/** The gaps of a walk through the feed. */
interface Gaps {
  readonly gaps: readonly Gap[];
  /** Whether the ids of the feed descend. */
  readonly isOrdered: boolean;
}

/** The ids of records from `low` to before `high`. */
export interface IdRange {
  readonly low: number;
  readonly high: number;
}

export const ALL_IDS: IdRange = { low: 0, high: Number.MAX_SAFE_INTEGER + 1 };

/** Returns the ranges of ids whose records may be on pages that could not be read. */
export function unreadRanges({ gaps, isOrdered }: Gaps): readonly IdRange[] {
  const unread = gaps.filter(({ reason }) => reason !== null);
  if (!isOrdered && unread.length > 0) return [ALL_IDS];
  // consecutive pages have one range
  const ranges = unread.map(({ newer, older }): readonly [number, number] => [older === null ? 0 : older + 1, newer ?? ALL_IDS.high]);
  return Array.from(new Map(ranges), ([low, high]) => ({ low, high }));
}

/**
 * Returns the number of records in the {@link unreadRanges}, if nothing moved.
 * @param size the number of records on a full page
 * @param count the `count` of the service
 */
export function unreadRecords({ gaps, isOrdered }: Gaps, size: number, count: number): number {
  if (!isOrdered) return count;
  // a page that the page before links to can be full if it is not counted
  const onPage = (rest: number) => (rest > 0 ? Math.min(size, rest) : size);
  return gaps.reduce((sum, { page, reason }) => sum + (reason === null ? 0 : onPage(count - (page - 1) * size)), 0);
}
