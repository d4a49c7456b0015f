import type { GoneItem } from '../contract/files/gone-item.ts';
import type { Connection } from './database/connection.ts';

const isStored = (record: string, account: string) =>
  `(EXISTS (SELECT 1 FROM record WHERE id = ${record}) OR EXISTS (SELECT 1 FROM account WHERE screen_name = ${account}))`;
const RECORD = "iif(collection = 'data', key, NULL)";
const ACCOUNT = "iif(collection = 'account', key, NULL)";
const SELECT = `SELECT gone_at, base_url, ${RECORD} AS record, ${ACCOUNT} AS account FROM mirror_gone JOIN mirror ON mirror.id = mirror
  WHERE ${isStored(RECORD, ACCOUNT)} ORDER BY base_url, collection, key`;
const INSERT = `INSERT INTO mirror_gone (mirror, collection, key, gone_at)
  SELECT service.id, :collection, :key, :gone_at FROM mirror AS service WHERE base_url = :base_url AND ${isStored(':record', ':account')}
    AND NOT EXISTS (SELECT 1 FROM mirror_item WHERE mirror = service.id AND collection = :collection AND key = :key)
  ON CONFLICT DO UPDATE SET gone_at = excluded.gone_at WHERE excluded.gone_at < gone_at`;

/** Returns the items of the store that services no longer have, sorted by service, collection and key. */
export function goneItems(database: Connection): readonly GoneItem[] {
  return database.prepare<[], GoneItem>(SELECT).all();
}

/**
 * Adds what another store knows of items that this store has, in the caller's batch. An item that this store read at the service
 * itself is left out: the next run of mirror looks for it. Of two times, the earlier one stays.
 * @returns the number of items that the store did not know as gone, or only from a later time on
 */
export function addGoneItems(database: Connection, items: readonly GoneItem[]): number {
  let changes = 0;
  for (const { gone_at, base_url, record, account } of items) {
    database.run('INSERT INTO mirror (base_url, data_excess, account_excess) VALUES (?, 0, 0) ON CONFLICT DO NOTHING', base_url);
    const id = record === null ? null : BigInt(record);
    const [collection, key] = id === null ? ['account', account] : ['data', id];
    changes += database.run(INSERT, { gone_at, base_url, record: id, account, collection, key }).changes;
  }
  return changes;
}
