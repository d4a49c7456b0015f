import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { show } from '../contract/json.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import type { DataType } from '../contract/record.ts';
import type { Network } from '../diff/diff-html.ts';
import { InputErrors } from '../sources/input-errors.ts';
import { inputNamed } from '../sources/inputs.ts';
import { type ObserveContext, observationsOf } from '../sources/observations.ts';
import { withProgress } from '../sources/progress.ts';
import type { Input, InputError, RejectOptions } from '../sources/source.ts';
import { Batch, type CommitPhase } from '../store/batch.ts';
import type { Exclusions } from '../store/exclusions.ts';
import { fileSystemFailure, wrapErrors } from '../store/store-error.ts';
import type { FieldConflict } from './changes.ts';
import { type Conflict, ConflictList } from './conflicts.ts';
import { ObservationWriter } from './observation-writer.ts';
import { Spool, snapshotOf } from './spool.ts';

/** How many observations are compared between two progress reports. */
const REPORT_EVERY = 100;
const LATE_HINT =
  'write such observations to a file with --rejects FILE, or observe all snapshots into a new store; the store is unchanged';

/** The phases of a run. `read` counts bytes, `compare` observations. */
export type ObservePhase = 'read' | 'compare' | CommitPhase;

/** Rejected observations are written as neutral snapshots with their own time, whatever the options of the run. */
const NEUTRAL: RejectOptions = { from: 'neutral' };

export interface ObserveOptions {
  readonly snapshots: ObserveContext;
  /** The URLs of mentions and hashtags. */
  readonly network: Network;
  /** Whether to do everything except the commit, so that the store is unchanged. */
  readonly dryRun?: boolean | undefined;
  /** Called with each snapshot that cannot be added. Without it, nothing is added if there is such a snapshot. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Opens an input that a rejects file names; by default only those on this machine. */
  readonly openAgain?: ((name: string) => Input) | undefined;
  /** Called once after all observations are compared, just before the commit. If it throws, nothing is added. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  /** Stops the run: nothing is added. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<ObservePhase> | undefined;
}

export interface ObserveSummary {
  readonly observations: number;
  /** Observations without a change. */
  readonly unchanged: number;
  /** The number of new records by field. */
  readonly records: { readonly [T in DataType]: number };
  readonly accounts: { readonly added: number; readonly renamed: number };
  /** Rejected snapshots. Of a snapshot with a conflict, only the conflicting value is rejected. */
  readonly rejected: number;
  /** Snapshots of accounts that were removed and must not come back. */
  readonly excluded: number;
  /** Different values of one field in snapshots of one account at one time: their number, and the first of them. */
  readonly conflicts: { readonly count: number; readonly listed: readonly Conflict[] };
}

/**
 * Observes all inputs in time order, in one transaction: the store receives all changes or none.
 * The same observations again add nothing.
 * @throws Failure for input errors and late observations, unless options.onReject is set
 */
export async function observeInputs(storePath: string, inputs: readonly Input[], options: ObserveOptions): Promise<ObserveSummary> {
  // a dry run must not create the store, so it uses a temporary one
  const temporaryFolder = options.dryRun && !existsSync(storePath) ? mkdtempSync(join(tmpdir(), 'palimpsest-')) : undefined;
  const path = temporaryFolder === undefined ? storePath : join(temporaryFolder, 'store.db');
  try {
    const batch = new Batch(path, 'by account', options.dryRun);
    try {
      const spool = wrapErrors(path, () => new Spool(path));
      try {
        const pauses = new Pauses(options.signal, 'nothing was added');
        const inputErrors = new InputErrors(inputs.length);
        const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
        const reading = await read(inputs, spool, batch.exclusions, pauses, options, reject);
        inputErrors.throwIfAny();
        const comparing = await compare(batch, spool, pauses, options, reject);
        inputErrors.throwIfAny();
        await options.beforeCommit?.();
        if (!options.dryRun) await batch.commit(pauses, options.onProgress);
        return { ...comparing, rejected: reading.rejected + comparing.rejected, excluded: reading.excluded + comparing.excluded };
      } catch (error) {
        throw fileSystemFailure(path, error);
      } finally {
        spool.close();
      }
    } finally {
      batch.end();
    }
  } finally {
    if (temporaryFolder !== undefined) rmSync(temporaryFolder, { recursive: true });
  }
}

