import { Boundaries, type BoundaryRule, keyHash } from '../composed/boundaries.ts';
import { type Chunks, DamagedChunk } from '../composed/chunk-folder.ts';
import { ACCOUNT_RULE, FEED_RULE, LOG_RULE } from '../composed/chunker.ts';
import { type ComposedHead, isNode, type KnownTree } from '../composed/head.ts';
import { generationsOf } from '../composed/log.ts';
import { treeOf } from '../composed/nodes.ts';
import { show } from '../contract/json.ts';
import { type Child, chunkPath, itemsOf, type Key, type LeafIndex, leafIndex, type Node } from '../rewrite/chunks.ts';
import { HEAD } from '../tree/found-layout.ts';
import type { Report } from './violation.ts';

/** Checks the chunks of a composed tree: the hash of each, and whether nodes and leaves describe what is below them. */
export class ChunkCheck {
  readonly #chunks: Chunks;
  readonly #report: Report;
  readonly #checked = new Set<string>();
  #leaves: { readonly data: readonly Child[]; readonly account: readonly Child[] } = { data: [], account: [] };

  constructor(chunks: Chunks, report: Report) {
    this.#chunks = chunks;
    this.#report = report;
  }

  /** The leaves of the present state, after {@link all}. A node that cannot be read counts as a leaf. */
  get leaves(): { readonly data: readonly Child[]; readonly account: readonly Child[] } {
    return this.#leaves;
  }

  /** Checks the chunks of all states that can be read. Yields after each chunk. */
  *all(head: ComposedHead): Generator<void> {
    const data = yield* this.#present(head.data, FEED_RULE, feedKey);
    const account = yield* this.#present(head.account, ACCOUNT_RULE, accountKey);
    this.#leaves = { data, account };
    yield* this.#present(head.log, LOG_RULE, logKey);
    try {
      for (const { generation, records, accounts, ...roots } of generationsOf(head.log, this.#chunks)) {
        for (const [hash, count] of [
          [roots.data, records],
          [roots.account, accounts],
        ] as const) {
          if (this.#checked.has(hash)) continue;
          this.#checked.add(hash);
          const node = this.#node(hash);
          if (node === undefined) continue;
          const found = node.children.reduce((sum, child) => sum + child[1], 0);
          if (found !== count) this.#wrong(chunkPath(hash), `${count} items, as generation ${generation} lists`, `${found} items`);
          yield* this.#below(node, () => undefined);
        }
      }
    } catch (error) {
      // the damaged chunk of the log was reported before
      if (!(error instanceof DamagedChunk)) throw error;
    }
  }

  /** Checks a tree of the present state, also against its items. Returns its leaves. */
  *#present(tree: KnownTree, rule: BoundaryRule, keyOf: (item: Buffer) => Key): Generator<void, readonly Child[]> {
    const before = this.#report.violationCount;
    this.#checked.add(tree.root);
    const root = this.#node(tree.root);
    if (root !== undefined && JSON.stringify(root) !== JSON.stringify(tree.node))
      this.#wrong(HEAD, `the content of ${chunkPath(tree.root)} as the root`, 'another node');
    const boundaries = new Boundaries(rule);
    const [ends, cuts]: [number[], number[]] = [[], []];
    let items = 0;
    const leaves = yield* this.#below(tree.node, ({ keys, lengths }, leaf, path) => {
      let start = leaf.indexOf('\n') + 1;
      for (const [index, key] of keys.entries()) {
        const length = lengths[index] ?? 0;
        const cut = boundaries.add(keyHash(key), length);
        if (cut !== -1) cuts.push(cut);
        const found = keyOf(leaf.subarray(start, start + length));
        if (found !== key) this.#wrong(path, `the key ${show(found)} of item ${index + 1}`, show(key));
        start += length + 1;
      }
      items += keys.length;
      ends.push(items - 1);
    });
    const last = boundaries.end();
    if (last !== -1) cuts.push(last);
    if (cuts.at(-1) !== items - 1 && items > 0) cuts.push(items - 1);
    if (this.#report.violationCount > before) return leaves;
    const index = cuts.findIndex((cut, at) => cut !== ends[at]);
    if (index !== -1 || cuts.length !== ends.length)
      this.#wrong(HEAD, `leaf ${index + 1} ends after item ${(cuts[index] ?? 0) + 1}`, `it ends after item ${(ends[index] ?? 0) + 1}`);
    const { root: expected } = treeOf(leaves, () => {});
    if (expected !== tree.root) this.#wrong(HEAD, `the root ${expected} above these leaves`, tree.root);
    return leaves;
  }

