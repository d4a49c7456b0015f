import { createHash } from 'node:crypto';
import { type OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { readInputs } from '../observe/read-inputs.ts';
import { refuseSharedTime, type SharedTimeCounts } from '../observe/run-guards.ts';
import { BY_ACCOUNT, type Row } from '../observe/spool/sorted-run.ts';
import { Spool, snapshotOf } from '../observe/spool/spool.ts';
import { MAX_LISTED } from '../sources/formats/neutral.ts';
import type { FilePatterns } from '../sources/inputs/file-filter.ts';
import { withProgress } from '../sources/inputs/input-progress.ts';
import { type SourceUnit, sourceUnits, unitsOfShard } from '../sources/inputs/source-units.ts';
import { InputErrors } from '../sources/rejects/rejection.ts';
import type { ObserveContext } from '../sources/snapshots/observations.ts';
import { partHeader } from '../sources/snapshots/part-header.ts';
import type { PathTimes } from '../sources/snapshots/path-time.ts';
import type { Input, InputError, RunHooks } from '../sources/source.ts';
import { type PartFile, partFailure, writePart } from './part-file.ts';

/** How much text is compressed at once, in UTF-16 units. */
const PIECE_UNITS = 1 << 16;

export interface NormalizeOptions extends RunHooks {
  /** Which shard of the sources is read: its number, from 0, and the number of shards. */
  readonly shard: { readonly number: number; readonly shards: number };
  readonly snapshots: ObserveContext & Required<Pick<ObserveContext, 'openAgain'>>;
  readonly patterns: FilePatterns;
  /** `read` counts bytes, `write` snapshots. */
  readonly onProgress?: OnProgress<'read' | 'write'> | undefined;
}

export interface NormalizeSummary {
  /** How many sources this part has, and how many all parts have. */
  readonly sources: { readonly part: number; readonly all: number };
  readonly snapshots: number;
  /** The number of lines: consecutive equal profiles of one account are one line. */
  readonly profiles: number;
  readonly rejected: number;
  /** Files of Twitter archives that do not describe the account. They are not read. */
  readonly skipped: number;
  readonly path_times: PathTimes;
  /** The size of the part. */
  readonly bytes: number;
}

/**
 * Reads one shard of the sources, and writes its snapshots as a part: neutral snapshots after a first line that says what the part is.
 * All parts together mean the same as the sources. The same sources give the same bytes. If every item is rejected, nothing is written:
 * the summary has no snapshots and some rejected items. One of several parts is written in any case.
 * @throws Failure no-source, file-system, target-failed, target-denied, stopped, shared-time, and the input errors unless options.onReject is set
 */
export async function normalizeSources(inputs: readonly Input[], file: PartFile, options: NormalizeOptions): Promise<NormalizeSummary> {
  const { shard, snapshots, onProgress } = options;
  const pauses = new Pauses(options.signal, `${file.address} was not written`);
  const units = await pauses.until(sourceUnits(inputs, snapshots.from));
  const own = unitsOfShard(units, shard.number, shard.shards);
  const ownInputs = own.flatMap((unit) => unit.inputs);
  try {
    const spool = new Spool(file.temporary, BY_ACCOUNT);
    try {
      const inputErrors = new InputErrors(ownInputs.length);
      const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
      const counted = withProgress(ownInputs, pauses, (done, all) => onProgress?.('read', done, all));
      const context = shard.shards === 1 ? snapshots : { ...snapshots, openAgain: refuseWholeFile };
      const { files, parts, pathTimes, rejected } = await readInputs(counted, context, spool, undefined, pauses, reject);
      inputErrors.throwIfAny();
      parts.throwIfIncomplete();
      if (shard.shards === 1 || units.length === 0) inputs[0]?.filter?.throwIfNone(inputs.map(({ name }) => name));
      if (snapshots.observedAt !== undefined)
        refuseSharedTime(snapshots.observedAt, countsAt(snapshots.observedAt, spool), `${file.address} was not written`);
      await options.beforeCommit?.();
      const counts = { files: files.read, snapshots: spool.length, rejected };
      const header = partHeader({ part: shard.number, parts: shard.shards, sources: digestOf(units, options), ...counts });
      let profiles = 0;
      async function* texts(): AsyncGenerator<string> {
        let [text, done] = [`${JSON.stringify(header)}\n`, 0];
        for (const line of profileLines(spool)) {
          profiles += 1;
          done += line.snapshots;
          text += line.text;
          if (text.length < PIECE_UNITS) continue;
          yield text;
          text = '';
          onProgress?.('write', done, spool.length);
          if (pauses.areDue) await pauses.take();
        }
        yield text;
      }
      const isAllRejected = shard.shards === 1 && spool.length === 0 && rejected > 0;
      const bytes = isAllRejected ? 0 : await writePart(file, texts());
      const sources = { part: own.length, all: units.length };
      return { sources, snapshots: spool.length, profiles, rejected, skipped: files.skipped, path_times: pathTimes, bytes };
    } finally {
      spool.close();
    }
  } catch (error) {
    throw partFailure(file, error);
  }
}

/** Counts the snapshots of a time that show one account several times. @param spool sorted by account, then by time */
function countsAt(instant: Instant, spool: Spool): SharedTimeCounts {
  let [accounts, repeated, contradicting, snapshots] = [0, 0, 0, 0];
  let last: Row | undefined;
  for (const row of spool.inOrder()) {
    if (row.instant !== instant) continue;
    const isSame = row.account === last?.account;
    snapshots = isSame ? snapshots + 1 : 1;
    if (!isSame) accounts += 1;
    if (snapshots === 2) repeated += 1;
    // profiles that are equal usually have one place
    if (isSame && row.profile !== last?.profile && spool.text(row.profile) !== spool.text(last?.profile ?? 0)) contradicting += 1;
    last = row;
  }
  return { accounts, repeated, contradicting };
}

/** Identifies the sources, how they are read, and the number of parts. */
function digestOf(units: readonly SourceUnit[], { snapshots, patterns, shard }: NormalizeOptions): string {
  const { from, observedAt, unescape: isUnescaped } = snapshots;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([shard.shards, from, observedAt, isUnescaped, patterns.include, patterns.exclude]));
  for (const { name, size } of units) hash.update(`\n${JSON.stringify([name, size])}`);
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

/** A line of a part: a neutral snapshot with all times at which the profile was the same. */
interface ProfileLine {
  readonly text: string;
  /** How many snapshots it has. */
  readonly snapshots: number;
}

/** The observation that the next rows may repeat. */
interface Repeated {
  readonly row: Row;
  readonly profile: string;
  readonly archive: string;
  readonly furtherTimes: Instant[];
}

/**
 * Yields the observations of a spool as lines. Consecutive equal profiles of one account are one line.
 * @param spool sorted by account, then by time
 */
function* profileLines(spool: Spool): Generator<ProfileLine> {
  let last: Repeated | undefined;
  for (const row of spool.inOrder()) {
    const profile = row.profile === last?.row.profile ? last.profile : spool.text(row.profile);
    const archive = row.archive === 0 ? '' : `${spool.text(row.archive)} `;
    if (profile === last?.profile && archive === last.archive && last.furtherTimes.length < MAX_LISTED) {
      last.furtherTimes.push(row.instant);
      continue;
    }
    if (last !== undefined) yield lineOf(spool, last);
    last = { row, profile, archive, furtherTimes: [] };
  }
  if (last !== undefined) yield lineOf(spool, last);
}

function lineOf(spool: Spool, { row, furtherTimes }: Repeated): ProfileLine {
  const { observed_at, ...rest } = snapshotOf(spool.observation(row));
  const also_observed_at = furtherTimes.length === 0 ? undefined : furtherTimes.map(timestampOf);
  return { text: `${JSON.stringify({ observed_at, also_observed_at, ...rest })}\n`, snapshots: 1 + furtherTimes.length };
}
