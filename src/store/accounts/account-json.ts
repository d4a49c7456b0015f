import { createHash } from 'node:crypto';
import { changedSummary, encodeSummary, type Summary } from '../../contract/account.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import { accountChecksum } from '../check/checksum.ts';
import { storedJson } from '../database/damaged.ts';
import { type FieldValue, newestValues } from './newest-values.ts';

/** The data of an account from a source. */
export interface DescribedAccount {
  readonly screen_name: string;
  readonly identity: string;
  readonly summary: string;
  readonly known_to: number | null;
}

/** The records of an account. */
export interface AccountRecords {
  readonly records: number;
  readonly newest: number | null;
  /** The JSON of the records, newest first, separated by commas. */
  readonly json: Buffer;
}

export const NO_RECORDS: AccountRecords = { records: 0, newest: null, json: Buffer.alloc(0) };

/** The query for the records of the account with a screen name. */
export const SELECT_RECORDS = `
  SELECT count(*) AS records, max(id) AS newest, CAST(ifnull(group_concat(json, ','), '') AS BLOB) AS json
  FROM (SELECT id, json FROM record WHERE account = ? ORDER BY id DESC LIMIT -1)`;

/** Returns the JSON of an account with its records, before its `data_page_count` and after it. */
export function accountJson(
  path: string,
  account: DescribedAccount,
  records: AccountRecords,
): { readonly head: Buffer; readonly tail: string } {
  const summary = (records.newest ?? -1) > (account.known_to ?? -1) ? currentSummary(path, account, records) : account.summary;
  return { head: encodeHead(account.identity, records.json), tail: encodeTail(summary) };
}

/** Returns the JSON of an account from its opening brace to the end of `data`. */
function encodeHead(identity: string, records: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${identity.slice(0, -1)},"data":[`), records, Buffer.from(']')]);
}

/** Returns the JSON of an account from the comma after `data_page_count` to the closing brace. */
function encodeTail(summary: string): string {
  return `,${summary.slice(1)}`;
}

/** Returns the current summary: the profile of the source, changed by the records newer than that profile. */
function currentSummary(path: string, account: DescribedAccount, { json, records }: AccountRecords): string {
  const given: Summary = storedJson(path, `the profile of ${account.screen_name}`, account.summary);
  const after = account.known_to ?? -1;
  const later: readonly FieldValue[] =
    newestValues(json, records, after) ?? parseRecords(path, account.screen_name, json).filter((record) => record.id > after);
  return encodeSummary(changedSummary(given, later));
}

/** Parses stored records. Their rules were checked when they were imported. */
function parseRecords(path: string, screenName: string, json: Buffer): ChangeRecord[] {
  return storedJson(path, `a record of ${screenName}`, `[${json.toString()}]`);
}

/** What is derived from an account and its records. */
export interface DerivedHistory {
  /** The JSON of the account before its `data_page_count`, and after it. */
  readonly head: Buffer;
  readonly tail: string;
  /** The SHA-256 of both. */
  readonly digest: Buffer;
  readonly checksum: number;
}

/** @throws Failure bad-store */
export function historyOf(path: string, account: DescribedAccount, gathered: AccountRecords): DerivedHistory {
  const { head, tail } = accountJson(path, account, gathered);
  const digest = createHash('sha256').update(head).update(tail).digest();
  return { head, tail, digest, checksum: accountChecksum(head, tail, gathered.records) };
}
