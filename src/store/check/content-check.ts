import { encodeIdentity, encodeSummary } from '../../contract/account.ts';
import { encodeAccountState, parseAccountState } from '../../contract/accounts/account-state.ts';
import type { Pauses } from '../../contract/event-loop-pauses.ts';
import { Failure } from '../../contract/failure.ts';
import { Violation } from '../../contract/json-shape.ts';
import { encodeRecord, parseRecord } from '../../contract/record.ts';
import type { AccountReader } from '../accounts/account-reader.ts';
import { type AccountRow, LISTED_COLUMNS, type StateRow } from '../accounts/account-rows.ts';
import type { Connection } from '../database/connection.ts';
import { PART_RECORDS } from '../database/schema.ts';
import { type AccountRecords, historyOf, NO_OLDER, NO_RECORDS, SELECT_RECORDS, withPart } from '../histories/derived-history.ts';
import { HistoryParts } from '../histories/history-parts.ts';

/** Returns why an import would not accept a stored record; undefined if it would. */
export function corruptionInRecord(id: number, json: string): string | undefined {
  try {
    const record = parseRecord(JSON.parse(json));
    return record.id === id && encodeRecord(record) === json ? undefined : 'JSON with other content or in another form';
  } catch (error) {
    return error instanceof Violation ? error.message : 'text that is not JSON';
  }
}

/** Returns why an import would not write these columns of a stored account; undefined if it would. */
export function corruptionInAccount(accounts: AccountReader, row: StateRow): string | undefined {
  try {
    const state = parseAccountState(JSON.parse(encodeAccountState(accounts.state(row))));
    const isSame = encodeIdentity(state) === row.identity && encodeSummary(state.profile) === row.summary;
    return isSame && state.screen_name === row.screen_name ? undefined : 'JSON with other content or in another form';
  } catch (error) {
    if (error instanceof Failure) return error.found;
    return error instanceof Violation ? error.message : 'values that cannot be parsed';
  }
}

/** Returns the account that a record names, if its text is still readable. */
export function accountIn(json: string): string {
  return /"account":"((?:[^"\\]|\\.)*)"/.exec(json)?.[1] ?? 'an unreadable account';
}

/** Compares the derived data of an account with its records. Memory holds one part of the records. */
export class HistoryCheck {
  readonly #database: Connection;
  readonly #path: string;
  readonly #parts: HistoryParts;

  constructor(database: Connection) {
    this.#database = database;
    this.#path = database.path;
    this.#parts = new HistoryParts(database);
  }

  /** Whether a part belongs to no account. */
  get hasOrphans(): boolean {
    const ofAccounts = 'SELECT first_record FROM account WHERE first_record IS NOT NULL';
    return this.#database.value(`SELECT EXISTS (SELECT 1 FROM history_part WHERE first_record NOT IN (${ofAccounts}))`) === 1;
  }

  /** @throws Failure bad-store, stopped */
  async run(account: Omit<AccountRow, 'revision' | 'profile' | 'last_seen'>, pauses: Pauses) {
    const { id, screen_name } = account;
    const idAfter = (from: number, skip: number) =>
      this.#database.value<number>('SELECT id FROM record WHERE account = ? AND id >= ? ORDER BY id LIMIT 1 OFFSET +?', id, from, skip);
    const gather = (from: number, to: number) => this.#database.get<AccountRecords>(SELECT_RECORDS, id, from, to) ?? NO_RECORDS;
    const first = idAfter(0, 0) ?? null;
    let [older, from, number, matchesParts] = [NO_OLDER, first ?? 0, 0, true];
    for (let next = idAfter(from, PART_RECORDS); next !== undefined; number += 1) {
      const part = gather(from, next - 1);
      older = withPart(this.#path, screen_name, older, part);
      matchesParts &&= this.#parts.has([first ?? 0, number, part.newest ?? 0], part.json, older);
      from = next;
      next = idAfter(from, PART_RECORDS);
      if (pauses.areDue) await pauses.take();
    }
    const newest = gather(from, Number.MAX_SAFE_INTEGER);
    const { head, tail, digest, checksum, ...listed } = historyOf(this.#path, account, newest, older);
    const history = 'SELECT records, CAST(head AS BLOB) AS head, tail FROM history WHERE first_record = ?';
    const stored = this.#database.get<{ readonly records: number; readonly head: Buffer; readonly tail: string }>(history, first);
    const isStored = stored?.records === older.records + newest.records && stored.head.equals(head) && stored.tail === tail && matchesParts;
    return {
      matchesDigest: account.digest?.equals(digest) ?? false,
      matchesChecksum: account.checksum === checksum,
      matchesHistory: first === null || (isStored && this.#parts.before(first).records === older.records),
      matchesColumns: account.first_record === first && LISTED_COLUMNS.every((column) => account[column] === listed[column]),
    };
  }
}
