import { createHash } from 'node:crypto';
import type { Connection } from './connection.ts';
import { damaged } from './damaged.ts';

/** The number of digests that one query reads. */
const BATCH_SIZE = 1000;

/** Returns the SHA-256 over the digests of all accounts in their order, as hexadecimal digits. */
export function fingerprint(database: Connection): string {
  const hash = createHash('sha256');
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
  return hash.digest('hex');
}
