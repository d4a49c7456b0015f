/**
 * Reads the immutable files of the composed layout, as docs/composed-layout.md describes them. Hosts run this source too,
 * so it has no imports. Some hosts run an old dialect: no destructuring, no default values of parameters, no `for … of`,
 * no `??` and `?.`, and no `await` inside an expression.
 */

/** Identifies an item in its collection: the id of a record, or of an account's first record; or the account's name. */
export type Key = number | string;

/**
 * A child of a node: its SHA-256, the number of items below it, the length of its file in bytes, and the key of its last
 * item. In a node of level 2 or more, also the SHA-256 of the first leaf below it, and the number of items in that leaf.
 */
export type Child = readonly [hash: string, items: number, bytes: number, last: Key, leaf?: string, leafItems?: number];

/** A node of a tree. The children of level 1 are leaves. */
export interface Node {
  readonly level: number;
  readonly children: readonly Child[];
}

/** The first line of a leaf: the keys of its items, and their lengths in bytes. */
export interface LeafIndex {
  readonly keys: readonly Key[];
  readonly lengths: readonly number[];
}

/** A tree of items, known by the SHA-256 of its root. */
export interface Tree {
  /** The number of items. */
  readonly count: number;
  /** The SHA-256 of the root. */
  readonly root: string;
  /** The content of the root, if it is known. */
  readonly node?: Node;
}

/** Returns the bytes of a chunk. Rejects if there is no such chunk. */
export type ReadChunk = (hash: string) => Promise<Uint8Array>;

/** The value of `Cache-Control` for a chunk: its name is its hash, so its bytes never change. */
export const CHUNK_CACHE_CONTROL = 'public, max-age=31536000, immutable';

const NEWLINE = 10;

/** Returns the path of a chunk, relative to the tree. */
export function chunkPath(hash: string): string {
  return `chunks/${hash.slice(0, 2)}/${hash.slice(2)}`;
}

export function parseNode(bytes: Uint8Array): Node {
  return JSON.parse(new TextDecoder().decode(bytes));
}

export function leafIndex(leaf: Uint8Array): LeafIndex {
  return JSON.parse(new TextDecoder().decode(leaf.subarray(0, leaf.indexOf(NEWLINE))));
}

/** Returns the bytes of consecutive items of a leaf with the commas between them, without a copy. */
export function itemsOf(leaf: Uint8Array, from: number, to: number): Uint8Array {
  const lengths = leafIndex(leaf).lengths;
  let start = leaf.indexOf(NEWLINE) + 1;
  for (let at = 0; at < from; at += 1) start += Number(lengths[at]) + 1;
  let end = start;
  for (let at = from; at < to; at += 1) end += Number(lengths[at]) + 1;
  return leaf.subarray(start, end - 1);
}

/** Returns the root of a tree. */
export async function rootOf(tree: Tree, read: ReadChunk): Promise<Node> {
  if (tree.node !== undefined) return tree.node;
  const bytes = await read(tree.root);
  return parseNode(bytes);
}

/**
 * Returns the bytes of consecutive items below a node: one part for each leaf, without the commas between the parts.
 * @param from the position of the first item below the node, from 0
 * @param to the position after the last item
 */
export async function itemsBelow(node: Node, from: number, to: number, read: ReadChunk): Promise<Uint8Array[]> {
  const parts: Promise<Uint8Array[]>[] = [];
  let start = 0;
  for (let at = 0; at < node.children.length && start < to; at += 1) {
    const child = node.children[at] as Child;
    const end = start + child[1];
    if (end > from) parts.push(itemsOfChild(node.level, child, Math.max(from - start, 0), Math.min(to, end) - start, read));
    start = end;
  }
  const lists = await Promise.all(parts);
  const found: Uint8Array[] = [];
  return found.concat.apply(found, lists);
}

async function itemsOfChild(level: number, child: Child, from: number, to: number, read: ReadChunk): Promise<Uint8Array[]> {
  const isInFirstLeaf = level > 1 && to <= Number(child[5]);
  const bytes = await read(isInFirstLeaf ? String(child[4]) : child[0]);
  if (level === 1 || isInFirstLeaf) return [itemsOf(bytes, from, to)];
  return itemsBelow(parseNode(bytes), from, to, read);
}

/** Returns how many items of a tree with ascending numbers as keys have at most this key. */
export async function itemsUpTo(tree: Tree, key: number, read: ReadChunk): Promise<number> {
  let node = await rootOf(tree, read);
  let before = 0;
  for (;;) {
    let at = 0;
    while (at < node.children.length && Number((node.children[at] as Child)[3]) <= key) {
      before += (node.children[at] as Child)[1];
      at += 1;
    }
    if (at === node.children.length) return before;
    const bytes = await read((node.children[at] as Child)[0]);
    if (node.level === 1) return before + leafIndex(bytes).keys.filter((each) => Number(each) <= key).length;
    node = parseNode(bytes);
  }
}
