import type { Child, Node, Tree } from '../rewrite/chunks.ts';
import { Boundaries } from './boundaries.ts';
import { encodeNode, type PutChunk } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';

/** A level with more children than this is split into nodes. */
const ROOT_CHILDREN = 256;
/** Two boundaries between nodes have more than this number of children between them. */
const DISTANCE = 64;

/** A node below the root, with its entry in the node above it. */
interface NamedNode {
  readonly child: Child;
  readonly node: Node;
}

/** The nodes of a tree below its root, by level, in order. */
export type Levels = ReadonlyMap<number, readonly NamedNode[]>;

/** Reads all nodes of a tree. Returns its leaves too. */
export function readNodes(root: Node, chunks: Chunks): { readonly leaves: readonly Child[]; readonly levels: Levels } {
  const levels = new Map<number, readonly NamedNode[]>();
  let children = root.children;
  for (let level = root.level - 1; level > 0; level -= 1) {
    const nodes = children.map((child) => ({ child, node: chunks.node(child[0]) }));
    levels.set(level, nodes);
    children = nodes.flatMap(({ node }) => node.children);
  }
  return { leaves: children, levels };
}

/**
 * Makes the nodes above the leaves of a tree, up to its root.
 * @param former the nodes of an earlier tree with nearly the same leaves. Nodes far from every change are reused
 */
export function treeOf(leaves: readonly Child[], put: PutChunk, former: Levels = new Map()): Tree & { readonly node: Node } {
  let children = leaves;
  let level = 1;
  for (; children.length > ROOT_CHILDREN; level += 1) children = nodesAbove(children, level, former.get(level) ?? [], put);
  const node = { level, children };
  const root = encodeNode(node);
  put(root);
  return { count: children.reduce((sum, child) => sum + child[1], 0), root: root.hash, node };
}

/** Splits the children of a level into nodes. Returns the children that name these nodes. */
function nodesAbove(children: readonly Child[], level: number, former: readonly NamedNode[], put: PutChunk): readonly Child[] {
  const { first, last, start, end } = changedPart(children, former);
  const nodes = former.slice(0, first).map(({ child }) => child);
  let from = start;
  for (const to of endsBetween(children, start, end)) {
    nodes.push(parentOf({ level, children: children.slice(from, to) }, put));
    from = to;
  }
  return [...nodes, ...former.slice(last).map(({ child }) => child)];
}

/** The nodes that stay, and the children between them. */
interface ChangedPart {
  /** The former nodes before `first` and from `last` on stay. */
  readonly first: number;
  readonly last: number;
  /** The children from `start` to before `end` are below other nodes. */
  readonly start: number;
  readonly end: number;
}

/** Finds the nodes that stay: their boundaries depend only on children that both trees have at their beginning, or at their end. */
function changedPart(children: readonly Child[], former: readonly NamedNode[]): ChangedPart {
  const old = former.flatMap(({ node }) => node.children);
  const most = Math.min(old.length, children.length);
  let prefix = 0;
  while (prefix < most && old[prefix]?.[0] === children[prefix]?.[0]) prefix += 1;
  let suffix = 0;
  while (suffix < most - prefix && old[old.length - 1 - suffix]?.[0] === children[children.length - 1 - suffix]?.[0]) suffix += 1;
  let [first, start] = [0, 0];
  for (const { node } of former) {
    if (start + node.children.length + DISTANCE > prefix) break;
    start += node.children.length;
    first += 1;
  }
  let [last, kept] = [former.length, 0];
  for (const { node } of former.toReversed()) {
    if (kept + node.children.length + DISTANCE + 1 > suffix) break;
    kept += node.children.length;
    last -= 1;
  }
  return { first, last, start, end: children.length - kept };
}

/** Returns the ends of the nodes between two boundaries. The second boundary is the last end. */
function endsBetween(children: readonly Child[], start: number, end: number): readonly number[] {
  const boundaries = new Boundaries({ distance: DISTANCE, unitBytes: Number.POSITIVE_INFINITY });
  // the children nearby decide about boundaries too
  const contextStart = Math.max(0, start - DISTANCE);
  const nearby = children.slice(contextStart, end + DISTANCE + 1);
  const found = nearby.map(([hash, , bytes]) => boundaries.add(Number.parseInt(hash.slice(0, 8), 16), bytes));
  const ends = [...found, boundaries.end()].filter((index) => index !== -1).map((index) => contextStart + index + 1);
  return [...ends.filter((each) => each > start && each < end), end];
}

function parentOf(node: Node, put: PutChunk): Child {
  const { level, children } = node;
  const [first, last] = [children[0], children.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a node without children below another node');
  const chunk = encodeNode(node);
  put(chunk);
  const [leaf, items] = level === 1 ? [first[0], first[1]] : [first[4] ?? '', first[5] ?? 0];
  return [chunk.hash, children.reduce((sum, child) => sum + child[1], 0), chunk.bytes, last[3], leaf, items];
}
