import { isDeepStrictEqual } from 'node:util';
import { encodeIdentity, encodeSummary, identityOf, NO_SUMMARY } from '../../contract/account.ts';
import { type AccountState, encodeAccountState, isSameState, sortedHandles } from '../../contract/accounts/account-state.ts';
import { mergedIntervals } from '../../contract/accounts/change-interval.ts';
import type { Instant } from '../../contract/instant.ts';
import { type ConflictPolicy, DATA_TYPES } from '../../contract/record.ts';
import type { Statement } from '../database/connection.ts';
import type { Batch } from '../writing/batch.ts';
import type { Outcome } from '../writing/outcome.ts';
import { AccountReader } from './account-reader.ts';
import { ADD_FORMER_HANDLE, STATE_COLUMNS, type StateRow, selectAccounts } from './account-rows.ts';
import { type FindPresentHandle, presentHandleFinder } from './account-search.ts';
import { IntervalWriter } from './change-intervals.ts';
import { bitOf } from './known-account.ts';

/** Writes the account states of an export into a batch. */
export class AccountStateWriter {
  readonly #batch: Batch;
  readonly #policy: ConflictPolicy;
  readonly #reader: AccountReader;
  readonly #byName: Statement<[string], StateRow>;
  readonly #nameOf: Statement<[string], string>;
  readonly #set: Statement<[string, string, number | null, string | null, number | null, number, number | null, number]>;
  readonly #intervals: IntervalWriter;
  readonly #addFormerHandle: Statement<[string, Instant, number]>;
  readonly #presentHandle: FindPresentHandle;
  readonly #presentHandleOfId: FindPresentHandle;

  constructor(batch: Batch, policy: ConflictPolicy) {
    const { database } = batch;
    this.#batch = batch;
    this.#policy = policy;
    this.#reader = new AccountReader(database);
    this.#byName = database.prepare(`${selectAccounts(STATE_COLUMNS)} WHERE screen_name = ?`);
    this.#nameOf = database.prepareValue('SELECT screen_name FROM account WHERE stable_id = ?');
    this.#set = database.prepare(
      `UPDATE account SET identity = ?, summary = ?, known_to = ?, stable_id = ?, observed_to = CAST(? AS INTEGER),
        observed_fields = CAST(? AS INTEGER), observed_checksum = CAST(? AS INTEGER) WHERE id = ?`,
    );
    this.#intervals = new IntervalWriter(database);
    this.#addFormerHandle = database.prepare(ADD_FORMER_HANDLE);
    this.#presentHandle = presentHandleFinder(database, 'record');
    this.#presentHandleOfId = presentHandleFinder(database, 'stable id');
  }

  /**
   * Adds the state of an account. Of two states of an account, the later one counts. A state is later if neither its profile record nor
   * its last observation is older. Former handles are merged. The states conflict if neither is later, or if their stable ids differ.
   * An earlier state under a former handle of the account is kept out.
   */
  add(state: AccountState): Outcome {
    return this.#batch.guard(() => {
      const former = state.former_handles.map(({ handle }) => handle);
      if (this.#batch.exclusions.excludesProfile({ id: state.stable_id ?? undefined, screen_name: state.screen_name }, former)) {
        this.#batch.markMetadataChanged();
        return 'excluded';
      }
      if (this.#isFromBeforeRename(state)) return 'kept';
      const subject = `account ${state.screen_name}`;
      const holder = state.stable_id === null ? undefined : this.#nameOf.get(state.stable_id);
      if (holder !== undefined && holder !== state.screen_name) {
        if (this.#policy === 'keep') return 'kept';
        const hint =
          'the account was renamed in the store or in the export: keep the account of the store with --on-conflict keep, or import into a new store';
        return { subject, stored: `stable id ${state.stable_id} belongs to ${holder}`, found: encodeAccountState(state), hint };
      }
      const row = this.#byName.get(state.screen_name);
      const stored = row === undefined ? undefined : this.#reader.state(row);
      if (row === undefined || stored === undefined) {
        this.#batch.ensureAccount(state.screen_name);
        const added = this.#byName.get(state.screen_name);
        if (added !== undefined) this.#write(added, this.#reader.state(added), state);
        return 'added';
      }
      if (isSameState(stored, state)) return 'same';
      if (isUnknown(stored)) {
        this.#write(row, stored, state);
        return 'added';
      }
      const later = laterOf(stored, state);
      if (later === undefined) {
        if (this.#policy === 'keep') return 'kept';
        if (this.#policy === 'fail') return { subject, stored: encodeAccountState(stored), found: encodeAccountState(state) };
      }
      const isPublished = this.#write(row, stored, merged(stored, state, later ?? state));
      return later === stored && !isPublished ? 'kept' : 'replaced';
    });
  }

  /** Whether the account of the store with the handle has another stable id. */
  isNamesake({ screen_name, stable_id }: AccountState): boolean {
    const stored = this.#byName.get(screen_name)?.stable_id ?? null;
    return stored !== null && stable_id !== null && stored !== stable_id;
  }

  /** Whether the account that has the stable id or the newest record of a state was renamed after it. */
  #isFromBeforeRename(state: AccountState): boolean {
    const owner =
      this.#presentHandleOfId(state.stable_id, state.screen_name) ?? this.#presentHandle(state.profile_record, state.screen_name);
    const row = owner === undefined || this.#policy === 'replace' ? undefined : this.#byName.get(owner);
    if (row === undefined) return false;
    const stored = this.#reader.state(row);
    return isNoOlder(stored, state) && (state.stable_id ?? stored.stable_id) === stored.stable_id;
  }

  /** Returns whether pages can change. */
  #write(row: StateRow, stored: AccountState, state: AccountState): boolean {
    const [identity, summary] = [encodeIdentity(state), encodeSummary(state.profile)];
    const fields = state.observed_fields.reduce((bits, type) => bits | bitOf(type), 0);
    const checksum = state.observed_checksum === undefined ? null : -1 - state.observed_checksum;
    this.#set.run(identity, summary, state.profile_record, state.stable_id, state.observed_to, fields, checksum, row.id);
    const hasOtherIntervals = !isDeepStrictEqual(state.change_intervals, stored.change_intervals);
    if (hasOtherIntervals) this.#intervals.set(row.id, state.change_intervals ?? []);
    let handlesAdded = 0;
    for (const { handle, seen_to } of state.former_handles) handlesAdded += this.#addFormerHandle.run(handle, seen_to, row.id).changes;
    const hasOtherProfile = identity !== row.identity || summary !== row.summary || state.profile_record !== stored.profile_record;
    // the pages say of each former handle whether the account has an id
    const isIdentified = state.stable_id !== stored.stable_id && state.former_handles.length > 0;
    if (handlesAdded > 0 || isIdentified) this.#batch.markRenamed(state.screen_name);
    else if (hasOtherProfile || hasOtherIntervals) this.#batch.markChanged(state.screen_name);
    else this.#batch.markMetadataChanged();
    if (state.observed_to !== stored.observed_to) this.#batch.markObservedChanged();
    return handlesAdded > 0 || isIdentified || hasOtherProfile || hasOtherIntervals;
  }
}

