import { type Account, encodeIdentity, encodeSummary, type Identity, type Summary } from '../../contract/account.ts';
import { handleHash } from '../../contract/accounts/exclusion.ts';
import type { ChangeRecord, ConflictPolicy } from '../../contract/record.ts';
import { type FindPresentHandle, presentHandleFinder } from '../accounts/account-search.ts';
import { HandleSpellings } from '../accounts/handle-spellings.ts';
import { storedJson } from '../database/store-error.ts';
import { removeAccount } from '../exclusions/delete-account.ts';
import { forgetNames } from '../exclusions/mirror-names.ts';
import { checkedJson, type EncodedRecord, encodedRecord, type StoredRecord } from '../feed/records.ts';
import { RowSet } from '../histories/row-set.ts';
import { forgetContents } from '../mirror-state.ts';
import type { Batch } from './batch.ts';
import type { Conflict, Outcome } from './outcome.ts';
import { SplitHistory } from './split-history.ts';

interface Profile {
  readonly id: number;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

const MARK_OWNER_STALE =
  "UPDATE account SET revision = NULL WHERE screen_name = (SELECT json ->> 'account' FROM record WHERE record.id = ?)";
const PROFILE = 'SELECT id, identity, summary, known_to FROM account WHERE screen_name = ?';
const SET_PROFILE = 'UPDATE account SET identity = ?, summary = ?, known_to = ? WHERE screen_name = ?';
/** The account that had a handle, if only one had it and nothing else is known of an account with it. */
const ONLY_FORMER_OWNER = `SELECT min(identity) FROM former_handle JOIN account ON account.id = account WHERE handle = :screen_name
  AND NOT EXISTS (SELECT 1 FROM account AS holder WHERE holder.screen_name = :screen_name AND (holder.known_to IS NOT NULL
    OR holder.observed_to IS NOT NULL OR EXISTS (SELECT 1 FROM record WHERE record.account = holder.id)))
  HAVING count(DISTINCT account) = 1`;

/** Writes records and accounts of a history service into a batch. */
export class ItemWriter {
  readonly #batch: Batch;
  readonly #policy: ConflictPolicy;
  /** Whether records go to the account that they name, also if it is a former handle of the account that has them. */
  readonly #undoesRenames: boolean;
  /** The accounts whose profile came in this batch. */
  readonly #seen = new RowSet();
  /**
   * Whether the store had the last record. Then it often has the next one too, and a lookup is faster than an insert that
   * SQLite refuses after all checks.
   */
  #wasStored = false;
  readonly #presentHandle: FindPresentHandle;
  readonly #splitHistory: SplitHistory;

  /** @param isMirror whether the policy `replace` is for what the service changed, so that it undoes no rename */
  constructor(batch: Batch, policy: ConflictPolicy, isMirror = false) {
    this.#batch = batch;
    this.#policy = policy;
    this.#undoesRenames = policy === 'replace' && !isMirror;
    this.#presentHandle = presentHandleFinder(batch.database, 'record');
    this.#splitHistory = new SplitHistory(batch.database, policy, isMirror);
  }

  /** Call it after each input. */
  endInput(): void {
    this.#splitHistory.endInput();
  }

  /** Marks a handle of the input as that of another account than the store has. Its new records are kept out or reported up to the end of the input. */
  addNamesake(handle: string): void {
    this.#splitHistory.addNamesake(handle);
  }

  /** @param json the JSON of the record as on a page */
  addRecord(record: ChangeRecord, json?: string): Outcome {
    return this.addEncoded(encodedRecord(record, json), () => record);
  }

  /** Adds a record that is encoded already. @param recordOf returns the record itself */
  addEncoded(record: EncodedRecord, recordOf: () => ChangeRecord): Outcome {
    const { id, account, json } = record;
    return this.#batch.guard(() => {
      const { database, exclusions } = this.#batch;
      if (!exclusions.isEmpty && exclusions.excludesRecord(recordOf())) return this.#excluded();
      let stored = this.#wasStored ? this.#record(id) : undefined;
      const split = stored === undefined && !this.#undoesRenames ? this.#splitHistory.conflictOf(record, recordOf) : undefined;
      if (split !== undefined && this.#record(id) === undefined) return split;
      this.#wasStored = stored !== undefined || !this.#batch.addRecord(record);
      if (!this.#wasStored) return 'added';
      stored ??= this.#record(id);
      const text = json.toString();
      if (stored?.json === text) return 'same';
      // the account was renamed after the record had been exported
      const owner = this.#undoesRenames ? undefined : this.#presentHandle(id, account);
      const renamed = owner === undefined ? record : encodedRecord({ ...recordOf(), account: owner });
      if (stored?.json === renamed.json.toString()) return 'same';
      if (this.#policy === 'replace') {
        database.run(MARK_OWNER_STALE, id);
        this.#batch.putRecord(renamed, this.#batch.ensureAccount(renamed.account));
      } else if (stored !== undefined) checkedJson(database.path, stored, account);
      return this.#outcome(`record ${id}`, stored?.json ?? '', text);
    });
  }

  #record(id: number): StoredRecord | undefined {
    return this.#batch.database.get('SELECT id, json, checksum FROM record WHERE id = ?', id);
  }

