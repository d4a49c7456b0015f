import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import type { Network } from '../diff/diff-html.ts';
import { isAllRejected, mergeSnapshots, type ObserveSummary } from '../observe/merge.ts';
import { InputErrors } from '../sources/input-errors.ts';
import type { InputError } from '../sources/source.ts';
import { Batch, type CommitPhase } from '../store/batch.ts';
import { fileSystemFailure } from '../store/store-error.ts';
import { PartitionFiles } from './partition-files.ts';
import { damaged, type RowsFile } from './rows-file.ts';
import type { RunFiles } from './run-files.ts';
import { closeAll, digestOfShards, openPartitions, openShards, rangesOf } from './shard-files.ts';
import { folderFailure, ShardRun } from './shard-run.ts';
import { sourcesOf } from './shard-sources.ts';

export interface MergeOptions {
  /** Called with each snapshot that cannot be added. Without it, nothing is added if there is such a snapshot. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Called once after all observations are compared, just before the commit. If it throws, nothing is added. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `download` counts bytes. */
  readonly onProgress?: OnProgress<'download' | 'compare' | CommitPhase> | undefined;
}

/**
 * Adds the observations of all partitions to a store, in one transaction: the store receives all changes or none. The store is the
 * same as after `observe` with the same sources.
 * @throws Failure no-shard, bad-shard, no-source or all-rejected if no shard has a snapshot, store-busy, file-system, target-failed,
 *   target-denied, stopped, and for late observations unless options.onReject is set
 */
export async function mergePartitions(files: RunFiles, store: string, options: MergeOptions): Promise<ObserveSummary> {
  const pauses = new Pauses(options.signal, 'nothing was added');
  let partitions: readonly RowsFile[] = [];
  try {
    const run = await ShardRun.open(files);
    partitions = await openPartitions(run);
    const shards = await openShards(run);
    // their manifests are enough
    closeAll(shards);
    const network = checkedNetwork(shards, partitions);
    const { skipped } = sourcesOf(run, shards);
    // before the store is locked, because a download can take hours
    const ranges = await rangesOf(partitions, 0, (received, all) => options.onProgress?.('download', received, all));
    const batch = new Batch(store, 'by account');
    try {
      const observations = new PartitionFiles(ranges);
      const inputErrors = new InputErrors(ranges.length);
      const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
      const summary = await mergeSnapshots(batch, observations, observations.windows(), pauses, { ...options, network }, reject);
      inputErrors.throwIfAny();
      await options.beforeCommit?.();
      if (!isAllRejected(summary)) await batch.commit(pauses, options.onProgress);
      return { ...summary, skipped };
    } catch (error) {
      throw fileSystemFailure(store, error);
    } finally {
      batch.end();
    }
  } catch (error) {
    throw folderFailure(dirname(files.temporary), error);
  } finally {
    closeAll(partitions);
  }
}

/**
 * Returns the links with which all partitions were folded.
 * @throws Failure bad-shard if a partition was folded from other shards, or with other links than the first
 */
function checkedNetwork(shards: readonly RowsFile[], partitions: readonly RowsFile[]): Network {
  const digest = digestOfShards(shards);
  let first: { readonly address: string; readonly network: Network } | undefined;
  for (const { address, manifest } of partitions) {
    const { network } = manifest;
    if (network === undefined)
      throw damaged(address, 'a file of palimpsest shard fold, with the links of its markup', 'a file without them');
    first ??= { address, network };
    if (manifest.shards !== digest) {
      throw new Failure('bad-shard', `${address} was folded from other shards`, {
        place: { file: address },
        expected: 'a partition that was folded from the present shards',
        found: 'a partition from before a shard changed',
        hint: 'fold this partition again',
      });
    }
    if (network.mention_url === first.network.mention_url && network.hashtag_url === first.network.hashtag_url) continue;
    throw new Failure('bad-shard', `${address} has other links than ${first.address}`, {
      place: { file: address },
      expected: `links to ${first.network.mention_url} and ${first.network.hashtag_url}`,
      found: `links to ${network.mention_url} and ${network.hashtag_url}`,
      hint: 'fold all partitions with the same --mention-url and --hashtag-url',
    });
  }
  if (first === undefined) throw new Error('a run has at least one partition');
  return first.network;
}
