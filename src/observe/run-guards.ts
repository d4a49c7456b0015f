import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { percent, tooManyRejects } from '../sources/rejects/rejection.ts';
import type { KnownAccount } from '../store/accounts/known-account.ts';
import { RowSet } from '../store/histories/row-set.ts';
import type { MergeSummary } from './merge-snapshots.ts';

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
    hint: 'check the sources, and whether they are of the right server; if only these accounts should be observed, run again with --min-accounts 0%; the store is unchanged',
  });
}

/** Finds snapshots of several times that all got the time of one option: most of their accounts appear several times, with other values. */
export class SharedTime {
  readonly #instant: Instant | undefined;
  readonly #seen = new RowSet();
  readonly #seenAgain = new RowSet();
  #contradicting = 0;

  /** @param instant the time of snapshots that contain none; undefined if the option is not set */
  constructor(instant: Instant | undefined) {
    this.#instant = instant;
  }

  /** Adds a snapshot. @param conflicts how many of its fields contradict another snapshot of the same time */
  add(account: KnownAccount, instant: Instant, conflicts: number): void {
    if (instant !== this.#instant) return;
    if (!this.#seen.add(account.row)) return;
    this.#contradicting += conflicts;
    this.#seenAgain.add(account.row);
  }

  /** @throws Failure shared-time */
  throwIfAmbiguous(): void {
    const counts = { accounts: this.#seen.size, repeated: this.#seenAgain.size, contradicting: this.#contradicting };
    if (this.#instant !== undefined) refuseSharedTime(this.#instant, counts, 'the store is unchanged');
  }
}

/** What snapshots of one time show: their accounts, those with several snapshots, and how many snapshots contradict another one. */
export interface SharedTimeCounts {
  readonly accounts: number;
  readonly repeated: number;
  readonly contradicting: number;
}

/**
 * @param kept the state of everything after the refusal, for the message
 * @throws Failure shared-time if most accounts appear several times, with other values
 */
export function refuseSharedTime(instant: Instant, { accounts, repeated, contradicting }: SharedTimeCounts, kept: string): void {
  if (contradicting === 0 || repeated * 2 <= accounts) return;
  throw new Failure('shared-time', 'snapshots of several times would all get the time of --observed-at', {
    expected: 'at most one version of each account at one time',
    found: `several versions of ${repeated} of the ${plural(accounts, 'account')} at ${timestampOf(instant)}`,
    hint: `write the time into the name of the folder or file (nights/2017-09-19/), or as observed_at into each snapshot, and leave out --observed-at; ${kept}`,
  });
}
