import { encodeJson } from '../contract/json.ts';
import { itemsOf, leafIndex } from '../rewrite/chunks.ts';
import type { Generation } from '../rewrite/compose.ts';
import type { ItemRun, PutChunk } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';
import { LOG_RULE, leavesOf } from './chunker.ts';
import type { KnownTree } from './head.ts';
import { leavesBelow } from './leaf-list.ts';
import { treeOf } from './nodes.ts';
import { rechunk } from './rechunk.ts';

/** Returns a log with one more generation, which is later than all others. */
export function appended(log: KnownTree | undefined, generation: Generation, chunks: Chunks, put: PutChunk): KnownTree {
  const leaves = log === undefined ? [] : leavesBelow(log.node, chunks);
  if (leaves.length === 0) return treeOf(leavesOf(LOG_RULE, [entryOf(generation)], put), put);
  const last = leaves.length - 1;
  const items = function* () {
    for (const leaf of leaves.slice(Math.max(0, last - 1))) yield entriesOf(chunks.read(leaf[0]));
    yield entryOf(generation);
  };
  return treeOf(rechunk(LOG_RULE, leaves, [last], items, chunks, put), put);
}

/** Returns the log of consecutive generations, the oldest first. */
export function logOf(generations: readonly Generation[], put: PutChunk): KnownTree {
  return treeOf(leavesOf(LOG_RULE, generations.map(entryOf), put), put);
}

/** Returns the last entry of a log. */
export function lastGeneration(log: KnownTree, chunks: Chunks): Generation {
  const leaf = chunks.read(leavesBelow(log.node, chunks).at(-1)?.[0] ?? '');
  const { length } = leafIndex(leaf).keys;
  return JSON.parse(Buffer.from(itemsOf(leaf, length - 1, length)).toString());
}

/** Yields all entries of a log, the oldest first. */
export function* generationsOf(log: KnownTree, chunks: Chunks): Generator<Generation> {
  for (const [hash] of leavesBelow(log.node, chunks)) {
    const entries: readonly Generation[] = JSON.parse(`[${entriesOf(chunks.read(hash)).json.toString()}]`);
    yield* entries;
  }
}

function entryOf(generation: Generation): ItemRun {
  const json = Buffer.from(encodeJson(generation));
  return { keys: [Date.parse(generation.time)], lengths: [json.length], json };
}

function entriesOf(leaf: Buffer): ItemRun {
  const { keys, lengths } = leafIndex(leaf);
  return { keys, lengths, json: Buffer.from(itemsOf(leaf, 0, keys.length)) };
}
