import { createHash, type Hash } from 'node:crypto';
import type { Connection } from './connection.ts';
import { damaged } from './damaged.ts';

/** The number of rows that one query reads. */
const BATCH_SIZE = 1000;

/**
 * Returns the SHA-256 over the digests of all accounts in their order, followed by all former handles, as hexadecimal
 * digits. The order of former handles does not depend on the order of imports.
 */
export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  addDigests(database, hash);
  addFormerHandles(database, hash);
  return hash.digest('hex');
}

function addDigests(database: Connection, hash: Hash): void {
  const next = database.prepare<[number, string, number], { place: number; screen_name: string; digest: Buffer | null }>(`
    SELECT place, screen_name, digest FROM account WHERE (place, screen_name) > (?, ?) ORDER BY place, screen_name LIMIT +?`);
  for (let [place, name, rows] = [-1, '', next.all(-1, '', BATCH_SIZE)]; rows.length > 0; rows = next.all(place, name, BATCH_SIZE)) {
    for (const account of rows) {
      const isOnward = account.place > place || (account.place === place && account.screen_name !== name);
      if (!isOnward || account.digest === null) throw damaged(database.path, 'accounts out of order');
      hash.update(account.digest);
      [place, name] = [account.place, account.screen_name];
    }
  }
}

interface FormerHandleRow {
  readonly handle: string;
  readonly seen_to: number;
  readonly screen_name: string;
}

const BEFORE_ALL: FormerHandleRow = { handle: '', seen_to: -1, screen_name: '' };

function addFormerHandles(database: Connection, hash: Hash): void {
  let left = Number(database.value('SELECT count(*) FROM former_handle'));
  const next = database.prepare<[FormerHandleRow & { readonly limit: number }], FormerHandleRow>(`
    SELECT handle, seen_to, screen_name FROM former_handle JOIN account ON account.id = account
    WHERE (handle, seen_to) >= (:handle, :seen_to) AND (handle, seen_to, screen_name) > (:handle, :seen_to, :screen_name)
    ORDER BY handle, seen_to, screen_name LIMIT +:limit`);
  for (let last = BEFORE_ALL; left > 0; ) {
    const rows = next.all({ ...last, limit: BATCH_SIZE });
    // a damaged index can show rows twice or hide some
    left = rows.length === 0 ? -1 : left - rows.length;
    if (left < 0) throw damaged(database.path, 'former handles out of order, or without their accounts');
    for (const { handle, seen_to, screen_name } of rows) hash.update(JSON.stringify([handle, seen_to, screen_name]));
    last = rows.at(-1) ?? last;
  }
}
