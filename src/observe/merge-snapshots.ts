import type { Pauses } from '../contract/event-loop-pauses.ts';
import { DAY_MICROS, dateOf, type Instant } from '../contract/instant.ts';
import { show } from '../contract/json.ts';
import { countsByField } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import type { DaySpan } from '../contract/snapshots/snapshot-days.ts';
import type { PathTimes } from '../sources/snapshots/path-time.ts';
import type { InputError, RejectOptions } from '../sources/source.ts';
import type { KnownAccount } from '../store/accounts/known-account.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import { addSnapshotDays } from '../store/snapshot-days.ts';
import type { Batch } from '../store/writing/batch.ts';
import type { FieldConflict } from './changes-and-conflicts.ts';
import { type Conflict, ConflictReport } from './conflict-report.ts';
import { windowsOf } from './diffs-in-advance.ts';
import type { MissingAccounts, RunAccounts, RunBefore } from './missing-accounts.ts';
import { ObservationWriter } from './observation-writer.ts';
import type { ObserveOptions } from './observe.ts';
import type { Reject } from './read-inputs.ts';
import { SharedTime } from './run-guards.ts';
import type { Row } from './spool/sorted-run.ts';
import { type Spool, snapshotOf } from './spool/spool.ts';

/** How many observations are compared between two progress reports. */
const REPORT_EVERY = 100;
/** How many profiles are cached as excluded or not excluded. A full cache is cleared. */
const MAX_KNOWN = 1 << 20;
const LATE_HINT = 'write such snapshots to a file with --rejects FILE, or observe all snapshots into a new store; the store is unchanged';

/** Rejected observations are written as neutral snapshots with their own time, whatever the options of the run. */
const NEUTRAL: RejectOptions = { from: 'neutral' };

export interface MergeSummary {
  /** Without those of removed accounts. */
  readonly snapshots: number;
  /** Snapshots that added a record or an account, or changed the handle, the picture or the creation date of one. */
  readonly changed: number;
  /** Snapshots that showed nothing new. The others were rejected. */
  readonly unchanged: number;
  /** The number of new records by field. */
  readonly records: { readonly [T in DataType]: number };
  readonly accounts: { readonly added: number; readonly renamed: number };
  /** Snapshots that are older than the newest one of their account, and contradict the store. */
  readonly late: number;
  /** The accounts that earlier runs had and this one lacks. */
  readonly missing: MissingAccounts;
  readonly runBefore: RunBefore;
  readonly run: RunAccounts;
  /** The time of the newest snapshot; undefined if there is none. */
  readonly runTo: Instant | undefined;
  /** Whether a snapshot has a day on which no earlier run had one. */
  readonly hasNewDay: boolean;
  /** Rejected snapshots. Of a snapshot with a conflict, only the conflicting value is rejected. */
  readonly rejected: number;
  /** Snapshots of accounts that were removed and must not come back. */
  readonly excluded: number;
  /** Different values of one field in snapshots of one account at one time: their number, and the first of them. */
  readonly conflicts: { readonly count: number; readonly listed: readonly Conflict[] };
}

export interface ObserveSummary extends Omit<MergeSummary, 'run' | 'runBefore' | 'runTo' | 'hasNewDay'> {
  /** Files of Twitter archives that do not describe the account. They are not read. */
  readonly skipped: number;
  /** Snapshots of suspended accounts. Their empty fields are unknown. */
  readonly suspended: number;
  readonly path_times: PathTimes;
}

/**
 * Adds snapshots in order of time: finds the account of each, compares it with the store, assigns ids and names, and writes records.
 * @throws Failure shared-time
 */
