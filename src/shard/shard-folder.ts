import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';

/** A cluster run, as `run.json` in its folder describes it. */
export interface ShardRun {
  readonly shards: number;
  readonly partitions: number;
  /** The SHA-256 of the names and sizes of the sources and of the options that decide how they are read. */
  readonly sources: string;
}

/** The folder of a cluster run. The tasks write their files there. */
export class ShardFolder {
  readonly path: string;
  readonly run: ShardRun;

  private constructor(path: string, run: ShardRun) {
    this.path = path;
    this.run = run;
  }

  /**
   * Opens the folder for a run. The first task creates it.
   * @throws Failure other-run if the folder has another run
   */
  static create(path: string, run: ShardRun): ShardFolder {
    mkdirSync(path, { recursive: true });
    const file = join(path, 'run.json');
    const draft = `${file}.${randomUUID()}.draft`;
    writeFileSync(draft, `${JSON.stringify(run)}\n`);
    try {
      // unlike a rename, this fails if another task was first
      linkSync(draft, file);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    const first = readRun(file);
    if (first.sources === run.sources && first.shards === run.shards && first.partitions === run.partitions)
      return new ShardFolder(path, run);
    throw new Failure('other-run', `${path} has the files of another run`, {
      place: { file },
      expected: `${described(run)}, and the same sources and options`,
      found: first.sources === run.sources ? described(first) : `${described(first)}, with other sources or options`,
      hint: 'use the sources, --shard and --partitions of the first task, name another folder with --to, or delete the folder first',
    });
  }

  /** @throws Failure no-shard if the folder has no run */
  static open(path: string): ShardFolder {
    return new ShardFolder(path, readRun(join(path, 'run.json')));
  }

  /** Identifies the run in its files. */
  get digest(): string {
    return createHash('sha256').update(JSON.stringify(this.run)).digest('hex');
  }

  shard(number: number): string {
    return join(this.path, `shard-${padded(number)}.rows`);
  }

  partition(number: number): string {
    return join(this.path, `partition-${padded(number)}.rows`);
  }
}

/** Converts an error of the file system to a Failure. Returns any other error unchanged. */
export function folderFailure(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure || !('syscall' in error)) return error;
  return new Failure('file-system', `cannot read or write ${path}`, {
    place: { file: path },
    expected: 'a folder that can be read and written, on a disk with free space',
    found: error.message,
    hint: 'check the folder, its permissions and the free space, then run the same task again',
    cause: error,
  });
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function readRun(file: string): ShardRun {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT') && !hasCode(cause, 'ENOTDIR')) throw folderFailure(file, cause);
    throw new Failure('no-shard', `${file} is missing`, {
      place: { file },
      expected: 'a folder in which palimpsest shard partition has written',
      found: 'nothing',
      hint: 'run palimpsest shard partition first, or name its folder',
      cause,
    });
  }
  const run = runIn(text);
  if (run !== undefined) return run;
  throw new Failure('bad-shard', `${file} is damaged`, {
    place: { file },
    expected: 'a file that palimpsest shard partition wrote',
    found: 'other content',
    hint: 'delete the folder, then run all tasks again',
  });
}

function runIn(text: string): ShardRun | undefined {
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

function described({ shards, partitions }: ShardRun): string {
  return `a run with ${shards} shards and ${partitions} partitions`;
}

function padded(number: number): string {
  return String(number).padStart(5, '0');
}
