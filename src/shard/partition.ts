import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import { type ExclusionFilter, readInputs } from '../observe/read.ts';
import { InputErrors } from '../sources/input-errors.ts';
import type { ObserveContext } from '../sources/observations.ts';
import { withProgress } from '../sources/progress.ts';
import type { Input, InputError } from '../sources/source.ts';
import { type SourceUnit, sourceUnits, unitsOfShard } from '../sources/source-units.ts';
import { RowsFileWriter } from './rows-file-writer.ts';
import type { RunFiles } from './run-files.ts';
import { folderFailure, ShardRun } from './shard-run.ts';
import { ShardSpool } from './shard-spool.ts';

export interface PartitionOptions {
  /** The number of the shard, from 0, and the number of shards. */
  readonly shard: { readonly number: number; readonly shards: number };
  readonly partitions: number;
  readonly snapshots: ObserveContext;
  /** Called with each snapshot that cannot be read. Without it, nothing is written if there is such a snapshot. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Called once before the file gets its name. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `read` and `upload` count bytes, `write` observations. */
  readonly onProgress?: OnProgress<'read' | 'write' | 'upload'> | undefined;
}

export interface PartitionSummary {
  /** The path or the address of the file. */
  readonly file: string;
  /** The number of files of this shard, and of all shards. */
  readonly sources: { readonly shard: number; readonly all: number };
  readonly snapshots: number;
  readonly rejected: number;
  /** Files of Twitter archives that do not describe the account. They are not read. */
  readonly skipped: number;
  /** The size of the file. */
  readonly bytes: number;
}

/** The merge excludes the removed accounts, because a shard does not know the store. */
const NO_EXCLUSIONS: ExclusionFilter = { hasItem: () => false };

/**
 * Reads one shard of the sources, and writes its observations as one file: sorted by account, with one range for each partition. The
 * same sources give the same bytes.
 * @throws Failure no-source, other-run, file-system, target-failed, target-denied, stopped, and the input errors unless options.onReject is set
 */
export async function partitionSources(inputs: readonly Input[], files: RunFiles, options: PartitionOptions): Promise<PartitionSummary> {
  const { shard, partitions, snapshots, onProgress } = options;
  const pauses = new Pauses(options.signal, 'the file of this shard was not written');
  const units = await pauses.until(sourceUnits(inputs, snapshots.from));
  if (units.length === 0) inputs[0]?.filter?.throwIfNone(inputs.map(({ name }) => name));
  try {
    const sources = digestOf(units, snapshots);
    const run = await ShardRun.create(files, { shards: shard.shards, partitions, sources });
    const name = run.shard(shard.number);
    const spool = new ShardSpool(shard.number, files.temporary);
    try {
      const ownUnits = unitsOfShard(units, shard.number, shard.shards);
      const inputsOfShard = ownUnits.flatMap((unit) => unit.inputs);
      const inputErrors = new InputErrors(inputsOfShard.length);
      const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
      const counted = withProgress(inputsOfShard, pauses, (done, all) => onProgress?.('read', done, all));
      const context = { ...snapshots, openAgain: refuseWholeFile };
      const reading = await readInputs([...counted], context, spool, NO_EXCLUSIONS, pauses, undefined, reject);
      inputErrors.throwIfAny();
      reading.parts.throwIfIncomplete();
      const { files: read, rejected } = reading;
      const draft = files.begin(name);
      try {
        const writer = new RowsFileWriter(draft);
        let done = 0;
        for (const _ of spool.writeTo(writer, partitions)) {
          done += 1;
          if (!pauses.areDue) continue;
          onProgress?.('write', done, spool.length);
          await pauses.take();
        }
        await options.beforeCommit?.();
        let sent = 0;
        const bytes = await writer.finish({ run: run.digest, sources: { files: read.read, skipped: read.skipped, rejected } }, (more) => {
          sent += more;
          onProgress?.('upload', sent, 0);
        });
        return {
          file: files.addressOf(name),
          sources: { shard: ownUnits.length, all: units.length },
          snapshots: spool.length,
          rejected,
          skipped: read.skipped,
          bytes,
        };
      } finally {
        draft.close();
      }
    } finally {
      spool.close();
    }
  } catch (error) {
    throw folderFailure(dirname(files.temporary), error);
  }
}

/** Identifies the sources and how they are read. */
function digestOf(units: readonly SourceUnit[], context: ObserveContext): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify({ from: context.from, observed_at: context.observedAt, unescape: context.unescape }));
  for (const { name, size } of units) hash.update(`\n${JSON.stringify([name, size ?? null])}`);
  return hash.digest('hex');
}

/** A rejects file can name a file that was rejected as a whole. `observe` reads it after all other inputs, so it is in no shard. */
function refuseWholeFile(name: string): Input {
  throw new Failure('usage', `a rejects file names ${name}, which was rejected as a whole`, {
    place: { file: name },
    expected: 'rejects files with single snapshots',
    found: 'the name of a file',
    hint: 'remove this line from the rejects file, and name the file itself as a source',
  });
}