/** Whether only the name of an account is known. */
function isUnknown(state: AccountState): boolean {
  const { screen_name } = state;
  const nothing = {
    stable_id: null,
    observed_to: null,
    observed_fields: [],
    former_handles: [],
    profile: NO_SUMMARY,
    profile_record: null,
  };
  return isSameState(state, { ...identityOf(screen_name), ...nothing });
}

/** Returns the state that counts, of two states of an account. Returns undefined if they conflict. */
function laterOf(stored: AccountState, state: AccountState): AccountState | undefined {
  if (stored.stable_id !== null && state.stable_id !== null && stored.stable_id !== state.stable_id) return undefined;
  if (isNoOlder(stored, state)) {
    if (!isNoOlder(state, stored)) return stored;
    const isSameProfile =
      encodeIdentity(stored) === encodeIdentity(state) && encodeSummary(stored.profile) === encodeSummary(state.profile);
    return isSameProfile ? stored : undefined;
  }
  return isNoOlder(state, stored) ? state : undefined;
}

function isNoOlder(one: AccountState, other: AccountState): boolean {
  return (one.profile_record ?? -1) >= (other.profile_record ?? -1) && (one.observed_to ?? -1) >= (other.observed_to ?? -1);
}

function merged(stored: AccountState, state: AccountState, later: AccountState): AccountState {
  const observed = Math.max(stored.observed_to ?? -1, state.observed_to ?? -1);
  const latest = [stored, state].filter(({ observed_to }) => (observed_to ?? -1) === observed);
  return {
    ...later,
    stable_id: later.stable_id ?? stored.stable_id ?? state.stable_id,
    observed_to: observed === -1 ? null : observed,
    observed_fields: DATA_TYPES.filter((type) => latest.some(({ observed_fields }) => observed_fields.includes(type))),
    observed_checksum: latest.every((one) => one.observed_checksum === latest[0]?.observed_checksum)
      ? latest[0]?.observed_checksum
      : undefined,
    change_intervals: mergedIntervals(stored.change_intervals, state.change_intervals),
    former_handles: sortedHandles([...stored.former_handles, ...state.former_handles]),
  };
}
