import { isGenerated } from '../../contract/generated-id.ts';
import type { ChangeRecord, ConflictPolicy } from '../../contract/record.ts';
import { presentHandleFinder } from '../accounts/account-search.ts';
import type { Connection } from '../database/connection.ts';
import type { EncodedRecord } from '../feed/records.ts';
import type { Conflict, Outcome } from './outcome.ts';

/** The account that has the record before another one, if the other one names another account. */
const OWNER_BEFORE = `SELECT screen_name FROM account
  WHERE id = (SELECT account FROM record WHERE id = CAST(? AS TEXT) ->> 'previous') AND screen_name <> ?`;

/** Finds new records that would divide the history of an account between two accounts, or join the histories of two. */
export class SplitHistory {
  readonly #database: Connection;
  readonly #policy: ConflictPolicy;
  readonly #isMirror: boolean;
  /** Whether the store had records, and an account another handle, before the input that is read now. */
  #hasRecords = false;
  #hasRenames = false;
  /** The handles of the input that the store has with another stable id. */
  readonly #namesakes = new Set<string>();

  constructor(database: Connection, policy: ConflictPolicy, isMirror: boolean) {
    this.#database = database;
    this.#policy = policy;
    this.#isMirror = isMirror;
    this.endInput();
  }

  /** Notes that the records with a handle are of another account than that of the store, up to the end of the input. */
  addNamesake(handle: string): void {
    this.#namesakes.add(handle);
  }

  /** Call it after each input. Of an export, the records belong to the accounts that they name, whatever it says about former handles. */
  endInput(): void {
    this.#namesakes.clear();
    this.#hasRecords ||= this.#database.value('SELECT EXISTS (SELECT 1 FROM record)') === 1;
    this.#hasRenames ||= this.#database.value('SELECT EXISTS (SELECT 1 FROM former_handle)') === 1;
  }

  /**
   * Returns what becomes of a new record of another account than the record before it: a conflict, unless it is kept out. A record with a former handle of that account is
   * probably of that account. A generated record always is: observe makes no other, and verify reports it. A record of a
   * namesake is kept out with the policy `keep`, and a conflict otherwise.
   */
  conflictOf({ account, json }: EncodedRecord, recordOf: () => ChangeRecord): Outcome | undefined {
    if (this.#namesakes.has(account)) return this.#policy === 'keep' ? 'kept' : ofNamesake(recordOf());
    if (!this.#hasRecords) return undefined;
    const owner = this.#database.value<string>(OWNER_BEFORE, json, account);
    if (owner === undefined) return undefined;
    const record = recordOf();
    const isRenamed = this.#hasRenames && presentHandleFinder(this.#database, 'record')(record.previous, account) !== undefined;
    if (!(isRenamed && this.#policy !== 'keep') && !(isGenerated(record) && this.#policy !== 'replace')) return undefined;
    return {
      subject: `record ${record.id}`,
      stored: isRenamed
        ? `a new record of @${owner}, which was @${account} until it was renamed`
        : `a new record of @${owner}, because the record before it is of that account`,
      found: `record ${record.id} with the account ${account}`,
      isNew: true,
      hint: this.#hint(record, owner, isRenamed),
    };
  }

  #hint(record: ChangeRecord, owner: string, isRenamed: boolean): string {
    const { id, account } = record;
    if (!isRenamed) return `if @${owner} and @${account} are one account, add all its records with --on-conflict replace`;
    const keep = `; or use --on-conflict keep, which adds such records to another account, @${account}`;
    if (this.#isMirror) return `mirror into a new store${isGenerated(record) ? '' : keep}`;
    return `if record ${id} is of that account, replace ${account} by ${owner} in the new records and in the account; or import into a new store`;
  }
}

function ofNamesake({ id, account }: ChangeRecord): Conflict {
  return {
    subject: `record ${id}`,
    stored: `a record of the account @${account} that the store has`,
    found: `a record of another @${account}, with another stable id`,
    isNew: true,
    hint: 'import it into another store, or leave its records out with --on-conflict keep; if both are one account, use --on-conflict replace',
  };
}
