/** A range of whole numbers, both ends included. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** How many intervals are collected before a merge. */
const UNMERGED = 1024;

/** A set of whole numbers, stored as intervals. Memory grows with the number of gaps, not with the size of the set. */
export class Intervals {
  #merged: Interval[] = [];
  #added: Interval[] = [];

  add(from: number, to: number): void {
    if (from > to) return;
    this.#added.push({ from, to });
    // the limit grows with the set: sorting stays a small share of the work for any number of gaps
    if (this.#added.length > UNMERGED + this.#merged.length) this.#merge();
  }

  all(): readonly Interval[] {
    this.#merge();
    return this.#merged;
  }

  /** Returns the numbers from `first` to `last` that are not in the set. */
  gaps(first: number, last: number): Interval[] {
    this.#merge();
    const gaps: Interval[] = [];
    let next = first;
    for (const { from, to } of this.#merged) {
      if (from > last) break;
      if (from > next) gaps.push({ from: next, to: from - 1 });
      next = Math.max(next, to + 1);
    }
    if (next <= last) gaps.push({ from: next, to: last });
    return gaps;
  }

  #merge(): void {
    const merged: Interval[] = [];
    let open: Interval | undefined;
    for (const next of [...this.#merged, ...this.#added].sort((one, other) => one.from - other.from)) {
      if (open !== undefined && next.from <= open.to + 1) {
        open = { from: open.from, to: Math.max(open.to, next.to) };
        continue;
      }
      if (open !== undefined) merged.push(open);
      open = next;
    }
    if (open !== undefined) merged.push(open);
    this.#merged = merged;
    this.#added = [];
  }
}

/** Returns how many numbers the intervals contain. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
