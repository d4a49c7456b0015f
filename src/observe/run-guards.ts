import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { plural } from '../contract/plural.ts';
import { percent, tooManyRejects } from '../sources/rejects/rejection.ts';
import type { MergeSummary } from './merge.ts';

/**
 * A clock is wrong if at least this share of the known accounts of a run have only older snapshots. The run before may have lacked the
 * others.
 */
const OLDER_SHARE = 0.9;

/** What the guards need to know of a run. */
export interface Guarded extends Pick<MergeSummary, 'snapshots' | 'accounts' | 'late' | 'excluded' | 'run' | 'runBefore' | 'runTo'> {
  /** Items that could not be read. */
  readonly unreadable: number;
  /** The time of the newest observation in the store before the run. */
  readonly storeTo: Instant | undefined;
  readonly dryRun: boolean | undefined;
}

export interface Limits {
  /** The latest time that a snapshot may have; undefined: any. */
  readonly latest: Instant | undefined;
  /** The highest share of items that are rejected, from 0 to 1. */
  readonly maxRejected: number;
  /** The lowest share of the accounts of the previous run that the run must have, from 0 to 1. */
  readonly minAccounts: number;
  /** Whether most accounts may have only snapshots older than those in the store. */
  readonly allowLate: boolean;
}

/** Returns the reason not to add a run to the store; undefined if there is none. */
export function refusalOf(guarded: Guarded, limits: Limits): Failure | undefined {
  const { snapshots, accounts, late, excluded, unreadable, run, dryRun } = guarded;
  const isOlder = run.onlyOlder >= OLDER_SHARE * (run.accounts - accounts.added) && run.onlyOlder >= accounts.added;
  if (late > 0 && isOlder && !limits.allowLate) return allLate(guarded, limits);
  const [rejected, items] = [late + unreadable, snapshots + unreadable];
  // why everything was rejected says more than that the accounts are missing
  if (rejected > 0 && rejected === items && excluded === 0) return undefined;
  return tooManyRejects(rejected, items, limits.maxRejected, dryRun) ?? tooFewAccounts(guarded, limits);
}

function allLate({ run, late, runTo = 0, storeTo = 0 }: Guarded, { latest }: Limits): Failure {
  const isFuture = latest !== undefined && storeTo > latest;
  const cause = isFuture
    ? `this machine's clock says ${timestampOf(Date.now() * 1000)}: if it is wrong, correct it and run again; if it is right, an earlier run had a wrong clock: go back to the version before that run (store versions, store pull --number N --replace)`
    : 'check the clock, --observed-at and the folder names, and whether another run has just added newer snapshots; if the times are right, add the rest with --allow-late and --rejects';
  return new Failure('all-late', 'most accounts have only snapshots older than the newest ones in the store', {
    expected: 'snapshots newer than those in the store',
    found: `${run.onlyOlder} of ${plural(run.accounts, 'account')} with only older snapshots, and ${plural(late, 'late snapshot')}; the newest snapshot of this run is from ${timestampOf(runTo)}, that in the store from ${timestampOf(storeTo)}`,
    hint: `${cause}: see "A wrong clock" in docs/snapshots.md; the store is unchanged`,
  });
}

function tooFewAccounts({ runBefore: { accounts, present } }: Guarded, { minAccounts }: Limits): Failure | undefined {
  if (present >= minAccounts * accounts) return undefined;
  return new Failure('too-few-accounts', 'most accounts of the previous run are missing', {
    expected: `at least ${percent(minAccounts)} of ${plural(accounts, 'account')}`,
    found: plural(present, 'account'),
    hint: 'check the sources; if only these accounts should be observed, run again with --min-accounts 0%; the store is unchanged',
  });
}
