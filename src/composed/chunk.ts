import { createHash } from 'node:crypto';
import type { Child, Key, Node, Tree } from '../rewrite/chunks.ts';
import { Boundaries, type BoundaryRule } from './boundaries.ts';

/** An immutable file of the composed layout. */
export interface Chunk {
  /** The SHA-256 of its bytes, in hexadecimal digits. */
  readonly hash: string;
  /** The bytes, in consecutive pieces. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
}

/** Receives the chunks of a tree. */
export type PutChunk = (chunk: Chunk) => void;

/** Consecutive items of a collection. */
export interface ItemRun {
  readonly keys: readonly Key[];
  /** The lengths of the items in bytes. */
  readonly lengths: readonly number[];
  /** The items, separated by commas. */
  readonly json: Buffer;
}

/** A level with more children than this is cut into nodes. */
const ROOT_CHILDREN = 256;
const NODE_RULE: BoundaryRule = { distance: 64, unitBytes: Number.POSITIVE_INFINITY };

function chunkOf(pieces: readonly Uint8Array[]): Chunk {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { hash: hash.digest('hex'), pieces, bytes };
}

/**
 * Encodes a leaf.
 * @param json the items with the commas between them, in consecutive pieces
 */
export function encodeLeaf(keys: readonly Key[], lengths: readonly number[], json: readonly Uint8Array[]): Chunk {
  return chunkOf([Buffer.from(`${JSON.stringify({ keys, lengths })}\n`), ...json]);
}

function encodeNode(node: Node): Chunk {
  return chunkOf([Buffer.from(JSON.stringify(node))]);
}

/** Makes the nodes above the leaves of a tree, up to its root. */
export function treeOf(leaves: readonly Child[], put: PutChunk): Tree & { readonly node: Node } {
  let children = leaves;
  let level = 1;
  for (; children.length > ROOT_CHILDREN; level += 1) {
    const nodes: Child[] = [];
    for (const group of groupsOf(children)) nodes.push(parentOf({ level, children: group }, put));
    children = nodes;
  }
  const node = { level, children };
  const root = encodeNode(node);
  put(root);
  return { count: children.reduce((sum, child) => sum + child[1], 0), root: root.hash, node };
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

function* groupsOf(children: readonly Child[]): Generator<readonly Child[]> {
  const boundaries = new Boundaries(NODE_RULE);
  let start = 0;
  for (const [hash, , bytes] of children) {
    const end = boundaries.add(Number.parseInt(hash.slice(0, 8), 16), bytes) + 1;
    if (end === 0) continue;
    yield children.slice(start, end);
    start = end;
  }
  const end = boundaries.end() + 1;
  if (end > start) yield children.slice(start, end);
  if (Math.max(end, start) < children.length) yield children.slice(Math.max(end, start));
}
