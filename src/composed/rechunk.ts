import { type Child, type Key, type LeafIndex, leafIndex } from '../rewrite/chunks.ts';
import type { BoundaryRule } from './boundaries.ts';
import type { ItemRun, PutChunk } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';
import { Chunker } from './chunker.ts';
import { rangeOf } from './leaf-list.ts';

/** Reads the present items after one key up to another one; undefined for the beginning or the end of the collection. */
export type ReadItems = (after: Key | undefined, upTo: Key | undefined) => Iterable<ItemRun>;

/** Consecutive leaves that are chunked again. */
interface LeafRange {
  readonly start: number;
  /** The last leaf of the range. */
  readonly end: number;
}

/**
 * Chunks the items of changed leaves and of their neighbors again: an item can move the boundaries on both sides of its leaf,
 * but none beyond the neighbors. The result is the same as if all items were chunked.
 * @param leaves all leaves before the change
 * @param changed the positions of the leaves with changed items, ascending
 */
export function rechunk(
  rule: BoundaryRule,
  leaves: readonly Child[],
  changed: readonly number[],
  items: ReadItems,
  chunks: Chunks,
  put: PutChunk,
): readonly Child[] {
  const found: Child[] = [];
  let next = 0;
  for (const { start, end } of rangesOf(leaves, changed)) {
    found.push(...leaves.slice(next, start));
    const chunker = new Chunker(rule, put);
    const context = (leaf: Child | undefined): LeafIndex => (leaf === undefined ? EMPTY : leafIndex(chunks.read(leaf[0])));
    const before = context(leaves[start - 1]);
    chunker.addContext(before.keys, before.lengths);
    const { after: first, upTo } = rangeOf(leaves, start, end);
    for (const run of items(first, upTo)) chunker.add(run);
    const after = context(leaves[end + 1]);
    found.push(...(upTo === undefined ? chunker.end() : chunker.endBefore(after.keys, after.lengths)));
    next = end + 1;
  }
  found.push(...leaves.slice(next));
  return found;
}

const EMPTY: LeafIndex = { keys: [], lengths: [] };

function rangesOf(leaves: readonly Child[], changed: readonly number[]): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  for (const leaf of changed) {
    const range = { start: Math.max(0, leaf - 1), end: Math.min(leaves.length - 1, leaf + 1) };
    const last = ranges.at(-1);
    if (last !== undefined && range.start <= last.end) ranges[ranges.length - 1] = { start: last.start, end: range.end };
    else ranges.push(range);
  }
  return ranges;
}
