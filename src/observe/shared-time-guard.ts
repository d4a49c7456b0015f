import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { plural } from '../contract/plural.ts';
import type { KnownAccount } from '../store/accounts/known-account.ts';
import { RowSet } from '../store/histories/row-set.ts';

/** Finds snapshots of several times that all got the time of one option: most of their accounts appear several times, with other values. */
export class SharedTime {
  readonly #instant: Instant | undefined;
  readonly #seen = new RowSet();
  readonly #seenAgain = new RowSet();
  #accounts = 0;
  #repeated = 0;
  #contradicting = 0;

  /** @param instant the time of snapshots that contain none; undefined if the option is not set */
  constructor(instant: Instant | undefined) {
    this.#instant = instant;
  }

  /** Adds a snapshot. @param conflicts how many of its fields contradict another snapshot of the same time */
  add(account: KnownAccount, instant: Instant, conflicts: number): void {
    if (instant !== this.#instant) return;
    if (!this.#seen.add(account.row)) {
      this.#accounts += 1;
      return;
    }
    this.#contradicting += conflicts;
    if (!this.#seenAgain.add(account.row)) this.#repeated += 1;
  }

  /** @throws Failure shared-time */
  throwIfAmbiguous(): void {
    const counts = { accounts: this.#accounts, repeated: this.#repeated, contradicting: this.#contradicting };
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