/** @returns the number of rejected and of excluded snapshots */
async function read(
  inputs: readonly Input[],
  spool: Spool,
  exclusions: Exclusions,
  pauses: Pauses,
  options: ObserveOptions,
  reject: Reject,
): Promise<{ readonly rejected: number; readonly excluded: number }> {
  let [rejected, excluded] = [0, 0];
  const context = { ...options.snapshots, openAgain: options.openAgain ?? inputNamed };
  const observed = withProgress(inputs, pauses, (done, all) => options.onProgress?.('read', done, all));
  for await (const batch of observationsOf([...observed], context)) {
    if (pauses.areDue) await pauses.take();
    for (const item of batch) {
      if (item.kind === 'observation' && exclusions.excludesProfile(item.observation.profile, item.observation.former_names)) {
        excluded += 1;
      } else if (item.kind === 'observation') {
        spool.add(item.observation, item.place);
      } else if (exclusions.hasItem(item.item)) {
        excluded += 1;
      } else {
        reject(item);
        rejected += 1;
      }
    }
  }
  return { rejected, excluded };
}

type Reject = (inputError: InputError) => void;

async function compare(batch: Batch, spool: Spool, pauses: Pauses, options: ObserveOptions, reject: Reject): Promise<ObserveSummary> {
  const writer = new ObservationWriter(batch, options.network);
  const records = { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 };
  const accounts = { added: 0, renamed: 0 };
  const conflicts = new ConflictList(spool);
  // a handle that was learned at the last snapshot also excludes the first
  const { exclusions } = batch;
  const hasLearned = exclusions.learned.size > 0;
  let [observations, unchanged, rejected, excluded] = [0, 0, 0, 0];
  for (const row of spool.inOrder()) {
    observations += 1;
    if (observations % REPORT_EVERY === 0) {
      options.onProgress?.('compare', observations, spool.length);
      if (pauses.areDue) await pauses.take();
    }
    if (hasLearned) {
      const { profile, former_names } = spool.observation(row);
      if (exclusions.excludesProfile(profile, former_names)) {
        excluded += 1;
        continue;
      }
    }
    const same = writer.unchanged(row.profile, row.moment);
    if (same !== undefined) {
      conflicts.add(same, row, []);
      unchanged += 1;
      continue;
    }
    const observation = spool.observation(row);
    const effect = writer.add(observation, row.profile);
    if ('expected' in effect) {
      const place = spool.place(row);
      reject({ kind: 'error', code: 'late', place, ...effect, hint: LATE_HINT, options: NEUTRAL, item: snapshotOf(observation) });
      rejected += 1;
      continue;
    }
    conflicts.add(effect.account, row, effect.conflicts);
    for (const conflict of effect.conflicts) {
      if (conflict.isRecorded || options.onReject === undefined) continue;
      options.onReject({ ...inputErrorOf(conflict), place: spool.place(row), options: NEUTRAL, item: snapshotOf(observation) });
      rejected += 1;
      break;
    }
    if (effect.isNew) accounts.added += 1;
    if (effect.isRenamed) accounts.renamed += 1;
    if (effect.changes.length === 0) unchanged += 1;
    for (const { type } of effect.changes) records[type] += 1;
  }
  writer.finish();
  return {
    observations,
    unchanged,
    records,
    accounts,
    rejected,
    excluded,
    conflicts: { count: conflicts.count, listed: conflicts.listed },
  };
}

/** The error for a conflicting value that is not recorded, because it is the previous value of the field. */
function inputErrorOf({ type, seen, others }: FieldConflict): Pick<InputError, 'kind' | 'code' | 'expected' | 'found'> {
  const expected = `the same ${type} in all snapshots of one account at one time: ${others.map(show).join(', ')}`;
  return { kind: 'error', code: 'conflict', expected, found: `${show(seen)}, the previous value; the rest of the snapshot was added` };
}
