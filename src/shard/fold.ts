import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import { plural } from '../contract/plural.ts';
import type { Network } from '../diff/diff-html.ts';
import { ExternalSorter } from '../observe/external-sorter.ts';
import { mergeRuns, SortedRun } from '../observe/sorted-run.ts';
import { POOL_PLACES, StringPool, textAt } from '../observe/string-pool.ts';
import { openStore } from '../store/open-store.ts';
import { openSpool } from '../store/spool-file.ts';
import { StoredVersions } from '../store/stored-versions.ts';
import { foldAccounts } from './fold-accounts.ts';
import { OffsetCache } from './offset-cache.ts';
import { RowsFileWriter } from './rows-file-writer.ts';
import type { RunFiles } from './run-files.ts';
import { digestOfShards, openShards, rangesOf } from './shard-files.ts';
import { BY_ACCOUNT, BY_TIME, type ShardRow } from './shard-row.ts';
import { folderFailure, ShardRun } from './shard-run.ts';

export interface FoldOptions {
  /** The number of the partition, from 0. */
  readonly partition: number;
  /** The expected number of partitions. It is an error if the run has another number. Undefined: not checked. */
  readonly partitions?: number | undefined;
  /** The URLs of mentions and hashtags. */
  readonly network: Network;
  /** The store of earlier runs. It saves work in the merge, and does not change the result. */
  readonly store?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `download` and `upload` count bytes, the others observations. */
  readonly onProgress?: OnProgress<'download' | 'fold' | 'write' | 'upload'> | undefined;
}

export interface FoldSummary {
  /** The path or the address of the file. */
  readonly file: string;
  readonly snapshots: number;
  /** The number of observations with changes. */
  readonly changed: number;
  /** The size of the file. */
  readonly bytes: number;
}

/**
 * Folds one partition: computes the changes of each account, and writes all its observations in order of time as one file. The same
 * shards and the same store give the same bytes.
 * @throws Failure no-shard, bad-shard, usage, file-system, target-failed, target-denied, stopped
 */
export async function foldPartition(files: RunFiles, options: FoldOptions): Promise<FoldSummary> {
  const { partition, network, onProgress } = options;
  const pauses = new Pauses(options.signal, 'the file of this partition was not written');
  const opened: { readonly close: () => void }[] = [];
  const open = <T extends { readonly close: () => void }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const run = await ShardRun.open(files);
    checkPartition(run, options);
    const shards = (await openShards(run)).map(open);
    const ranges = await rangesOf(shards, partition, (received, bytes) => onProgress?.('download', received, bytes));
    const spool = openSpool(files.temporary);
    const pool = open(new StringPool(spool, ranges.length));
    const descriptors = [...ranges.map(({ descriptor }) => descriptor), spool.descriptor];
    const sorter = open(new ExternalSorter(openSpool(files.temporary), BY_TIME));
    const stored = openStored(options.store);
    if (stored !== undefined) opened.push(stored);

    const all = ranges.reduce((sum, { length }) => sum + length, 0);
    const runs = ranges.map((range, number) => new SortedRun(number, range.rows(number * POOL_PLACES), BY_ACCOUNT));
    let changed = 0;
    for (const row of foldAccounts(mergeRuns(runs), { descriptors, pool }, network, stored)) {
      sorter.add(row);
      if (row.changes !== 0) changed += 1;
      if (!pauses.areDue) continue;
      onProgress?.('fold', sorter.length, all);
      await pauses.take();
    }
    pool.flush();

    const name = run.partition(partition);
    const writer = new RowsFileWriter(open(files.begin(name)));
    let written = 0;
    for (const row of copied(sorter.inOrder(), descriptors, writer)) {
      writer.add(row);
      written += 1;
      if (!pauses.areDue) continue;
      onProgress?.('write', written, all);
      await pauses.take();
    }
    writer.endRange();
    let sent = 0;
    const bytes = await writer.finish({ run: run.digest, shards: digestOfShards(shards), network }, (more) => {
      sent += more;
      onProgress?.('upload', sent, 0);
    });
    return { file: files.addressOf(name), snapshots: all, changed, bytes };
  } catch (error) {
    throw folderFailure(dirname(files.temporary), error);
  } finally {
    for (const one of opened) one.close();
  }
}

/** Copies the texts of rows to another file. Yields the rows with their new places. */
function* copied(rows: Iterable<ShardRow>, descriptors: readonly number[], to: RowsFileWriter): Generator<ShardRow> {
  const [profiles, inputs] = [new OffsetCache(), new OffsetCache()];
  const copy = (place: number) => to.text(textAt(descriptors, place));
  for (const row of rows) {
    yield {
      ...row,
      profile: profiles.get(row.profile, () => copy(row.profile)),
      archive: row.archive === 0 ? 0 : copy(row.archive),
      input: inputs.get(row.input, () => copy(row.input)),
      changes: row.changes === 0 ? 0 : copy(row.changes),
    };
  }
}

/** Opens the store of earlier runs. A store that does not exist has no accounts. */
function openStored(path: string | undefined): StoredVersions | undefined {
  return path === undefined || !existsSync(path) ? undefined : new StoredVersions(openStore(path, 'read'));
}

/** @throws Failure usage if the run has no such partition, or another number of partitions */
function checkPartition({ files: { address }, settings }: ShardRun, { partition, partitions = settings.partitions }: FoldOptions): void {
  const all = settings.partitions;
  if (partition < all && partitions === all) return;
  const hasOtherCount = partitions !== all;
  throw new Failure('usage', hasOtherCount ? `${address} has ${plural(all, 'partition')}` : `${address} has no partition ${partition}`, {
    place: { field: '--partition' },
    expected: hasOtherCount ? `an array of ${plural(all, 'task')}` : `a number from 0 to ${all - 1}`,
    found: hasOtherCount ? `an array of ${plural(partitions, 'task')}` : String(partition),
    hint: 'give one task to each partition, or set the number with --partition',
  });
}
