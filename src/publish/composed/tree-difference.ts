import { type Child, type Node, parseNode } from '../../rewrite/chunks.ts';

/** Returns the bytes of a chunk, and checks their hash. */
export type ReadChecked = (hash: string) => Promise<Buffer>;

/** Returns the bytes of a chunk; undefined if it is missing or damaged. */
export type ReadIntact = (hash: string) => Promise<Buffer | undefined>;

/** How chunks are read: those of states that must be complete, and those of states that may be damaged. */
export interface ChunkReads {
  readonly read: ReadChecked;
  readonly readIfIntact: ReadIntact;
}

/** A chunk of a tree: its SHA-256 and the length of its file. */
export interface ChunkRef {
  readonly hash: string;
  readonly bytes: number;
  /** The level of a node; 0 for a leaf. */
  readonly level: number;
}

/**
 * Yields the chunks of a tree that another tree does not have. Reads only nodes that differ. Without another tree, memory
 * holds one node of each level. If a node of the other tree is damaged, it also yields what only this node names.
 * @param base the root of the other tree; undefined if there is none
 */
export async function* chunksBeyond(root: string, base: string | undefined, reads: ChunkReads): AsyncGenerator<ChunkRef> {
  if (root === base) return;
  const { read, readIfIntact } = reads;
  const bytes = await read(root);
  const node = parseNode(bytes);
  yield { hash: root, bytes: bytes.length, level: node.level };
  const other = base === undefined ? undefined : await readIfIntact(base);
  if (other === undefined) yield* allBelow(node, read);
  else yield* differenceBelow(node, parseNode(other), reads);
}

async function* allBelow({ level, children }: Node, read: ReadChecked): AsyncGenerator<ChunkRef> {
  for (const child of children) {
    yield refOf(child, level - 1);
    if (level > 1) yield* allBelow(parseNode(await read(child[0])), read);
  }
}

/** Compares two trees level by level. Of equal nodes on the same level, all descendants are equal. */
async function* differenceBelow(node: Node, base: Node, { read, readIfIntact }: ChunkReads): AsyncGenerator<ChunkRef> {
  let [own, other] = [node, base];
  for (;;) {
    while (other.level > own.level) other = await nextLevel(other, readIfIntact);
    if (own.level === other.level) [own, other] = [without(own, other), without(other, own)];
    for (const child of own.children) yield refOf(child, own.level - 1);
    if (own.level === 1 || own.children.length === 0) return;
    own = await nextLevel(own, read);
  }
}

/** Returns all children of the children of a node, as if one node had them. Those of a damaged child are left out. */
async function nextLevel({ level, children }: Node, read: ReadIntact): Promise<Node> {
  const nodes = await Promise.all(children.map(([hash]) => read(hash)));
  return { level: level - 1, children: nodes.flatMap((bytes) => (bytes === undefined ? [] : parseNode(bytes).children)) };
}

function without({ level, children }: Node, other: Node): Node {
  const known = new Set(other.children.map(([hash]) => hash));
  return { level, children: children.filter(([hash]) => !known.has(hash)) };
}

/** Returns the hashes of all chunks below these roots, and the roots. Of a node that cannot be read, only its own hash. */
export async function reachableFrom(roots: readonly string[], read: ReadIntact): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const visit = async (hash: string): Promise<void> => {
    if (found.has(hash)) return;
    found.add(hash);
    const bytes = await read(hash);
    if (bytes === undefined) return;
    const { level, children } = parseNode(bytes);
    if (level > 1) await Promise.all(children.map((child) => visit(child[0])));
    else for (const child of children) found.add(child[0]);
  };
  // one after another: consecutive states share most nodes
  for (const root of roots) await visit(root);
  return found;
}

function refOf([hash, , bytes]: Child, level: number): ChunkRef {
  return { hash, bytes, level };
}
