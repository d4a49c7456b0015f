/** The order in which the pages of a collection are written whose items change. */
export interface Order {
  /** Written first, in parallel: pages that temporarily show their old items and their new ones. */
  readonly overlaps: readonly number[];
  /** Written after the overlap pages: the runs in parallel, the pages of one run one after another. */
  readonly runs: readonly (readonly number[])[];
}

/** The number of pages that a run must have for each overlap page that it needs, because overlap pages are written twice. */
const PAGES_PER_OVERLAP = 50;

/**
 * Orders pages so that a reader who follows `next` during the publish misses nothing. This also holds if the publish
 * stops halfway. Items move only to later pages, so an item must not leave a page before a later page shows it.
 * Writing one page after another from the highest down ensures this, but is slow. So the pages are divided into runs.
 * At the boundary between two runs, the pages that receive items from the lower run first become overlap pages.
 * Then the runs need not wait for each other.
 * @param moving the pages whose items change, highest first
 * @param shift the most pages that an item moves back
 * @param concurrency the most requests in flight at a time
 */
export function orderPages(moving: readonly number[], shift: number, concurrency: number): Order {
  const isFar = shift > 1 && shift * PAGES_PER_OVERLAP > moving.length;
  // the lowest page receives no items from other pages
  if (isFar && concurrency > 1) return { overlaps: moving.slice(0, -1), runs: moving.map((page) => [page]) };
  const affordable = Math.floor(moving.length / (PAGES_PER_OVERLAP * Math.max(1, shift)));
  const length = Math.ceil(moving.length / Math.max(1, Math.min(concurrency, affordable)));
  const runs: number[][] = [];
  for (let start = 0; start < moving.length; start += length) runs.push(moving.slice(start, start + length));
  const overlaps = runs.flatMap((run, index) => {
    const below = runs[index + 1]?.[0] ?? Number.NEGATIVE_INFINITY;
    return run.filter((page) => page <= below + shift);
  });
  return { overlaps, runs };
}
