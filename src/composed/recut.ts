import { type Child, type Key, type LeafIndex, leafIndex } from '../rewrite/chunks.ts';
import type { BoundaryRule } from './boundaries.ts';
import type { ItemRun, PutChunk } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';
import { LeafCutter } from './leaf-cutter.ts';
import { rangeOf } from './leaf-list.ts';

/** Reads the present items after one key up to another one; undefined for the beginning or the end of the collection. */
export type ReadItems = (after: Key | undefined, upTo: Key | undefined) => Iterable<ItemRun>;

/** Consecutive leaves that are cut again. */
interface Span {
  readonly start: number;
  /** The last leaf of the span. */
  readonly end: number;
}

/**
 * Cuts the leaves with changed items again, and their neighbors: an item can move the boundaries on both sides of its leaf,
 * but none beyond the neighbors. The result is the same as if all items were cut.
 * @param leaves all leaves before the change
 * @param edited the positions of the leaves with changed items, ascending
 */
export function recut(
  rule: BoundaryRule,
  leaves: readonly Child[],
  edited: readonly number[],
  items: ReadItems,
  chunks: Chunks,
  put: PutChunk,
): readonly Child[] {
  const found: Child[] = [];
  let next = 0;
  for (const { start, end } of spansOf(leaves, edited)) {
    found.push(...leaves.slice(next, start));
    const cutter = new LeafCutter(rule, put);
    const context = (leaf: Child | undefined): LeafIndex => (leaf === undefined ? EMPTY : leafIndex(chunks.read(leaf[0])));
    const before = context(leaves[start - 1]);
    cutter.addContext(before.keys, before.lengths);
    const { after: first, upTo } = rangeOf(leaves, start, end);
    for (const run of items(first, upTo)) cutter.add(run);
    const after = context(leaves[end + 1]);
    found.push(...(upTo === undefined ? cutter.end() : cutter.endBefore(after.keys, after.lengths)));
    next = end + 1;
  }
  found.push(...leaves.slice(next));
  return found;
}

const EMPTY: LeafIndex = { keys: [], lengths: [] };

function spansOf(leaves: readonly Child[], edited: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  for (const leaf of edited) {
    const span = { start: Math.max(0, leaf - 1), end: Math.min(leaves.length - 1, leaf + 1) };
    const last = spans.at(-1);
    if (last !== undefined && span.start <= last.end) spans[spans.length - 1] = { start: last.start, end: span.end };
    else spans.push(span);
  }
  return spans;
}
