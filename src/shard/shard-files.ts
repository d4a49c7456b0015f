import { createHash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { plural } from '../contract/plural.ts';
import { RowsFile } from './rows-file.ts';
import type { ShardFolder } from './shard-folder.ts';

/** How many missing files an error names. */
const MAX_NAMED = 20;

/**
 * Opens the files of all shards.
 * @throws Failure no-shard, bad-shard
 */
export function openShards(folder: ShardFolder): RowsFile[] {
  const { shards } = folder.run;
  return openAll(shards, (number) => folder.shard(number), folder, 'shard', `palimpsest shard partition with --shard I/${shards}`);
}

/**
 * Opens the files of all partitions.
 * @throws Failure no-shard, bad-shard
 */
export function openPartitions(folder: ShardFolder): RowsFile[] {
  const { partitions } = folder.run;
  return openAll(partitions, (number) => folder.partition(number), folder, 'partition', 'palimpsest shard fold with --partition K');
}

/** Identifies the content of all shards. */
export function digestOfShards(shards: readonly RowsFile[]): string {
  const hash = createHash('sha256');
  for (const { manifest } of shards) hash.update(`${manifest.digest}\n`);
  return hash.digest('hex');
}

export function closeAll(files: readonly RowsFile[]): void {
  for (const file of files) file.close();
}

function openAll(count: number, pathOf: (number: number) => string, folder: ShardFolder, noun: string, task: string): RowsFile[] {
  const files: RowsFile[] = [];
  const missing: number[] = [];
  try {
    for (let number = 0; number < count; number += 1) {
      const file = RowsFile.open(pathOf(number), folder.digest);
      if (file === undefined) missing.push(number);
      else files.push(file);
    }
    if (missing.length === 0) return files;
    const names = missing.slice(0, MAX_NAMED).map((number) => pathOf(number));
    const more = missing.length > names.length ? `, and ${missing.length - names.length} more` : '';
    throw new Failure('no-shard', `${folder.path} lacks ${plural(missing.length, noun)} of ${count}`, {
      place: { file: names[0] ?? folder.path },
      expected: `the files of ${plural(count, noun)}`,
      found: `no file ${names.join(', ')}${more}`,
      hint: `run ${task} for each of these numbers: ${missing.slice(0, MAX_NAMED).join(', ')}${more}`,
    });
  } catch (error) {
    closeAll(files);
    throw error;
  }
}
