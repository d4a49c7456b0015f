import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { chunkPath, type Node } from '../rewrite/chunks.ts';
import { chunksIn } from '../tree/chunk-files.ts';
import { WORK_FOLDER } from '../tree/folder.ts';
import { refuseUnlessFile } from '../tree/obstacles.ts';
import { ChunkReader, type Chunks, DamagedChunk } from './chunk-folder.ts';
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

/** An empty file in a tree's working folder: a build must delete the chunks that no generation needs. */
const UNFINISHED_DELETES = 'unfinished-deletes';

/** Makes this build or a later one delete the chunks that no generation needs. Call it before the head is written. */
export function planDeletes(out: string): void {
  const file = join(out, WORK_FOLDER, UNFINISHED_DELETES);
  refuseUnlessFile(file);
  writeFileSync(file, '');
}

/**
 * Deletes the chunks that no generation needs, if this build or an earlier one planned it.
 * @returns how many were deleted
 * @throws Failure tree-edited if a chunk that names others is damaged; the system error of a file that cannot be deleted
 */
export function finishDeletes(out: string, head: ComposedHead): number {
  const file = join(out, WORK_FOLDER, UNFINISHED_DELETES);
  if (!existsSync(file)) return 0;
  const removed = removeUnreachable(out, head);
  rmSync(file);
  return removed;
}

function removeUnreachable(out: string, head: ComposedHead): number {
  const reachable = reachableIn(out, head);
  let removed = 0;
  for (const path of chunksIn(out)) {
    if (reachable.has(path)) continue;
    rmSync(join(out, path), { force: true });
    removed += 1;
  }
  return removed;
}

function reachableIn(out: string, head: ComposedHead): ReadonlySet<string> {
  try {
    return reachableChunks(head, new ChunkReader(out));
  } catch (error) {
    if (!(error instanceof DamagedChunk)) throw error;
    throw new Failure('tree-edited', `cannot delete the chunks of removed accounts in ${out}, because a chunk is damaged`, {
      place: { file: join(out, error.path) },
      expected: 'bytes with the SHA-256 in the name of the file',
      found: error.message,
      hint: hint`run ${suggested('build', { '--layout': 'composed', '--repair': true })}: it restores this file, and then deletes the chunks`,
    });
  }
}
