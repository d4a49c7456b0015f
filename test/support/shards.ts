import { parseInstant } from '../../src/contract/instant.ts';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { type ObserveSummary, observeInputs } from '../../src/observe/observe.ts';
import { foldPartition } from '../../src/shard/fold.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { type PartitionOptions, partitionSources } from '../../src/shard/partition.ts';
import type { RunFiles } from '../../src/shard/run-files.ts';
import type { Input, InputError } from '../../src/sources/source.ts';
import { type Snapshot, sourceOf } from './snapshots.ts';

/** The result of a run, with everything that it rejected, in order. */
export interface RunResult {
  readonly summary: ObserveSummary;
  readonly rejects: readonly InputError[];
}

export interface ShardCounts {
  readonly shards: number;
  readonly partitions: number;
}

/** The time is for snapshots that have none. */
export const SNAPSHOTS: PartitionOptions['snapshots'] = {
  from: undefined,
  observedAt: parseInstant('2017-09-19T20:47:28Z'),
  unescape: false,
};

/** Observes inputs in one process. */
export async function observeSerially(store: string, inputs: readonly Input[]): Promise<RunResult> {
  const rejects: InputError[] = [];
  const onReject = (error: InputError) => void rejects.push(error);
  return { summary: await observeInputs(store, inputs, { snapshots: SNAPSHOTS, network: TWITTER, onReject }), rejects };
}

export function partitionShard(
  files: RunFiles,
  inputs: readonly Input[],
  { shards, partitions }: ShardCounts,
  number: number,
  rejects: InputError[] = [],
) {
  const onReject = (error: InputError) => void rejects.push(error);
  return partitionSources(inputs, files, { shard: { number, shards }, partitions, snapshots: SNAPSHOTS, onReject });
}

/** Runs all tasks of the first two steps. Returns what they rejected. */
export async function partitionAndFold(
  files: RunFiles,
  inputs: readonly Input[],
  counts: ShardCounts,
  store?: string,
): Promise<InputError[]> {
  const rejects: InputError[] = [];
  for (let number = 0; number < counts.shards; number += 1) await partitionShard(files, inputs, counts, number, rejects);
  for (let partition = 0; partition < counts.partitions; partition += 1) await foldPartition(files, { partition, network: TWITTER, store });
  return rejects;
}

/** Observes inputs in shards, one task after the other. `rejected` also counts what the tasks of the first step rejected. */
export async function observeInShards(
  store: string,
  files: RunFiles,
  inputs: readonly Input[],
  counts: ShardCounts,
  old?: string,
): Promise<RunResult> {
  const rejects = await partitionAndFold(files, inputs, counts, old);
  const unreadable = rejects.length;
  const summary = await mergePartitions(files, store, { onReject: (error) => void rejects.push(error) });
  return { summary: { ...summary, rejected: summary.rejected + unreadable }, rejects };
}

/** Snapshots of forty accounts in nine inputs, whose times overlap. Some have the same account and time. */
export function overlapping(): Input[] {
  let state = 1;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const snapshot = (): Snapshot => {
    const [account, second] = [below(40), below(60)];
    const observed_at = new Date(Date.UTC(2021, 0, 1, 0, 0, second)).toISOString();
    const screen_name = `user_${below(20) === 0 ? account + 1 : account}`;
    return { observed_at, id: String(account), screen_name, bio: `bio ${below(5)} of @user_${account}`, location: `town ${below(2)}` };
  };
  return inputsFrom(Array.from({ length: 9 }, () => Array.from({ length: 40 }, snapshot)));
}

export function inputsFrom(lists: readonly (readonly (Snapshot | string)[])[]): Input[] {
  return lists.map((values, index) => sourceOf(values, `input ${index}`));
}
