import { Failure } from '../../contract/failure.ts';
import type { Remote } from '../../storage/remote.ts';
import { STATE } from '../state/state.ts';
import type { ComposedState } from './composed-state.ts';
import type { ComposedPlan } from './plan.ts';
import { type ReadChecked, reachableFrom } from './tree-difference.ts';

/** Milliseconds after which the deletes of another run have certainly ended. */
const DELETES_END_MS = 600_000;

/**
 * Returns the chunks that no kept state needs: those of dropped generations, and those that an earlier run did not delete.
 * @param read reads the chunks of the kept and of the dropped states
 */
export async function deletesOf(
  { kept, deleted, head, logChunks }: ComposedPlan,
  state: ComposedState | undefined,
  read: ReadChecked,
): Promise<{ readonly deletes: readonly string[]; readonly atTarget: number }> {
  const pending = state?.deletes ?? [];
  if (deleted.length + pending.length === 0) return { deletes: [], atTarget: 0 };
  const rootsOf = (generations: ComposedPlan['kept']) => generations.flatMap(({ data, account }) => [data, account]);
  const needed = new Set([...(await reachableFrom(rootsOf(kept), read)), ...logChunks.map(({ hash }) => hash)]);
  for (const hash of await reachableFrom([head.log.root], async (one) => logChunkOf(logChunks, one) ?? (await read(one)))) needed.add(hash);
  const candidates = [...pending, ...(await reachableFrom(rootsOf(deleted), read))];
  const deletes = [...new Set(candidates)].filter((hash) => !needed.has(hash));
  return { deletes, atTarget: needed.size + deletes.length };
}

function logChunkOf(chunks: ComposedPlan['logChunks'], hash: string): Buffer | undefined {
  const chunk = chunks.find((one) => one.hash === hash);
  return chunk && Buffer.concat(chunk.pieces);
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
