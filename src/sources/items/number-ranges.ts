/** A range of whole numbers, both ends included. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** A range of positions, with the lowest and the highest id at these positions. */
interface Numbered extends NumberRange {
  readonly low: number;
  readonly high: number;
}

/** A set of whole numbers, stored as ranges. */
export class NumberRanges {
  #merged: Numbered[] = [];
  #added: Numbered[] = [];
  #contradiction: NumberRange | undefined;

  /** @param low,high if the numbers are positions of items with ids: the lowest id, at `from`, and the highest, at `to` */
  add(from: number, to: number, low: number = from, high: number = to): void {
    if (from <= to) this.#added.push({ from, to, low, high });
  }

  all(): readonly NumberRange[] {
    this.#merge();
    return this.#merged.map(({ from, to }) => ({ from, to }));
  }

  /** Returns two positions between which the ids are not known to rise. Undefined: all positions have different ids. */
  contradiction(): NumberRange | undefined {
    this.#merge();
    return this.#contradiction;
  }

  /** Returns the numbers from `first` to `last` that are not in the set. */
  gaps(first: number, last: number): NumberRange[] {
    this.#merge();
    const gaps: NumberRange[] = [];
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
    const merged: Numbered[] = [];
    let open: Numbered | undefined;
    for (const next of [...this.#merged, ...this.#added].sort((one, other) => one.from - other.from || other.to - one.to)) {
      // whatever ids a copy has, each of these positions has a different id already
      if (open !== undefined && next.to <= open.to) continue;
      if (open !== undefined && next.low <= open.high) this.#contradiction ??= { from: open.to, to: next.from };
      if (open !== undefined && next.from <= open.to + 1) {
        open = { from: open.from, to: next.to, low: open.low, high: next.high };
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

export function lengthOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