  /** Checks the chunks below a node. Returns its leaves. */
  *#below(node: Node, onLeaf: (index: LeafIndex, leaf: Buffer, path: string) => void): Generator<void, readonly Child[]> {
    const leaves: Child[] = [];
    for (const child of node.children) {
      const [hash] = child;
      if (node.level > 1) {
        const isNew = !this.#checked.has(hash);
        this.#checked.add(hash);
        const below = isNew ? this.#node(hash, child) : undefined;
        if (below === undefined) leaves.push(child);
        else leaves.push(...(yield* this.#below(below, onLeaf)));
        yield;
        continue;
      }
      leaves.push(child);
      if (this.#checked.has(hash)) continue;
      this.#checked.add(hash);
      this.#leaf(child, onLeaf);
      yield;
    }
    return leaves;
  }

  #leaf([hash, count, bytes, last]: Child, onLeaf: (index: LeafIndex, leaf: Buffer, path: string) => void): void {
    const path = chunkPath(hash);
    const leaf = this.#read(hash);
    if (leaf === undefined) return;
    try {
      const index = leafIndex(leaf);
      const { keys, lengths } = index;
      const length = itemsOf(leaf, 0, keys.length).length + leaf.indexOf('\n') + 1;
      const isSound =
        keys.length === count && lengths.length === count && keys.at(-1) === last && leaf.length === bytes && length === bytes;
      if (isSound) onLeaf(index, leaf, path);
      else this.#wrong(path, `${count} items to the key ${show(last)} in ${bytes} bytes`, `${keys.length} items in ${leaf.length} bytes`);
    } catch {
      this.#wrong(path, 'a leaf', 'bytes of another form');
    }
  }

  #node(hash: string, described?: Child): Node | undefined {
    const bytes = this.#read(hash);
    if (bytes === undefined) return undefined;
    const node: unknown = parsed(bytes);
    const isSound = isNode(node) && (described === undefined || isDescribed(node, bytes, described));
    if (!isSound) this.#wrong(chunkPath(hash), 'a node as its parent describes it', 'another chunk');
    return isNode(node) ? node : undefined;
  }

  /** Reads a chunk. Reports it if it is missing or damaged. */
  #read(hash: string): Buffer | undefined {
    try {
      return this.#chunks.read(hash);
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      const { path, found, message } = error;
      if (found === undefined) this.#report.add({ rule: 'file-missing', path, expected: 'a file', found: message });
      else this.#report.add({ rule: 'file-digest', path, expected: `SHA-256 ${hash}`, found });
      return undefined;
    }
  }

  #wrong(path: string, expected: string, found: string): void {
    this.#report.add({ rule: 'tree-structure', path, expected, found });
  }
}

function isDescribed({ level, children }: Node, bytes: Buffer, [, items, length, last, leaf, leafItems]: Child): boolean {
  const first = children[0];
  const firstLeaf = level === 1 ? [first?.[0], first?.[1]] : [first?.[4], first?.[5]];
  return (
    bytes.length === length &&
    children.reduce((sum, child) => sum + child[1], 0) === items &&
    children.at(-1)?.[3] === last &&
    firstLeaf[0] === leaf &&
    firstLeaf[1] === leafItems
  );
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Returns the key of an item from the item itself. */
function feedKey(item: Buffer): Key {
  const record: { readonly id: number } = JSON.parse(item.toString());
  return record.id;
}

function accountKey(item: Buffer): Key {
  const account: { readonly screen_name: string; readonly data: readonly { readonly id: number }[] } = JSON.parse(item.toString());
  return account.data.at(-1)?.id ?? account.screen_name;
}

function logKey(item: Buffer): Key {
  const generation: { readonly time: string } = JSON.parse(item.toString());
  return Date.parse(generation.time);
}
