import { createHash } from 'node:crypto';
import { encodeIdentity, encodeSummary } from '../contract/account.ts';
import { encodeAccountState, parseAccountState } from '../contract/account-state.ts';
import { Failure } from '../contract/failure.ts';
import { cut } from '../contract/json.ts';
import { encodeRecord, parseRecord } from '../contract/record.ts';
import { Violation } from '../contract/shape.ts';
import { accountChecksum } from './account-parts.ts';
import { AccountStates, STATE_COLUMNS, type StateRow } from './account-states.ts';
import { type Checksum, checksumOf, NOTHING, recordsChecksum } from './checksum.ts';
import type { Connection } from './connection.ts';
import { openForReading, toFailure } from './database.ts';
import { feedChecksum } from './feed-blocks.ts';
import { fingerprint, GATHER, type Gathered, historyOf } from './materialize.ts';
import { latestRevision } from './revision.ts';
import { RANKING_MODULUS, RANKING_TERM } from './schema.ts';

/** One thing of a store that is not what was written. */
export interface Finding {
  /** `record 12 of jack`, `account jack`, `history of jack`, `feed`, `order of accounts`, `revision`, `file`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  /** Whether it can be derived again from what is not damaged. */
  readonly repairable: boolean;
}

export interface CheckSummary {
  /** How many were looked at. */
  readonly records: number;
  readonly accounts: number;
  /** The first of what was found. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
}

/** How many findings are kept; all are counted. */
const KEPT = 1000;
/** How many rows are read at once. */
const RUN = 500;
const BEYOND = Number.MAX_SAFE_INTEGER + 1;

/**
 * Holds all that a store has to what was written to it: the file by SQLite's own check, every record to its
 * checksum and its rules, all that is derived to what it is derived from. Memory does not grow with the store.
 * @param onProgress called with the records and accounts done so far and those there are
 * @throws Failure no-store, bad-store where nothing can be read, store-newer, store-busy, file-system
 */
export function checkStore(path: string, onProgress: (done: number, all: number) => void = () => {}): CheckSummary {
  const database = openForReading(path);
  try {
    database.exec('BEGIN');
    return new StoreCheck(database, onProgress).run();
  } catch (error) {
    throw toFailure(path, error);
  } finally {
    database.close();
  }
}

class StoreCheck {
  readonly #database: Connection;
  readonly #onProgress: (done: number) => void;
  readonly #findings: Finding[] = [];
  #count = 0;
  #records = 0;
  #accounts = 0;
  /** The feed as it was found, newest record first. */
  #feed: Checksum = NOTHING;

  constructor(database: Connection, onProgress: (done: number, all: number) => void) {
    this.#database = database;
    const all = this.#orElse(0, () => Number(database.value('SELECT records + accounts FROM revision ORDER BY number DESC LIMIT 1')));
    this.#onProgress = (done) => onProgress(done, all);
  }

  run(): CheckSummary {
    this.#step('file', () => this.#checkFile());
    const isFileWhole = this.#count === 0;
    this.#step('records', () => this.#checkRecords());
    // without its indexes what is derived cannot be told
    if (isFileWhole) {
      this.#step('accounts', () => this.#checkAccounts());
      this.#step('revision', () => this.#checkRevision());
    }
    return { records: this.#records, accounts: this.#accounts, findings: this.#findings, findingCount: this.#count };
  }

  /** A part of the check that damage may end early. */
  #step(subject: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = toFailure(this.#database.path, error);
      if (!(failure instanceof Failure) || failure.code !== 'bad-store') throw failure;
      const repairable = subject === 'revision' || subject === 'file';
      this.#add({ subject, expected: 'what was written', found: failure.found ?? failure.message, repairable });
    }
  }

