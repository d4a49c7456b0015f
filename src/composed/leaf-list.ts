import type { Child, Key, Node } from '../rewrite/chunks.ts';
import type { Chunks } from './chunk-folder.ts';

/** Returns all leaves below a node, in order. */
export function leavesBelow(node: Node, chunks: Chunks): readonly Child[] {
  return node.level === 1 ? node.children : node.children.flatMap((child) => leavesBelow(chunks.node(child[0]), chunks));
}

/** A range of keys in a collection: after one key up to another one; undefined for the beginning or the end. */
interface KeyRange {
  readonly after: Key | undefined;
  readonly upTo: Key | undefined;
}

/** Returns the range of keys that belong to consecutive leaves. */
export function rangeOf(leaves: readonly Child[], first: number, last: number): KeyRange {
  return { after: leaves[first - 1]?.[3], upTo: last >= leaves.length - 1 ? undefined : leaves[last]?.[3] };
}

/** Returns the position of the leaf to which a record of the feed belongs. The feed is sorted by descending ids. */
export function feedLeafOf(leaves: readonly Child[], id: number): number {
  let [low, high] = [0, leaves.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number(leaves[middle]?.[3]) <= id) high = middle;
    else low = middle + 1;
  }
  return low;
}
