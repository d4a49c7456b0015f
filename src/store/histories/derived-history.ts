import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { changedSummary, encodeSummary, type Summary } from '../../contract/account.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import { type FieldValue, newestValues } from '../accounts/newest-values.ts';
import { accountChecksum, type Checksum, checksumOf, joined, NOTHING } from '../check/checksum.ts';
import { storedJson } from '../database/store-error.ts';

/** The data of an account from a source. */
export interface DescribedAccount {
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
  readonly change_intervals: string | null;
}

/** Consecutive records of an account. */
export interface AccountRecords {
  readonly records: number;
  readonly newest: number | null;
  /** The JSON of the records, newest first, separated by commas. */
  readonly json: Buffer;
}

export const NO_RECORDS: AccountRecords = { records: 0, newest: null, json: Buffer.alloc(0) };

/** The query for the records of an account: its row number, and the lowest and the highest id. */
export const SELECT_RECORDS = `
  SELECT count(*) AS records, max(id) AS newest, CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
  FROM (SELECT id, json FROM record WHERE account = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT -1)`;

/** What a history needs of its older records: the records up to the end of a part. */
export interface OlderRecords {
  readonly records: number;
  /** The checksum of their JSON, newest first, each with a comma before it. */
  readonly checksum: Checksum;
  /** The SHA-256 of the last part and of the digest before it, as hexadecimal digits; empty: no records. */
  readonly digest: string;
  /** The newest value of each field. */
  readonly values: readonly FieldValue[];
  /** How many of them have no record of the same field before them. */
  readonly first_values: number;
}

export const NO_OLDER: OlderRecords = { records: 0, checksum: NOTHING, digest: '', values: [], first_values: 0 };

export function withPart(path: string, screenName: string, older: OlderRecords, part: AccountRecords): OlderRecords {
  const checksum = { crc: crc32(part.json, crc32(',')), bytes: part.json.length + 1 };
  return {
    records: older.records + part.records,
    checksum: joined(checksum, older.checksum),
    digest: createHash('sha256').update(part.json).update(asRecord(older)).digest('hex'),
    values: valuesUpTo(path, screenName, older, part),
    first_values: older.first_values + firstValuesIn(part.json),
  };
}

const FIRST_VALUE = Buffer.from('"previous":null');

/** Counts the records in JSON that have no record before them. Quotes in texts are escaped, so a text cannot match. */
export function firstValuesIn(json: Buffer): number {
  let count = 0;
  for (let at = json.indexOf(FIRST_VALUE); at !== -1; at = json.indexOf(FIRST_VALUE, at + FIRST_VALUE.length)) count += 1;
  return count;
}

const OLDEST_TIME = /.*"first_encountered_date":"([^"]*)/;
const TIME_OF_CHANGE = /"previous":\d.*?"first_encountered_date":"([^"]*)/;

/** Returns the times of the oldest record and of the newest change in JSON. Quotes in texts are escaped, so a text cannot match. */
export function timesIn(json: Buffer): { readonly first_seen: string | null; readonly last_change: string | null } {
  // times are ASCII: no text needs to be decoded
  const records = json.toString('latin1');
  return { first_seen: OLDEST_TIME.exec(records)?.[1] ?? null, last_change: TIME_OF_CHANGE.exec(records)?.[1] ?? null };
}

/** Returns the digest of older records in place of them. */
function asRecord({ digest }: OlderRecords): string {
  return digest === '' ? '' : `,"${digest}"`;
}

function valuesUpTo(path: string, screenName: string, older: OlderRecords, part: AccountRecords): readonly FieldValue[] {
  const newer: readonly FieldValue[] = newestValues(part.json, part.records) ?? parseRecords(path, screenName, part.json);
  const values = new Map<string, FieldValue>();
  for (const { id, data_type, text } of [...newer, ...older.values])
    if (!values.has(data_type)) values.set(data_type, { id, data_type, text });
  return [...values.values()];
}

/** Parses stored records. Their rules were checked when they were imported. */
function parseRecords(path: string, screenName: string, json: Buffer): ChangeRecord[] {
  return storedJson(path, `a record of ${screenName}`, `[${json.toString()}]`);
}

export interface DerivedHistory extends ListedColumns {
  /** The JSON of the account up to the last of its newest records, and after its `data_page_count`. */
  readonly head: Buffer;
  readonly tail: string;
  readonly digest: Buffer;
  readonly checksum: number;
}

export interface ListedColumns {
  /** The display name; "" if no source gave one. */
  readonly listed_name: string;
  readonly listed_records: number;
  /** The number of its records that name a previous one. The others are first values. */
  readonly listed_changes: number;
  readonly listed_checksum: number | null;
}

export function listedChecksum(
  screenName: string,
  { listed_name, listed_records, listed_changes }: Omit<ListedColumns, 'listed_checksum'>,
): number {
  return checksumOf(`${screenName} ${listed_records} ${listed_changes} ${listed_name}`);
}

/**
 * @param newest the records of the newest part
 * @throws Failure bad-store
 */
export function historyOf(path: string, account: DescribedAccount, newest: AccountRecords, older: OlderRecords): DerivedHistory {
  const head = Buffer.concat([Buffer.from(`${account.identity.slice(0, -1)},"data":[`), newest.json]);
  const { json, display_name } = currentSummary(path, account, newest, older);
  const tail = `,${json.slice(1)}`;
  const digest = createHash('sha256')
    .update(head)
    .update(`${asRecord(older)}]${tail}${account.change_intervals ?? ''}`)
    .digest();
  const records = older.records + newest.records;
  const changes = records - older.first_values - firstValuesIn(newest.json);
  // SQLite stores no lone surrogates
  const listed = { listed_name: display_name.toWellFormed(), listed_records: records, listed_changes: changes };
  const checksum = accountChecksum(head, older.checksum, tail, records);
  return { head, tail, digest, checksum, ...listed, listed_checksum: listedChecksum(account.screen_name, listed) };
}

/** Returns the current summary as JSON, and its display name: the profile of the source, changed by the records newer than that profile. */
function currentSummary(path: string, account: DescribedAccount, newest: AccountRecords, older: OlderRecords) {
  const { screen_name, summary, known_to } = account;
  const given: Summary = storedJson(path, `the profile of ${screen_name}`, summary);
  if ((newest.newest ?? -1) <= (known_to ?? -1)) return { json: summary, display_name: given.display_name };
  const later = valuesUpTo(path, screen_name, older, newest).filter(({ id }) => id > (known_to ?? -1));
  const current = changedSummary(given, later);
  return { json: encodeSummary(current), display_name: current.display_name };
}
