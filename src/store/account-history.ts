import { createHash } from 'node:crypto';
import { accountJson, type DescribedAccount, type Gathered } from './account-json.ts';
import { accountChecksum } from './account-parts.ts';

/** What is derived from an account and its records. */
export interface AccountHistory {
  /** The JSON of the account before its `data_page_count`, and after it. */
  readonly head: Buffer;
  readonly tail: string;
  /** The SHA-256 of both. */
  readonly digest: Buffer;
  readonly checksum: number;
}

/** @throws Failure bad-store */
export function historyOf(path: string, account: DescribedAccount, gathered: Gathered): AccountHistory {
  const { head, tail } = accountJson(path, account, gathered);
  const digest = createHash('sha256').update(head).update(tail).digest();
  return { head, tail, digest, checksum: accountChecksum(head, tail, gathered.records) };
}
