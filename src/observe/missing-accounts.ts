import { DAY_MICROS, dateOf, type Instant } from '../contract/instant.ts';
import { daysSinceLast } from '../contract/snapshots/snapshot-days.ts';
import type { KnownAccount } from '../store/accounts/known-account.ts';
import { accountsObservedUpTo, type NewestRun, newestRun, type ObservedAccount } from '../store/accounts/last-seen.ts';
import type { Connection } from '../store/database/connection.ts';
import { RowSet } from '../store/histories/row-set.ts';
import { storedSnapshotDays } from '../store/snapshot-days.ts';

/** How many accounts are listed. All are counted. */
const MAX_LISTED = 100;
/** If the accounts of a run were last observed at more times than this, they do not come from earlier runs with one time each. */
const MAX_TIMES = 1000;

/**
 * A missing account is new if it was last observed at most so long before the previous run, as a multiple of the time since that run.
 * An account of the run before can have an earlier or a later time than most. With less than 1, a later one would never be new.
 */
const NEW_WITHIN = 1.5;

/** The accounts that earlier runs had and this one lacks. */
export interface MissingAccounts {
  readonly count: number;
  /** How many of them are new, see {@link NEW_WITHIN}. They are listed first. */
  readonly newCount: number;
  /** The first of them, those observed last first. */
  readonly listed: readonly string[];
}

/**
 * The accounts of the previous run: those that were last observed at the same time as most accounts of this run. If more than half of
 * these were not, as with snapshots of another service, they are those of the newest run.
 */
export interface RunBefore {
  readonly accounts: number;
  /** How many of them this run has too. */
  readonly present: number;
}

export interface RunAccounts {
  readonly accounts: number;
  /** How many of them have only snapshots in this run that are older than their newest one in the store. */
  readonly onlyOlder: number;
}

/** Compares the accounts of a run with those of the run before. A run is known by the time that most of its accounts have. */
export class AccountsOfRun {
  readonly #seen = new RowSet();
  readonly #newest = new RowSet();
  readonly #lastTimes = new Map<Instant, number>();
  /** The newest run in the store before this one. */
  readonly #newestRun: NewestRun | undefined;
  /** The newest snapshot of this run. */
  #last = 0;

  constructor(database: Connection) {
    this.#newestRun = newestRun(database);
  }

  /** Adds an account as it is in the store before a snapshot is added to it. */
  add({ row, observed_to }: KnownAccount): void {
    if (this.#seen.add(row)) return;
    if (observed_to === undefined || this.#lastTimes.size > MAX_TIMES) return;
    this.#lastTimes.set(observed_to, (this.#lastTimes.get(observed_to) ?? 0) + 1);
  }

  /** Adds a snapshot, after it was added to its account. */
  addSnapshot({ row, observed_to }: KnownAccount, instant: Instant): void {
    this.#last = Math.max(this.#last, instant);
    if (observed_to === instant) this.#newest.add(row);
  }

  /** Compares the accounts with those in the store, after all snapshots are added. */
  compare(database: Connection): { readonly missing: MissingAccounts; readonly runBefore: RunBefore; readonly run: RunAccounts } {
    const accounts = this.#seen.size;
    const [time, present] = this.#timeOfRunBefore();
    // in a repeated run, the accounts already have its time
    const before = time === this.#last ? timeBefore(database, time) : time;
    const newFrom = before === undefined ? (time ?? 0) : before - Math.max(0, this.#last - before) * NEW_WITHIN;
    let listed: ObservedAccount[] = [];
    let [count, newCount, absent] = [0, 0, 0];
    for (const account of time === undefined ? [] : accountsObservedUpTo(database, time)) {
      if (this.#seen.add(account.id)) continue;
      listed.push(account);
      if (listed.length > MAX_LISTED * 2) listed = firstOf(listed);
      if (account.observed_to === time) absent += 1;
      if (account.observed_to >= newFrom) newCount += 1;
      count += 1;
    }
    const names = firstOf(listed).map(({ screen_name }) => screen_name);
    return {
      missing: { count, newCount, listed: names },
      runBefore: { accounts: accounts === 0 ? (this.#newestRun?.accounts ?? 0) : present + absent, present },
      run: { accounts, onlyOlder: accounts - this.#newest.size },
    };
  }

  /** Returns the time of the run before this one, and how many of the accounts of this run were last observed then. */
  #timeOfRunBefore(): readonly [time: Instant | undefined, present: number] {
    const newest = this.#newestRun;
    const times = [...this.#lastTimes].sort(([one, count], [other, otherCount]) => otherCount - count || other - one);
    const [first] = times;
    // in a stream, each account has a time of its own
    const isStream = times.length > MAX_TIMES || (times.length > 1 && first?.[1] === 1);
    const found = isStream ? undefined : first;
    // of older snapshots, the newest run says nothing
    if (newest === undefined || isStream || newest.time >= this.#last) return found ?? [undefined, 0];
    // a few known accounts among many new ones do not show which run was the one before
    const isEnough = found !== undefined && (found[1] >= this.#seen.size / 2 || found[1] >= newest.accounts);
    return isEnough ? found : [newest.time, this.#lastTimes.get(newest.time) ?? 0];
  }
}

/** Returns the same time of day on the last earlier day with snapshots; undefined if there is none. */
function timeBefore(database: Connection, time: Instant): Instant | undefined {
  const days = daysSinceLast(storedSnapshotDays(database), dateOf(time));
  return days && time - days * DAY_MICROS;
}

function firstOf(accounts: readonly ObservedAccount[]): ObservedAccount[] {
  const inOrder = [...accounts].sort((one, other) => other.observed_to - one.observed_to || (one.screen_name < other.screen_name ? -1 : 1));
  return inOrder.slice(0, MAX_LISTED);
}
