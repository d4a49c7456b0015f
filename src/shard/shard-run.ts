import { createHash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';
import type { RunFiles } from './run-files.ts';

/** The maximum number of shards, and of partitions. A task opens one file of each. */
export const MAX_PARTS = 2000;

/** The name of the file that describes a run. */
const FILE = 'run.json';

/** What all tasks of a run in shards have in common, as `run.json` describes it. */
export interface RunSettings {
  readonly shards: number;
  readonly partitions: number;
  /** The SHA-256 of the names and sizes of the sources and of the options that decide how they are read. */
  readonly sources: string;
}

/** A run in shards. The tasks write their files to one place. */
export class ShardRun {
  readonly files: RunFiles;
  readonly settings: RunSettings;

  private constructor(files: RunFiles, settings: RunSettings) {
    this.files = files;
    this.settings = settings;
  }

  /**
   * Opens a run. The first task creates it.
   * @throws Failure other-run if the place has another run
   */
  static async create(files: RunFiles, settings: RunSettings): Promise<ShardRun> {
    await files.create(FILE, `${JSON.stringify(settings)}\n`);
    const first = await readSettings(files);
    if (first.sources === settings.sources && first.shards === settings.shards && first.partitions === settings.partitions)
      return new ShardRun(files, settings);
    throw new Failure('other-run', `${files.address} has the files of another run`, {
      place: { file: files.addressOf(FILE) },
      expected: `${described(settings)}, and the same sources and options`,
      found: first.sources === settings.sources ? described(first) : `${described(first)}, with other sources or options`,
      hint: 'use the sources, --shard and --partitions of the first task, name another folder or prefix with --to, or delete the files first',
    });
  }

  /** @throws Failure no-shard if there is no run */
  static async open(files: RunFiles): Promise<ShardRun> {
    return new ShardRun(files, await readSettings(files));
  }

  /** Identifies the run in its files. */
  get digest(): string {
    return createHash('sha256').update(JSON.stringify(this.settings)).digest('hex');
  }

  /** Returns the name of the file of a shard. */
  shard(number: number): string {
    return `shard-${padded(number)}.rows`;
  }

  /** Returns the name of the file of a partition. */
  partition(number: number): string {
    return `partition-${padded(number)}.rows`;
  }
}

/**
 * Converts an error of the file system to a Failure. Returns any other error unchanged.
 * @param folder where a task writes files on this machine
 */
export function folderFailure(folder: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure || !('syscall' in error)) return error;
  return new Failure('file-system', `cannot read or write ${folder}`, {
    place: { file: folder },
    expected: 'a folder that can be read and written, on a disk with free space',
    found: error.message,
    hint: 'check the folder, its permissions and the free space, then run the same task again',
    cause: error,
  });
}

async function readSettings(files: RunFiles): Promise<RunSettings> {
  const file = files.addressOf(FILE);
  const text = await files.readText(FILE);
  if (text === undefined) {
    throw new Failure('no-shard', `${file} is missing`, {
      place: { file },
      expected: 'a folder or prefix in which palimpsest shard partition has written',
      found: 'nothing',
      hint: 'run palimpsest shard partition first, or name its folder or prefix',
    });
  }
  const settings = settingsIn(text);
  if (settings !== undefined) return settings;
  throw new Failure('bad-shard', `${file} is damaged`, {
    place: { file },
    expected: 'a file that palimpsest shard partition wrote',
    found: 'other content',
    hint: `delete all files in ${files.address}, then run all tasks again`,
  });
}

function settingsIn(text: string): RunSettings | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { shards, partitions, sources } = value;
    const isRun = typeof shards === 'number' && typeof partitions === 'number' && typeof sources === 'string';
    return isRun ? { shards, partitions, sources } : undefined;
  } catch {
    return undefined;
  }
}

function described({ shards, partitions }: RunSettings): string {
  return `a run with ${shards} shards and ${partitions} partitions`;
}

function padded(number: number): string {
  return String(number).padStart(5, '0');
}
