import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chunkPath, type Node } from '../rewrite/chunks.ts';
import { CHUNKS, ChunkReader, type Chunks } from './chunk-folder.ts';
import type { ComposedHead } from './head.ts';
import { generationsOf } from './log.ts';

/** Returns the paths of all chunks from which the states of a head's log are composed, and the log itself. */
export function reachableChunks(head: ComposedHead, chunks: Chunks): ReadonlySet<string> {
  const paths = new Set<string>([chunkPath(head.log.root)]);
  addBelow(head.log.node, chunks, paths);
  for (const { data, account } of generationsOf(head.log, chunks)) {
    for (const root of [data, account]) {
      if (paths.has(chunkPath(root))) continue;
      paths.add(chunkPath(root));
      addBelow(chunks.node(root), chunks, paths);
    }
  }
  return paths;
}

function addBelow(node: Node, chunks: Chunks, to: Set<string>): void {
  for (const [hash] of node.children) {
    const path = chunkPath(hash);
    if (to.has(path)) continue;
    to.add(path);
    if (node.level > 1) addBelow(chunks.node(hash), chunks, to);
  }
}

/**
 * Deletes the chunks that no generation needs.
 * @returns how many were deleted
 */
export function removeUnreachable(out: string, head: ComposedHead): number {
  const reachable = reachableChunks(head, new ChunkReader(out));
  let removed = 0;
  for (const path of chunksIn(out)) {
    if (reachable.has(path)) continue;
    rmSync(join(out, path), { force: true });
    removed += 1;
  }
  return removed;
}

/** Yields the paths of all chunks in a tree. Files with other names are left out. */
export function* chunksIn(out: string): Generator<string> {
  for (const folder of readdirSync(join(out, CHUNKS)).sort()) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of readdirSync(join(out, CHUNKS, folder)).sort()) {
      if (/^[0-9a-f]{62}$/.test(name)) yield `${CHUNKS}/${folder}/${name}`;
    }
  }
}
