import type { Connection } from '../database/connection.ts';
import { excludedKey, forgetContents } from '../mirror-state.ts';
import type { Exclusions } from './exclusions.ts';

interface NamedItem {
  readonly table: 'mirror_item' | 'mirror_gone';
  readonly mirror: number;
  readonly key: string;
  readonly handle: string;
}

/** Yields the accounts that a store knows from services, also those that it does not have. */
export function* mirrorNames(database: Connection): Generator<NamedItem> {
  const mirrors = database.values<number>('SELECT id FROM mirror');
  for (const table of ['mirror_item', 'mirror_gone'] as const) {
    const query = `SELECT key FROM ${table} WHERE mirror = ? AND collection = 'account' AND key > ? ORDER BY key LIMIT +?`;
    for (const mirror of mirrors) {
      const rows = database.rows<{ readonly key: string }>(query, [mirror, ''], ({ key }) => [mirror, key]);
      // a second account of the same name has more in its key, after a line feed
      for (const { key } of rows) yield { table, mirror, key, handle: key.replace(/\n.*/s, '') };
    }
  }
}

/**
 * Replaces the names of removed accounts by hashes in everything that the store knows of services, in the caller's batch.
 * @param isRemoved whether a handle that is not excluded is one of a removed account, too
 */
export function forgetNames(database: Connection, exclusions: Exclusions, isRemoved: (handle: string) => boolean = () => false): void {
  let hasFreed = false;
  for (const { table, mirror, key, handle } of mirrorNames(database)) {
    if (!exclusions.hasHandle(handle) && !isRemoved(handle)) continue;
    const update = `UPDATE OR REPLACE ${table} SET key = :excluded WHERE mirror = :mirror AND collection = 'account' AND key = :key`;
    database.run(update, { excluded: excludedKey(handle), mirror, key });
    hasFreed = true;
  }
  if (!hasFreed) return;
  // the contents of pages have the names, too
  forgetContents(database);
  exclusions.markNotErased();
}
