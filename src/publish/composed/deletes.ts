import { Failure } from '../../contract/failure.ts';
import { chunkPath } from '../../rewrite/chunks.ts';
import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import { STATE } from '../state/state.ts';
import type { ClaimedState, ComposedState } from './composed-state.ts';
import type { ComposedPlan } from './plan.ts';
import { type ChunkReads, type ReadIntact, reachableFrom } from './tree-difference.ts';

/** Milliseconds after which the deletes of a run that was killed have certainly ended. */
const DELETES_END_MS = 600_000;
/** Milliseconds between two writes of the list of deletes. */
const HEARTBEAT_MS = 60_000;

/** What to delete. */
export interface Deletes {
  readonly hashes: readonly string[];
  /** How many of them an earlier run listed: the guard accepted them then. */
  readonly pending: number;
  /** How many chunks the target has if no chunk is sent. Known only if chunks are to be deleted. */
  readonly atTarget: number;
  /** The nodes that are missing or damaged. Chunks that only they name are not deleted. */
  readonly unreadable: readonly string[];
}

/** Returns the chunks that no state needs that stays: those of deleted states, and those that an earlier run did not delete. */
export async function deletesOf(
  { kept, unlisted, deleted, head }: ComposedPlan,
  pending: readonly string[],
  { read, readIfIntact }: ChunkReads,
): Promise<Deletes> {
  if (deleted.length + pending.length === 0) return { hashes: [], pending: 0, atTarget: 0, unreadable: [] };
  const needed = new Set([
    ...(await reachableFrom([...rootsOf(kept), head.log.root], read)),
    ...(await reachableFrom(rootsOf(unlisted), readIfIntact)),
  ]);
  const unreadable = new Set<string>();
  const readOrNote: ReadIntact = async (hash) => {
    const bytes = await readIfIntact(hash);
    if (bytes === undefined) unreadable.add(hash);
    return bytes;
  };
  const complete = await reachableFrom(rootsOf(deleted.filter((state) => state.complete)), readOrNote);
  // of a state that was not sent completely, a node may be missing: then no chunk below it was sent
  const partial = await reachableFrom(rootsOf(deleted.filter((state) => !state.complete)), readIfIntact);
  const [former, all] = [new Set(pending), new Set([...pending, ...complete, ...partial])];
  const hashes = [...all].filter((hash) => !needed.has(hash));
  return {
    hashes,
    pending: hashes.filter((hash) => former.has(hash)).length,
    atTarget: needed.size + hashes.length,
    unreadable: [...unreadable],
  };
}

function rootsOf(states: readonly { readonly data: string; readonly account: string }[]): string[] {
  return states.flatMap(({ data, account }) => [data, account]);
}

/** Refuses to publish while another run may be deleting: it could delete a chunk that this run sends. */
export function refuseUnfinishedDeletes(remote: Remote, state: ComposedState | undefined, now: number): void {
  if (state === undefined || state.deletes.length === 0 || now - state.since > DELETES_END_MS) return;
  throw new Failure('target-busy', `another run is deleting chunks at ${remote.name}, or was killed while it did so`, {
    place: { file: STATE },
    expected: 'no run that deletes chunks',
    found: `${state.deletes.length} chunks to delete, listed at ${new Date(state.since).toISOString()}`,
    hint: 'wait 10 minutes, or publish with --single-publisher if no other run can publish to this target',
  });
}

/**
 * Deletes the chunks in a list. Writes the rest of the list every minute: it tells other runs to wait, and the next run
 * continues there if this one is killed. After an error, other runs need not wait.
 */
export async function deleteListed(
  remote: Remote,
  claimed: ClaimedState,
  list: ComposedState,
  { concurrency, onDeleted }: { readonly concurrency: number; readonly onDeleted: (deleted: number) => void },
): Promise<void> {
  const left = new Set(list.deletes);
  while (left.size > 0) {
    const began = performance.now();
    try {
      await forEachLimit([...left], concurrency, async (hash) => {
        if (performance.now() - began > HEARTBEAT_MS) return;
        await remote.remove(chunkPath(hash));
        left.delete(hash);
        onDeleted(list.deletes.length - left.size);
      });
    } catch (error) {
      // the error of the delete says more than one of this write; without it, the next run deletes the whole list
      await claimed.write({ ...list, deletes: [...left], since: 0 }).catch(() => {});
      throw error;
    }
    await claimed.write({ ...list, deletes: [...left], since: Date.now() });
  }
}