export async function mergeSnapshots(
  batch: Batch,
  spool: Spool,
  pauses: Pauses,
  options: ObserveOptions,
  reject: Reject,
): Promise<MergeSummary> {
  const { templates = {} } = options;
  const writer = new ObservationWriter(batch, templates, options.cacheUnits);
  const records = countsByField();
  const accounts = { added: 0, renamed: 0 };
  const conflicts = new ConflictReport(spool);
  const sharedTime = new SharedTime(options.snapshots.observedAt);
  const isExcluded = await exclusionTest(batch.exclusions, spool, pauses);
  let [snapshots, changed, unchanged, late, rejected, excluded] = [0, 0, 0, 0, 0, 0];
  let runTo: Instant | undefined;
  const days: DaySpan[] = [];
  /** The start of the day after the newest one in `days`. */
  let nextDay = 0;
  const accept = (account: KnownAccount, row: Row, fields: readonly FieldConflict[]): void => {
    conflicts.add(account, row, fields);
    sharedTime.add(account, row.instant, fields.length);
    writer.accountsOfRun.addSnapshot(account, row.instant);
    if (row.instant < nextDay) return;
    days.push({ from: dateOf(row.instant), to: dateOf(row.instant) });
    nextDay = row.instant - (row.instant % DAY_MICROS) + DAY_MICROS;
  };
  const mergeRow = (row: Row): void => {
    if (isExcluded(row)) {
      excluded += 1;
      return;
    }
    runTo = row.instant;
    const same = writer.unchanged(row.profile, row.instant);
    if (same !== undefined) {
      accept(same, row, []);
      unchanged += 1;
      return;
    }
    const observation = spool.observation(row);
    const effect = writer.add(observation, row.profile);
    if ('expected' in effect) {
      const { field, ...rejection } = effect;
      const isLate = effect.code === 'late';
      const place = field === undefined ? spool.place(row) : { ...spool.place(row), field };
      const hint = isLate ? LATE_HINT : undefined;
      reject({ kind: 'error', ...rejection, place, hint, options: NEUTRAL, item: snapshotOf(observation) });
      if (isLate) late += 1;
      rejected += 1;
      return;
    }
    accept(effect.account, row, effect.conflicts);
    for (const conflict of effect.conflicts) {
      if (conflict.isRecorded || options.onReject === undefined) continue;
      options.onReject({ ...inputErrorOf(conflict), place: spool.place(row), options: NEUTRAL, item: snapshotOf(observation) });
      rejected += 1;
      break;
    }
    if (effect.isNew) accounts.added += 1;
    if (effect.isRenamed) accounts.renamed += 1;
    if (effect.changes.length > 0 || effect.isIdentified) changed += 1;
    else unchanged += 1;
    for (const { type } of effect.changes) records[type] += 1;
  };
  for await (const { rows, markup } of windowsOf(spool, templates, pauses)) {
    writer.markup = markup;
    for (const row of rows) {
      snapshots += 1;
      if (snapshots % REPORT_EVERY === 0) {
        options.onProgress?.('compare', snapshots, spool.length);
        if (pauses.areDue) await pauses.take();
      }
      mergeRow(row);
    }
  }
  sharedTime.throwIfAmbiguous();
  writer.finish();
  return {
    snapshots: snapshots - excluded,
    changed,
    unchanged,
    records,
    accounts,
    late,
    ...writer.accountsOfRun.compare(batch.database),
    runTo,
    hasNewDay: batch.guard(() => addSnapshotDays(batch.database, days)),
    rejected,
    excluded,
    conflicts: { count: conflicts.count, listed: conflicts.listed },
  };
}

/**
 * Returns a test for rows of removed accounts. First learns all names of these accounts from all rows, because a name in the last row also
 * excludes the first one. It reads the rows by time, so that the order of the inputs makes no difference.
 */
async function exclusionTest(exclusions: Exclusions, spool: Spool, pauses: Pauses): Promise<(row: Row) => boolean> {
  if (exclusions.isEmpty) return () => false;
  // whether each profile is excluded, until the exclusions learn more
  const known = new Map<number, boolean>();
  let { additions } = exclusions;
  const isExcluded = (row: Row): boolean => {
    if (additions !== exclusions.additions || known.size >= MAX_KNOWN) known.clear();
    additions = exclusions.additions;
    const before = known.get(row.profile);
    if (before !== undefined) return before;
    const { profile, former_names } = spool.observation(row);
    const found = exclusions.excludesProfile(profile, former_names);
    known.set(row.profile, found);
    return found;
  };
  for (const row of spool.inOrder()) {
    isExcluded(row);
    if (pauses.areDue) await pauses.take();
  }
  return isExcluded;
}

/** Whether a run rejected every snapshot. It then leaves the store unchanged. */
export function isAllRejected({
  changed,
  unchanged,
  rejected,
  excluded,
}: Pick<MergeSummary, 'changed' | 'unchanged' | 'rejected' | 'excluded'>): boolean {
  return rejected > 0 && changed + unchanged + excluded === 0;
}

/** The error for a conflicting value that is not recorded, because it is the previous value of the field. */
function inputErrorOf({ type, seen, others }: FieldConflict): Pick<InputError, 'kind' | 'code' | 'expected' | 'found'> {
  const expected = `the same ${type} in all snapshots of one account at one time: ${others.map(show).join(', ')}`;
  return { kind: 'error', code: 'conflict', expected, found: `${show(seen)}, the previous value; the rest of the snapshot was added` };
}