  /**
   * Whether an account without records is probably an account of the store before its rename: nothing else has the handle, and both
   * have one creation date, or none. A later record with the handle shows that it is another one.
   */
  isFormer(account: Account): boolean {
    const { screen_name, data, account_creation_date } = account;
    if (data.length > 0 || this.#undoesRenames) return false;
    const identity = this.#batch.database.value<string>(ONLY_FORMER_OWNER, { screen_name });
    return identity?.includes(`"account_creation_date":${JSON.stringify(account_creation_date)}`) ?? false;
  }

  /**
   * Adds the profile of an account. Its records are added one by one. Of two profiles, the one with the newer record is
   * the later, in whatever order they are imported. They conflict if their newest record is the same.
   * A profile is older if its newest record belongs to an account that was renamed since. See also {@link isFormer}.
   * They also conflict if the batch has both and they are two accounts with one screen name. The one with the newer record
   * gets the name then, unless the policy decides.
   * @param isOther whether the batch has another account with the screen name, if the caller knows. It is reported under every
   *   policy then. Undefined: the creation dates decide
   */
  addProfile(account: Account, isOther?: boolean): Outcome {
    return this.#batch.guard(() => {
      if (this.#batch.exclusions.hasHandle(account.screen_name)) return this.#excluded();
      const knownTo = account.data.reduce((newest, record) => Math.max(newest, record.id), 0);
      if (this.isFormer(account)) return 'kept';
      if (!this.#undoesRenames && this.#presentHandle(knownTo, account.screen_name) !== undefined) return 'kept';
      this.#batch.ensureAccount(account.screen_name);
      const [identity, summary] = [encodeIdentity(account), encodeSummary(account)];
      const { database } = this.#batch;
      const stored = database.get<Profile>(PROFILE, account.screen_name);
      const isRepeated = stored !== undefined && this.#seen.add(stored.id);
      const set = () => {
        database.run(SET_PROFILE, identity, summary, knownTo, account.screen_name);
        this.#batch.markChanged(account.screen_name);
      };
      if (stored === undefined || stored.known_to === null) {
        set();
        return 'added';
      }
      if (stored.identity === identity && stored.summary === summary) {
        if (stored.known_to < knownTo) set();
        return 'same';
      }
      const isNewer = stored.known_to < knownTo;
      if (isOther ?? wasCreatedAtAnotherTime(stored.identity, account)) {
        const policy = isOther ? 'fail' : this.#policy;
        if (policy === 'replace') {
          set();
          return 'replaced';
        }
        if (isOther || isRepeated || stored.known_to === knownTo) {
          if (policy === 'keep') return 'kept';
          if (isNewer) set();
          return this.#namesakes(stored, account, identity + summary, isNewer);
        }
      }
      if (stored.known_to > knownTo) return 'kept';
      if (isNewer || this.#policy === 'replace') {
        set();
        return 'replaced';
      }
      return this.#outcome(`account ${account.screen_name}`, stored.identity + stored.summary, identity + summary);
    });
  }

  #namesakes(stored: Profile, account: Account, found: string, isReplaced: boolean): Conflict {
    const { path } = this.#batch.database;
    const identity: Identity = storedJson(path, `the account ${account.screen_name}`, stored.identity);
    const summary: Summary = storedJson(path, `the account ${account.screen_name}`, stored.summary);
    const dates = [identity.account_creation_date, account.account_creation_date] as const;
    const [kept, leftOut] = isReplaced ? [dates[1], dates[0]] : dates;
    return {
      subject: `account ${account.screen_name}`,
      stored: stored.identity + stored.summary,
      found,
      namesake: { kept, leftOut, replaced: isReplaced ? { ...identity, ...summary } : undefined },
    };
  }

  /**
   * Deletes accounts of which a record showed later that they are excluded. Call it once, after all items.
   * @returns the numbers of deleted records and accounts
   */
  withdrawExcluded(): { readonly records: number; readonly accounts: number } {
    return this.#batch.guard(() => {
      const { exclusions } = this.#batch;
      const spellings = new HandleSpellings(this.#batch.database);
      let [records, accounts] = [0, 0];
      for (const handle of exclusions.learned) {
        const removed = spellings.holders(handle).flatMap((screenName) => removeAccount(this.#batch, spellings, screenName) ?? []);
        for (const one of removed) {
          records += one.records;
          accounts += 1;
          exclusions.addRecords(handle, one.serviceIds);
        }
        if (removed.every(({ isNew }) => isNew)) continue;
        for (const { id } of exclusions.having({ handles: [handleHash(handle)], stable_ids: [] }))
          exclusions.setRemoved(id, exclusions.timeOfRemoval(''));
      }
      if (exclusions.learned.size > 0) {
        forgetNames(this.#batch.database, exclusions);
        forgetContents(this.#batch.database);
      }
      if (accounts > 0) exclusions.markNotErased();
      return { records, accounts };
    });
  }

  /** Marks that the list of exclusions may have changed. */
  #excluded(): Outcome {
    this.#batch.markMetadataChanged();
    return 'excluded';
  }

  #outcome(subject: string, stored: string, found: string): Outcome {
    if (this.#policy === 'replace') return 'replaced';
    return this.#policy === 'keep' ? 'kept' : { subject, stored, found };
  }
}

/** Whether a stored account and another one were created at different times, so that they are two accounts. */
function wasCreatedAtAnotherTime(storedIdentity: string, { account_creation_date }: Account): boolean {
  if (account_creation_date === null || storedIdentity.includes(`"account_creation_date":"${account_creation_date}"`)) return false;
  return !storedIdentity.includes('"account_creation_date":null');
}
