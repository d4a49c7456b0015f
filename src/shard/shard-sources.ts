import { Failure } from '../contract/failure.ts';
import { plural } from '../contract/plural.ts';
import type { ShardSources } from './manifest.ts';
import { damaged, type RowsFile } from './rows-file.ts';
import type { ShardRun } from './shard-run.ts';

/**
 * Returns what all shards read together.
 * @throws Failure bad-shard if a file does not say it; all-rejected or no-source if no shard read a snapshot
 */
export function sourcesOf({ files: { address } }: ShardRun, shards: readonly RowsFile[]): ShardSources {
  let [files, skipped, rejected, snapshots] = [0, 0, 0, 0];
  for (const shard of shards) {
    const { sources } = shard.manifest;
    if (sources === undefined) {
      throw damaged(shard.address, 'a file of palimpsest shard partition, with the number of its sources', 'a file without it');
    }
    files += sources.files;
    skipped += sources.skipped;
    rejected += sources.rejected;
    snapshots += shard.length;
  }
  if (snapshots === 0 && rejected > 0) {
    throw new Failure('all-rejected', 'no shard has a snapshot, and the store is unchanged', {
      place: { file: address },
      expected: 'at least one snapshot that can be read',
      found: plural(rejected, 'rejected item'),
      hint: 'correct the items in the rejects files of palimpsest shard partition, then start a new run with these files as sources',
    });
  }
  if (files === 0) {
    throw new Failure('no-source', 'no shard has read a file, and the store is unchanged', {
      place: { file: address },
      expected: 'at least one file or member of an archive that matches the patterns',
      found: 'none',
      hint: 'check --include and --exclude of palimpsest shard partition, then start a new run',
    });
  }
  return { files, skipped, rejected };
}
