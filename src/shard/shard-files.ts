import { createHash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { plural } from '../contract/plural.ts';
import { forEachLimit } from '../storage/pool.ts';
import { type LocalRange, RowsFile } from './rows-file.ts';
import type { OnBytes } from './run-files.ts';
import type { ShardRun } from './shard-run.ts';

/** How many missing files an error names. */
const MAX_NAMED = 20;
/** How many files are read from an object store at a time. */
const CONCURRENCY = 8;

/**
 * Opens the files of all shards.
 * @throws Failure no-shard, bad-shard
 */
export function openShards(run: ShardRun): Promise<RowsFile[]> {
  const { shards } = run.settings;
  return openAll(run, 'shard', shards, (number) => run.shard(number), `palimpsest shard partition with --shard I/${shards}`);
}

/**
 * Opens the files of all partitions.
 * @throws Failure no-shard, bad-shard
 */
export function openPartitions(run: ShardRun): Promise<RowsFile[]> {
  const { partitions } = run.settings;
  return openAll(run, 'partition', partitions, (number) => run.partition(number), 'palimpsest shard fold with --partition K');
}

/** Identifies the content of all shards. */
export function digestOfShards(shards: readonly RowsFile[]): string {
  const hash = createHash('sha256');
  for (const { manifest } of shards) hash.update(`${manifest.digest}\n`);
  return hash.digest('hex');
}

/**
 * Makes the same range of all files readable, in the order of the files.
 * @param onReceived called with the number of bytes that were received, and with the number of all bytes
 */
export async function rangesOf(
  files: readonly RowsFile[],
  range: number,
  onReceived: (received: number, all: number) => void,
): Promise<LocalRange[]> {
  const all = files.reduce((sum, file) => sum + file.bytesOf(range), 0);
  let received = 0;
  const count: OnBytes = (bytes) => {
    received += bytes;
    onReceived(received, all);
  };
  return mapLimit(files, (file) => file.range(range, count));
}

export function closeAll(files: readonly RowsFile[]): void {
  for (const file of files) file.close();
}

async function openAll(
  { files, digest }: ShardRun,
  noun: string,
  count: number,
  nameOf: (number: number) => string,
  task: string,
): Promise<RowsFile[]> {
  const stored = await files.open(Array.from({ length: count }, (_, number) => nameOf(number)));
  try {
    const existing = stored.filter((file) => file !== undefined);
    // a damaged file is reported before missing files
    const opened = await mapLimit(existing, (file) => RowsFile.open(file, digest));
    const missing = stored.flatMap((file, number) => (file === undefined ? [number] : []));
    if (missing.length === 0) return opened;
    const names = missing.slice(0, MAX_NAMED).map((number) => files.addressOf(nameOf(number)));
    const more = missing.length > names.length ? `, and ${missing.length - names.length} more` : '';
    throw new Failure('no-shard', `${files.address} lacks ${plural(missing.length, noun)} of ${count}`, {
      place: { file: names[0] ?? files.address },
      expected: `the files of ${plural(count, noun)}`,
      found: `no file ${names.join(', ')}${more}`,
      hint: `run ${task} for each of these numbers: ${missing.slice(0, MAX_NAMED).join(', ')}${more}`,
    });
  } catch (error) {
    for (const file of stored) file?.close();
    throw error;
  }
}

/** Runs work for each item, a few items at a time. Returns the results in the order of the items. */
async function mapLimit<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  await forEachLimit(items.entries(), CONCURRENCY, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}
