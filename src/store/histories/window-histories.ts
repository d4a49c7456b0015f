import { type DerivedHistory, type DescribedAccount, historyOf } from '../accounts/account-json.ts';
import { damaged } from '../database/damaged.ts';
import { type Entries, GroupedRecords } from './record-window.ts';

/** An account with the number of its row, and what its index has about its records. */
export interface WindowAccount extends DescribedAccount {
  readonly row: number;
  readonly newest: number | null;
  readonly records: number;
}

/** The accounts of a window, and the entries of their records. */
export interface WindowRequest {
  readonly path: string;
  readonly accounts: readonly WindowAccount[];
  readonly entries: Entries;
}

/** The histories of the accounts of a window, in the order of the accounts. */
export interface WindowHistories {
  /** The heads of all accounts, and where each ends. */
  readonly heads: Uint8Array<ArrayBuffer>;
  readonly ends: readonly number[];
  readonly tails: readonly string[];
  /** The digests, each of {@link DIGEST_BYTES}. */
  readonly digests: Uint8Array<ArrayBuffer>;
  readonly checksums: readonly number[];
}

const DIGEST_BYTES = 32;

/**
 * Yields the history of each account of a window.
 * @throws Failure bad-store
 */
export function* historiesIn({ path, accounts, entries }: WindowRequest): Generator<DerivedHistory> {
  const grouped = new GroupedRecords(entries);
  for (const account of accounts) {
    const { row, newest, records } = account;
    if (grouped.countOf(row) !== records) throw damaged(path, `other records of ${account.screen_name} than its index has`);
    yield historyOf(path, account, { records, newest, json: grouped.jsonOf(row) });
  }
}

/** Packs histories into a few arrays, which pass between threads faster than many. */
export function packed(histories: Iterable<DerivedHistory>): WindowHistories {
  const [heads, ends, tails, digests, checksums]: [Buffer[], number[], string[], Buffer[], number[]] = [[], [], [], [], []];
  let end = 0;
  for (const { head, tail, digest, checksum } of histories) {
    heads.push(head);
    end += head.length;
    ends.push(end);
    tails.push(tail);
    digests.push(digest);
    checksums.push(checksum);
  }
  return { heads: joined(heads), ends, tails, digests: joined(digests), checksums };
}

export function* unpacked({ heads, ends, tails, digests, checksums }: WindowHistories): Generator<DerivedHistory> {
  const [allHeads, allDigests] = [Buffer.from(heads.buffer), Buffer.from(digests.buffer)];
  let start = 0;
  for (const [index, end] of ends.entries()) {
    const digest = allDigests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    yield { head: allHeads.subarray(start, end), tail: tails[index] ?? '', digest, checksum: checksums[index] ?? 0 };
    start = end;
  }
}

/** Returns the parts in one buffer that can be transferred to another thread. */
function joined(parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}
