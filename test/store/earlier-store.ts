import { createHash } from 'node:crypto';
import { checksumOf } from '../../src/store/checksum.ts';
import { Connection } from '../../src/store/connection.ts';

/** The version whose fingerprint did not include former handles. */
const VERSION = 7;

/** Makes a store one of version 7, as an earlier program wrote it. Returns its fingerprint. */
export function makeVersion7(path: string): { readonly fingerprint: string } {
  const database = new Connection(path);
  const digests = database.prepare<[], Buffer>('SELECT digest FROM account ORDER BY place, screen_name').pluck().all();
  const fingerprint = createHash('sha256').update(Buffer.concat(digests)).digest('hex');
  const [number, ...rest] = database
    .prepare<[], number[]>('SELECT number, records, accounts, feed, ranking, ranking_sum FROM revision ORDER BY number DESC LIMIT 1')
    .raw()
    .get() ?? [0];
  database
    .prepare<[string, number, number]>('UPDATE revision SET fingerprint = ?, checksum = ? WHERE number = ?')
    .run(fingerprint, checksumOf([number, fingerprint, ...rest].join(' ')), number ?? 0);
  const triggers = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'former_handle'");
  for (const name of triggers.pluck().all()) database.exec(`DROP TRIGGER ${name}`);
  database.exec(`DROP TABLE published_target; DROP TABLE mirror_rejected; PRAGMA user_version = ${VERSION}`);
  database.close();
  return { fingerprint };
}
