import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/damaged.ts';
import { wrapErrors } from '../database/store-error.ts';
import { RecordsByAccount } from './records-by-account.ts';
import { type GatheredPart, staleParts } from './stale-parts.ts';

/**
 * Gathers the parts if all accounts are stale: reads the whole feed once, and yields undefined meanwhile.
 * @throws Failure bad-store, file-system
 */
export function* allParts(database: Connection): Generator<GatheredPart | undefined> {
  const records = new RecordsByAccount(database);
  try {
    for (const _ of records.read()) yield undefined;
    for (const window of records.windows) {
      const grouped = wrapErrors(database.path, () => window.read());
      for (const stale of staleParts(database, window.first, window.end)) {
        const found = grouped.get(stale.row) ?? [];
        if (found.length !== stale.records)
          throw damaged(database.path, `the index record_account and the records of ${stale.screen_name} differ`);
        yield { stale, json: Buffer.concat(found).subarray(0, -1) };
      }
    }
  } finally {
    records.close();
  }
}
