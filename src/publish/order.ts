/** The order in which a collection's pages are written. */
export interface Order {
  /** All at once, before the others: pages that no reader can come to yet, or whose items stay as they are. */
  readonly first: readonly number[];
  /** All at once, when the first are there: pages that show their old items and their new ones for a while. */
  readonly overlaps: readonly number[];
  /** When the overlaps are there, the runs at once, each of them one page after another. */
  readonly runs: readonly (readonly number[])[];
}

/** How many pages a run should have for each overlap page that it costs: overlaps are written twice. */
const PAGES_PER_OVERLAP = 50;

/**
 * Orders pages so that a reader who follows `next` meanwhile, or comes when all of it has stopped midway,
 * misses nothing. Items move from a page to later ones only, so none may leave a page before it stands on
 * a later one. One page after another from the highest down keeps that, and is slow. So the pages are cut
 * into runs: where one ends and the next lower one begins, the pages that will take items over the cut first
 * show them beside their old ones. Then the runs need not wait for each other.
 * @param moving the pages whose items change, the highest first
 * @param still pages to be written in any order before
 * @param shift how many pages later an item may come to stand, at most
 * @param concurrency how many requests may be under way at once
 */
export function orderPages(moving: readonly number[], still: readonly number[], shift: number, concurrency: number): Order {
  const isFar = shift > 1 && shift * PAGES_PER_OVERLAP > moving.length;
  // the lowest page takes nothing over from others
  if (isFar && concurrency > 1) return { first: still, overlaps: moving.slice(0, -1), runs: moving.map((page) => [page]) };
  const affordable = Math.floor(moving.length / (PAGES_PER_OVERLAP * Math.max(1, shift)));
  const length = Math.ceil(moving.length / Math.max(1, Math.min(concurrency, affordable)));
  const runs: number[][] = [];
  for (let start = 0; start < moving.length; start += length) runs.push(moving.slice(start, start + length));
  const overlaps = runs.flatMap((run, index) => {
    const below = runs[index + 1]?.[0];
    return below === undefined ? [] : run.filter((page) => page <= below + shift);
  });
  return { first: still, overlaps: overlaps, runs };
}
