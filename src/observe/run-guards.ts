import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { plural } from '../contract/plural.ts';
import { percent, tooManyRejects } from '../sources/rejects/rejection.ts';
import type { MergeSummary } from './merge.ts';

/** What the guards need to know of a run. */
export interface Guarded extends Pick<MergeSummary, 'snapshots' | 'late' | 'hasNewest' | 'runBefore'> {
  /** Items that could not be read. */
  readonly unreadable: number;
  /** The time of the newest observation in the store before the run. */
  readonly storeTo: Instant | undefined;
}

export interface Limits {
  /** The latest time that a snapshot may have; undefined: any. */
  readonly latest: Instant | undefined;
  /** The highest share of items that are rejected, from 0 to 1. */
  readonly maxRejected: number;
  /** The lowest share of the accounts of the run before that the run must have, from 0 to 1. */
  readonly minAccounts: number;
}

/** Returns the reason not to add a run to the store; undefined if there is none. */
export function refusalOf(run: Guarded, limits: Limits): Failure | undefined {
  const { snapshots, late, unreadable, hasNewest } = run;
  if (late > 0 && !hasNewest) return allLate(run, limits);
  return tooManyRejects(late + unreadable, snapshots + unreadable, limits.maxRejected) ?? tooFewAccounts(run, limits);
}

function allLate({ snapshots, late, storeTo = 0 }: Guarded, { latest }: Limits): Failure {
  const isFuture = latest !== undefined && storeTo > latest;
  const cause = isFuture
    ? 'the clock of an earlier run was wrong: go back to the version of the store before it (store list, store pull --from-version N --replace)'
    : 'check the clock, --observed-at and the names of the folders; to add older snapshots, observe all snapshots into a new store';
  return new Failure('all-late', 'every snapshot is older than the newest one of its account in the store', {
    expected: 'a snapshot that is newer',
    found: `${plural(snapshots, 'snapshot')}, ${late} of them with other values than the store, which was last observed at ${timestampOf(storeTo)}`,
    hint: `${cause}: see "A wrong clock" in docs/snapshots.md; the store is unchanged`,
  });
}

function tooFewAccounts({ runBefore: { accounts, present } }: Guarded, { minAccounts }: Limits): Failure | undefined {
  if (present >= minAccounts * accounts) return undefined;
  return new Failure('too-few-accounts', 'most accounts of the run before are missing', {
    expected: `at least ${percent(minAccounts)} of ${plural(accounts, 'account')}`,
    found: plural(present, 'account'),
    hint: 'check the sources; if only these accounts should be observed, run again with --min-accounts 0%; the store is unchanged',
  });
}
