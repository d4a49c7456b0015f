import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { show } from '../contract/json.ts';
import type { DataType } from '../contract/record.ts';
import type { Network } from '../diff/diff-html.ts';
import { type ObserveContext, observationsOf } from '../sources/observations.ts';
import { withProgress } from '../sources/progress.ts';
import { rejection } from '../sources/rejection.ts';
import type { Input, InputError } from '../sources/source.ts';
import { Batch } from '../store/batch.ts';
import { fileSystemFailure, wrapErrors } from '../store/database.ts';
import type { FieldConflict } from './changes.ts';
import { type Conflict, ConflictList } from './conflicts.ts';
import { ObservationWriter } from './observation-writer.ts';
import { Spool, snapshotOf } from './spool.ts';

/** How many observations pass before progress is told again. */
const REPORT_EVERY = 10_000;
const LATE_HINT = 'set such observations aside with --rejects FILE, or observe all into a new store; this one is as it was';

export interface ObserveOptions {
  readonly snapshots: ObserveContext;
  /** Where mentions and hashtags lead. */
  readonly network: Network;
  /** Whether all is done but the last step, so that the store stays as it was. */
  readonly dryRun?: boolean | undefined;
  /** Takes what cannot go in, so that the rest can; without it the first such thing ends the run. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Called once when all is compared, just before the store changes for good; where it throws nothing is added. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  /** Called with the bytes read so far. */
  readonly onRead?: ((bytes: number) => void) | undefined;
  /** Called with the observations compared so far, and all of them. */
  readonly onCompare?: ((done: number, all: number) => void) | undefined;
  /** Called with the accounts whose histories have been derived, and those to be. */
  readonly onSettle?: ((done: number, all: number) => void) | undefined;
}

export interface ObserveSummary {
  readonly observations: number;
  /** Observations that found nothing new. */
  readonly unchanged: number;
  /** New records, field by field. */
  readonly records: { readonly [T in DataType]: number };
  readonly accounts: { readonly added: number; readonly renamed: number };
  /** Snapshots that were set aside, of which those with a conflict went in but for the value that conflicts. */
  readonly rejected: number;
  /** Where snapshots of one account say different values of one field at one moment: how many, and the first of them. */
  readonly conflicts: { readonly count: number; readonly listed: readonly Conflict[] };
}

/**
 * Observes everything that the inputs hold, in the order of its time, in one batch: all changes are in the
 * store afterwards, or none. The same observations again add nothing.
 * @throws Failure for the first inputError, or observation that comes too late, unless options.onReject takes them
 */
export async function observeInputs(storePath: string, inputs: readonly Input[], options: ObserveOptions): Promise<ObserveSummary> {
  // a rehearsal leaves no store where there was none
  const rehearsal = options.dryRun && !existsSync(storePath) ? mkdtempSync(join(tmpdir(), 'palimpsest-')) : undefined;
  const path = rehearsal === undefined ? storePath : join(rehearsal, 'store.db');
  try {
    const batch = new Batch(path, 'by account', options.dryRun);
    try {
      const seen = wrapErrors(path, () => new Spool(path));
      try {
        const reading = await read(inputs, seen, options);
        const comparing = compare(batch, seen, options);
        await options.beforeCommit?.();
        if (!options.dryRun) batch.commit(options.onSettle);
        return { ...comparing, rejected: reading + comparing.rejected };
      } catch (error) {
        throw fileSystemFailure(path, error);
      } finally {
        seen.close();
      }
    } finally {
      batch.end();
    }
  } finally {
    if (rehearsal !== undefined) rmSync(rehearsal, { recursive: true });
  }
}

/** @returns how many snapshots were set aside */
async function read(inputs: readonly Input[], seen: Spool, options: ObserveOptions): Promise<number> {
  let rejected = 0;
  for await (const batch of observationsOf([...withProgress(inputs, options.onRead)], options.snapshots)) {
    for (const item of batch) {
      if (item.kind === 'observation') {
        seen.add(item.observation, item.place);
      } else {
        reject(item, options);
        rejected += 1;
      }
    }
  }
  return rejected;
}

function compare(batch: Batch, seen: Spool, options: ObserveOptions): ObserveSummary {
  const writer = new ObservationWriter(batch, options.network);
  const records = { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 };
  const accounts = { added: 0, renamed: 0 };
  const conflicts = new ConflictList(seen);
  let [observations, unchanged, rejected] = [0, 0, 0];
  for (const row of seen.inOrder()) {
    observations += 1;
    if (observations % REPORT_EVERY === 0) options.onCompare?.(observations, seen.length);
    const same = writer.unchanged(row.profile, row.moment);
    if (same !== undefined) {
      conflicts.add(same, row, []);
      unchanged += 1;
      continue;
    }
    const observation = seen.observation(row);
    const effect = writer.add(observation, row.profile);
    if ('expected' in effect) {
      reject({ kind: 'error', code: 'late', place: seen.place(row), ...effect, hint: LATE_HINT, item: snapshotOf(observation) }, options);
      rejected += 1;
      continue;
    }
    conflicts.add(effect.account, row, effect.conflicts);
    for (const conflict of effect.conflicts) {
      if (conflict.isRecorded || options.onReject === undefined) continue;
      options.onReject({ ...inputErrorOf(conflict), place: seen.place(row), item: snapshotOf(observation) });
      rejected += 1;
      break;
    }
    if (effect.isNew) accounts.added += 1;
    if (effect.isRenamed) accounts.renamed += 1;
    if (effect.changes.length === 0) unchanged += 1;
    for (const { type } of effect.changes) records[type] += 1;
  }
  writer.finish();
  return { observations, unchanged, records, accounts, rejected, conflicts: { count: conflicts.count, listed: conflicts.listed } };
}

/** A value that does not go in, because others of the same moment say otherwise and it is the one that the field had before. */
function inputErrorOf({ type, seen, others }: FieldConflict): Pick<InputError, 'kind' | 'code' | 'expected' | 'found'> {
  const expected = `the same ${type} in all snapshots of one account and moment: ${others.map(show).join(', ')}`;
  return { kind: 'error', code: 'conflict', expected, found: `${show(seen)}, which it was before; the rest of the snapshot is in` };
}

function reject(inputError: InputError, options: ObserveOptions): void {
  if (options.onReject === undefined) throw rejection(inputError);
  options.onReject(inputError);
}
