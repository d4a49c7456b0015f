import { forEachLimit } from '../storage/pool.ts';
import type { Remote } from '../storage/remote.ts';
import { type Block, listPath, ownBlocks, parseBlocks, replacedBlocks } from './block-list.ts';
import type { Garbage } from './catalog.ts';

/** Reads the block list of a version; undefined if the list is missing or damaged. */
export async function readBlocks(remote: Remote, id: string): Promise<readonly Block[] | undefined> {
  const fetched = await remote.get(listPath(id));
  return fetched === undefined ? undefined : parseBlocks(fetched.bytes);
}

/**
 * Deletes the blocks that no kept version needs. The list of a version is deleted last. After a kill, the next run can
 * then find the remaining blocks.
 * @returns the ids of the garbage that is deleted
 */
export async function deleteGarbage(remote: Remote, garbage: readonly Garbage[], concurrency: number): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (const { id, next } of garbage) {
    const blocks = await readBlocks(remote, id);
    if (blocks !== undefined) {
      const after = next === null ? [] : await readBlocks(remote, next);
      // without the next version's list, it is unknown which blocks are still needed
      if (after === undefined) continue;
      await deleteBlocks(remote, id, next === null ? ownBlocks(id, blocks) : replacedBlocks(blocks, after), concurrency);
    }
    gone.add(id);
  }
  return gone;
}

/** Deletes blocks, and then the list of their version. */
export async function deleteBlocks(remote: Remote, id: string, paths: readonly string[], concurrency: number): Promise<void> {
  await forEachLimit(paths, concurrency, (path) => remote.remove(path));
  await remote.remove(listPath(id));
}