  #orElse<T>(otherwise: T, read: () => T): T {
    try {
      return read();
    } catch {
      return otherwise;
    }
  }

  #add(finding: Finding): void {
    this.#count += 1;
    if (this.#findings.length < KEPT) this.#findings.push(finding);
  }

  #checkFile(): void {
    const lines = this.#database.prepare<[], string>(`PRAGMA integrity_check(${KEPT})`).pluck().all();
    for (const line of lines) {
      if (line !== 'ok') this.#add({ subject: 'file', expected: 'a database that SQLite finds whole', found: line, repairable: true });
    }
    const orphans = this.#database.prepare<[], object>('PRAGMA foreign_key_check').all();
    if (orphans.length > 0) {
      const found = `${orphans.length} records or former handles of accounts that are not there`;
      this.#add({ subject: 'file', expected: 'an account for every record and former handle', found, repairable: false });
    }
  }

  #checkRecords(): void {
    const next = this.#database.prepare<
      [number, number],
      { readonly id: number; readonly json: string | null; readonly checksum: number | null }
    >('SELECT id, json, checksum FROM record WHERE id < ? ORDER BY id DESC LIMIT +?');
    for (let [edge, rows] = [BEYOND, next.all(BEYOND, RUN)]; rows.length > 0; rows = next.all(edge, RUN)) {
      for (const { id, json: text, checksum } of rows) {
        const json = String(text);
        if (id >= edge) {
          this.#add({ subject: 'records', expected: 'records in the order of their ids', found: `record ${id}`, repairable: false });
          return;
        }
        edge = id;
        const inputError = checksumOf(text) === checksum ? flawInRecord(id, json) : 'a text that is not what was written';
        if (inputError !== undefined) {
          const subject = `record ${id} of ${accountIn(json)}`;
          this.#add({ subject, expected: 'the record as it was written', found: `${inputError}: ${cut(json)}`, repairable: false });
        }
        this.#feed = recordsChecksum(Buffer.from(json), this.#feed);
        this.#records += 1;
      }
      this.#onProgress(this.#records);
    }
  }

  #checkAccounts(): void {
    const states = new AccountStates(this.#database);
    const gather = this.#database.prepare<[string], Gathered>(GATHER);
    const history = this.#database.prepare<[number], { readonly records: number; readonly head: Buffer; readonly tail: Buffer }>(
      'SELECT records, CAST(head AS BLOB) AS head, CAST(tail AS BLOB) AS tail FROM history WHERE first_record = ?',
    );
    const first = this.#database.prepare<[string], number | null>('SELECT min(id) FROM record WHERE account = ?').pluck();
    const next = this.#database.prepare<[number, number], AccountRow>(
      `SELECT ${STATE_COLUMNS}, first_record, digest, checksum FROM account WHERE id > ? ORDER BY id LIMIT +?`,
    );
    for (let [edge, rows] = [0, next.all(0, RUN)]; rows.length > 0; rows = next.all(edge, RUN)) {
      for (const row of rows) {
        edge = row.id;
        this.#accounts += 1;
        const subject = `account ${row.screen_name}`;
        const inputError = flawInAccount(states, row);
        if (inputError !== undefined) {
          this.#add({ subject, expected: 'the account as it was written', found: inputError, repairable: false });
          continue;
        }
        const { records = 0, newest = null, json = Buffer.alloc(0) } = gather.get(row.screen_name) ?? {};
        const { head, tail } = historyOf(this.#database.path, row, newest, json);
        const digest = createHash('sha256').update(head).update(tail).digest();
        const [isDigest, isChecksum] = [row.digest?.equals(digest) ?? false, row.checksum === accountChecksum(head, tail, records)];
        const firstRecord = first.get(row.screen_name) ?? null;
        const stored = firstRecord === null ? undefined : history.get(firstRecord);
        const isHistory =
          firstRecord === null || (stored?.records === records && stored.head.equals(head) && stored.tail.equals(Buffer.from(tail)));
        if (!isDigest && !isChecksum) {
          const found = 'another profile, or other records, than its SHA-256 and its CRC-32 are of';
          this.#add({ subject, expected: 'the account as it was written', found, repairable: false });
        } else if (!isDigest || !isChecksum || !isHistory || row.first_record !== firstRecord) {
          const found = isHistory ? 'columns that do not follow from its records' : 'a copy that differs from its records';
          this.#add({ subject: `history of ${row.screen_name}`, expected: 'what follows from its records', found, repairable: true });
        }
      }
      this.#onProgress(this.#records + this.#accounts);
    }
  }

  #checkRevision(): void {
    const revision = latestRevision(this.#database);
    if (revision === undefined) {
      this.#add({ subject: 'revision', expected: 'a revision', found: 'none', repairable: true });
      return;
    }
    const sum = Number(this.#database.value(`SELECT ifnull(sum(${RANKING_TERM}) % ${RANKING_MODULUS}, 0) FROM account`));
    const feed = feedChecksum(this.#database);
    const compared: readonly (readonly [string, string | number, string | number])[] = [
      ['records of the revision', this.#records, revision.records],
      ['accounts of the revision', this.#accounts, revision.accounts],
      ['fingerprint', fingerprint(this.#database), revision.fingerprint],
      ['order of accounts', sum, revision.ranking_sum],
      ['checksums of the feed', `${this.#feed.crc} of ${this.#feed.bytes} bytes`, `${feed.crc} of ${feed.bytes} bytes`],
    ];
    for (const [subject, expected, found] of compared) {
      if (expected !== found) this.#add({ subject, expected: String(expected), found: String(found), repairable: true });
    }
  }
}

interface AccountRow extends StateRow {
  readonly first_record: number | null;
  readonly digest: Buffer | null;
  readonly checksum: number | null;
}

function flawInRecord(id: number, json: string): string | undefined {
  try {
    const record = parseRecord(JSON.parse(json));
    return record.id === id && encodeRecord(record) === json ? undefined : 'JSON that is written otherwise';
  } catch (error) {
    return error instanceof Violation ? error.message : 'no JSON';
  }
}

function flawInAccount(states: AccountStates, row: StateRow): string | undefined {
  try {
    const state = parseAccountState(JSON.parse(encodeAccountState(states.of(row))));
    const isSame = encodeIdentity(state) === row.identity && encodeSummary(state.profile) === row.summary;
    return isSame && state.screen_name === row.screen_name ? undefined : 'JSON that is written otherwise';
  } catch (error) {
    if (error instanceof Failure) return error.found;
    return error instanceof Violation ? error.message : 'values that are none';
  }
}

/** The account that a record names, as far as its text can still be read. */
function accountIn(json: string): string {
  return /"account":"((?:[^"\\]|\\.)*)"/.exec(json)?.[1] ?? 'an account that cannot be read';
}
