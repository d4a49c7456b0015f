import { createHash, type Hash } from 'node:crypto';
import { accountRows } from '../accounts/account-rows.ts';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';

/**
 * Returns the SHA-256 over the digests of all accounts in their order, each with its `last_seen` if it has one, followed by all
 * former handles, as hexadecimal digits. The order of former handles does not depend on the order of imports.
 */
export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
  addAccounts(database, hash);
  addFormerHandles(database, hash);
  return hash.digest('hex');
}

function addAccounts(database: Connection, hash: Hash): void {
  let [place, name] = [-1, ''];
  for (const account of accountRows(database, 'page', ['digest', 'last_seen'])) {
    const isOnward = account.place > place || (account.place === place && account.screen_name !== name);
    if (!isOnward || account.digest === null) throw damaged(database.path, 'accounts out of order');
    hash.update(account.digest);
    if (account.last_seen !== null) hash.update(String(account.last_seen));
    [place, name] = [account.place, account.screen_name];
  }
}

interface FormerHandleRow {
  readonly handle: string;
  readonly seen_to: number;
  readonly screen_name: string;
}

function addFormerHandles(database: Connection, hash: Hash): void {
  let left = Number(database.value('SELECT count(*) FROM former_handle'));
  const batches = database.batches<FormerHandleRow>(
    `SELECT handle, seen_to, screen_name FROM former_handle JOIN account ON account.id = account
      WHERE (handle, seen_to) >= (?, ?) AND (handle, seen_to, screen_name) > (?, ?, ?) ORDER BY handle, seen_to, screen_name LIMIT +?`,
    ['', -1, '', -1, ''],
    ({ handle, seen_to, screen_name }) => [handle, seen_to, handle, seen_to, screen_name],
  );
  for (const rows of batches) {
    // a damaged index can show rows twice or hide some
    left -= rows.length;
    if (left < 0) break;
    for (const { handle, seen_to, screen_name } of rows) hash.update(JSON.stringify([handle, seen_to, screen_name]));
  }
  if (left !== 0) throw damaged(database.path, 'former handles out of order, or without their accounts');
}
