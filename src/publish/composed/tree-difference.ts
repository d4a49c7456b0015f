import { type Child, type Node, parseNode } from '../../rewrite/chunks.ts';

/** Returns the bytes of a chunk, and checks their hash. */
export type ReadChecked = (hash: string) => Promise<Buffer>;

/** A chunk of a tree: its SHA-256 and the length of its file. */
export interface ChunkRef {
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Yields the chunks of a tree that another tree does not have. Reads only nodes that differ. Without another tree, memory
 * holds one node of each level.
 * @param base the root of the other tree; undefined if there is none
 */
export async function* chunksBeyond(root: string, base: string | undefined, read: ReadChecked): AsyncGenerator<ChunkRef> {
  if (root === base) return;
  const bytes = await read(root);
  yield { hash: root, bytes: bytes.length };
  const node = parseNode(bytes);
  if (base === undefined) yield* allBelow(node, read);
  else yield* differenceBelow(node, parseNode(await read(base)), read);
}

async function* allBelow({ level, children }: Node, read: ReadChecked): AsyncGenerator<ChunkRef> {
  for (const child of children) {
    yield refOf(child);
    if (level > 1) yield* allBelow(parseNode(await read(child[0])), read);
  }
}

/** Compares two trees level by level. Of equal nodes on the same level, all descendants are equal. */
async function* differenceBelow(node: Node, base: Node, read: ReadChecked): AsyncGenerator<ChunkRef> {
  let [own, other] = [node, base];
  for (;;) {
    while (other.level > own.level) other = await nextLevel(other, read);
    if (own.level === other.level) [own, other] = [without(own, other), without(other, own)];
    for (const child of own.children) yield refOf(child);
    if (own.level === 1 || own.children.length === 0) return;
    own = await nextLevel(own, read);
  }
}

/** Returns all children of the children of a node, as if one node had them. */
async function nextLevel({ level, children }: Node, read: ReadChecked): Promise<Node> {
  const nodes = await Promise.all(children.map(async ([hash]) => parseNode(await read(hash))));
  return { level: level - 1, children: nodes.flatMap((one) => one.children) };
}

function without({ level, children }: Node, other: Node): Node {
  const known = new Set(other.children.map(([hash]) => hash));
  return { level, children: children.filter(([hash]) => !known.has(hash)) };
}

/** Returns the hashes of all chunks below these roots, and the roots. */
export async function reachableFrom(roots: readonly string[], read: ReadChecked): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const visit = async (hash: string): Promise<void> => {
    if (found.has(hash)) return;
    found.add(hash);
    const { level, children } = parseNode(await read(hash));
    if (level > 1) await Promise.all(children.map((child) => visit(child[0])));
    else for (const child of children) found.add(child[0]);
  };
  // one after another: consecutive states share most nodes
  for (const root of roots) await visit(root);
  return found;
}

function refOf([hash, , bytes]: Child): ChunkRef {
  return { hash, bytes };
}
