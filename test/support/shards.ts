import { TWITTER } from '../../src/diff/diff-html.ts';
import { type ObserveSummary, observeInputs } from '../../src/observe/observe.ts';
import { foldPartition } from '../../src/shard/fold.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { type PartitionOptions, partitionSources } from '../../src/shard/partition.ts';
import type { Input, InputError } from '../../src/sources/source.ts';

/** The result of a run, with everything that it rejected, in order. */
export interface RunResult {
  readonly summary: ObserveSummary;
  readonly rejects: readonly InputError[];
}

export interface ShardCounts {
  readonly shards: number;
  readonly partitions: number;
}

export const SNAPSHOTS: PartitionOptions['snapshots'] = { from: undefined, observedAt: undefined, unescape: false };

/** Observes inputs in one process. */
export async function observeSerially(store: string, inputs: readonly Input[]): Promise<RunResult> {
  const rejects: InputError[] = [];
  const onReject = (error: InputError) => void rejects.push(error);
  return { summary: await observeInputs(store, inputs, { snapshots: SNAPSHOTS, network: TWITTER, onReject }), rejects };
}

export function partitionShard(
  folder: string,
  inputs: readonly Input[],
  { shards, partitions }: ShardCounts,
  number: number,
  rejects: InputError[] = [],
) {
  const onReject = (error: InputError) => void rejects.push(error);
  return partitionSources(inputs, folder, { shard: { number, shards }, partitions, snapshots: SNAPSHOTS, onReject });
}

/** Runs all tasks of the first two steps. Returns what they rejected. */
export async function partitionAndFold(
  folder: string,
  inputs: readonly Input[],
  counts: ShardCounts,
  store?: string,
): Promise<InputError[]> {
  const rejects: InputError[] = [];
  for (let number = 0; number < counts.shards; number += 1) await partitionShard(folder, inputs, counts, number, rejects);
  for (let partition = 0; partition < counts.partitions; partition += 1)
    await foldPartition(folder, { partition, network: TWITTER, store });
  return rejects;
}

/** Observes inputs in shards, one task after the other. `rejected` also counts what the tasks of the first step rejected. */
export async function observeInShards(
  store: string,
  folder: string,
  inputs: readonly Input[],
  counts: ShardCounts,
  old?: string,
): Promise<RunResult> {
  const rejects = await partitionAndFold(folder, inputs, counts, old);
  const unreadable = rejects.length;
  const summary = await mergePartitions(folder, store, { onReject: (error) => void rejects.push(error) });
  return { summary: { ...summary, rejected: summary.rejected + unreadable }, rejects };
}
