import { createHash } from 'node:crypto';
import { accountChecksum } from './account-checksum.ts';
import { type AccountRecords, accountJson, type DescribedAccount } from './account-json.ts';

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
