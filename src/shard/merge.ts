import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import type { Network } from '../diff/diff-html.ts';
import { mergeSnapshots, type ObserveSummary } from '../observe/merge.ts';
import { openSpool } from '../observe/spool-file.ts';
import { InputErrors } from '../sources/input-errors.ts';
import type { InputError } from '../sources/source.ts';
import { Batch, type CommitPhase } from '../store/batch.ts';
import { fileSystemFailure } from '../store/store-error.ts';
import { PartitionFiles } from './partition-files.ts';
import type { RowsFile } from './rows-file.ts';
import { closeAll, digestOfShards, openPartitions, openShards } from './shard-files.ts';
import { ShardFolder } from './shard-folder.ts';

export interface MergeOptions {
  /** Called with each snapshot that cannot be added. Without it, nothing is added if there is such a snapshot. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Called once after all observations are compared, just before the commit. If it throws, nothing is added. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<'compare' | CommitPhase> | undefined;
}

/**
 * Adds the observations of all partitions to a store, in one transaction: the store receives all changes or none. The store is the
 * same as after `observe` with the same sources.
 * @throws Failure no-shard, bad-shard, store-busy, file-system, stopped, and for late observations unless options.onReject is set
 */
export async function mergePartitions(path: string, store: string, options: MergeOptions): Promise<ObserveSummary> {
  const pauses = new Pauses(options.signal, 'nothing was added');
  const folder = ShardFolder.open(path);
  const files = openPartitions(folder);
  try {
    const network = checkedNetwork(folder, files);
    const batch = new Batch(store, 'by account');
    try {
      const observations = new PartitionFiles(files);
      const inputErrors = new InputErrors(files.length);
      const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
      const excluded = await learnExclusions(batch, observations, store, pauses);
      const hasExcluded = !batch.exclusions.isEmpty;
      const merging = { ...options, network, hasExcluded };
      const summary = await mergeSnapshots(batch, observations, observations.windows(), pauses, merging, reject);
      inputErrors.throwIfAny();
      await options.beforeCommit?.();
      await batch.commit(pauses, options.onProgress);
      return { ...summary, snapshots: summary.snapshots - excluded };
    } catch (error) {
      throw fileSystemFailure(store, error);
    } finally {
      batch.end();
    }
  } finally {
    closeAll(files);
  }
}

/**
 * Compares all snapshots with the removed accounts, in the order in which `observe` reads them: each can teach another name of a
 * removed account. Returns the number of excluded snapshots.
 */
async function learnExclusions({ exclusions }: Batch, observations: PartitionFiles, store: string, pauses: Pauses): Promise<number> {
  let excluded = 0;
  if (exclusions.isEmpty) return excluded;
  for (const row of observations.inInputOrder(openSpool(store))) {
    const { profile, former_names } = observations.observation(row);
    if (exclusions.excludesProfile(profile, former_names)) excluded += 1;
    if (pauses.areDue) await pauses.take();
  }
  return excluded;
}

/**
 * Returns the links with which all partitions were folded.
 * @throws Failure bad-shard if a partition was folded from other shards, or with other links than the first
 */
function checkedNetwork(folder: ShardFolder, files: readonly RowsFile[]): Network {
  const shards = openShards(folder);
  const digest = digestOfShards(shards);
  closeAll(shards);
  const first = files[0]?.manifest.network;
  for (const { path, manifest } of files) {
    const { network } = manifest;
    const isSame = network?.mention_url === first?.mention_url && network?.hashtag_url === first?.hashtag_url;
    if (manifest.shards === digest && network !== undefined && isSame) continue;
    throw new Failure('bad-shard', `${path} does not match the other files`, {
      place: { file: path },
      expected: manifest.shards === digest ? `the links of ${files[0]?.path}` : 'a partition that was folded from the present shards',
      found:
        manifest.shards === digest ? 'other links, from --mention-url or --hashtag-url' : 'a partition that was folded from other shards',
      hint: 'fold this partition again, with the same options as the others',
    });
  }
  if (first === undefined) throw new Error('a run has at least one partition');
  return first;
}
