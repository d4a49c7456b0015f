import type { Instant } from '../contract/instant.ts';
import type { Profile } from '../contract/observation.ts';
import type { DataType } from '../contract/record.ts';
import { diffHtml, type Network } from '../diff/diff-html.ts';
import { type AccountHistory, emptyVersions, type Version, weightOf } from '../store/known-account.ts';
import { type Change, changesOf } from './changes.ts';

/** A change of a field with its markup. It has no id and no account name yet. */
export interface FoldedChange {
  readonly type: DataType;
  /** The value before; undefined if this is the first value of the field. */
  readonly before: string | null | undefined;
  readonly text: string | null;
  readonly diff_html: string;
}

/** A profile of an account at an instant. */
export interface AccountSnapshot {
  readonly instant: Instant;
  readonly profile: Profile;
}

/**
 * Returns the changes of each snapshot of one account. The same snapshots give the same changes, on any thread or machine.
 * @param before the history of the account before the snapshots; undefined if it is new
 * @param snapshots in order of time; snapshots of one time in the order of the input
 */
export function* foldAccount(
  before: AccountHistory | undefined,
  snapshots: Iterable<AccountSnapshot>,
  network: Network,
): Generator<readonly FoldedChange[]> {
  const fold = new AccountFold(before);
  for (const snapshot of snapshots) yield fold.add(snapshot, network);
}

/** The state of {@link foldAccount} between two snapshots. It keeps the values that its next snapshots need. */
export class AccountFold {
  readonly #history: AccountHistory;

  constructor(before?: AccountHistory) {
    this.#history = before ?? { observed_to: undefined, versions: emptyVersions() };
  }

  /** The estimated size of its values in memory, in UTF-16 units. */
  get weight(): number {
    return weightOf(this.#history);
  }

  /** Adds the next snapshot and returns its changes. A late snapshot has none: the merge reports it. */
  add(snapshot: AccountSnapshot, network: Network): readonly FoldedChange[] {
    return this.addWithoutMarkup(snapshot).map(({ type, before, text }) => {
      return { type, before: before?.text, text, diff_html: diffHtml(type, before?.text, text, network) };
    });
  }

  /** Adds the next snapshot. Returns its changes without markup: rendering the markup takes most of the time. */
  addWithoutMarkup({ instant, profile }: AccountSnapshot): readonly Change[] {
    const changes = changesOf(this.#history, profile, instant);
    if ('late' in changes) return [];
    this.observe(instant);
    for (const { type, text } of changes) addVersion(this.#history.versions[type], { id: 0, text, since: instant });
    return changes;
  }

  /** Adds a snapshot with the same profile as the one before it. */
  observe(instant: Instant): void {
    if (instant > (this.#history.observed_to ?? -1)) this.#history.observed_to = instant;
  }
}

/** Adds a value, and drops the values that ended before it began. */
function addVersion(versions: Version[], version: Version): void {
  versions.push(version);
  while ((versions[1]?.since ?? version.since) < version.since) versions.shift();
}
