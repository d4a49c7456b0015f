import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Connection } from '../../../src/store/database/connection.ts';
import { SCHEMA_VERSION } from '../../../src/store/database/schema.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../../support/palimpsest.ts';

it.each([
  [SCHEMA_VERSION - 1, 'store-older', /export ndjson --to FILE; .* import FILE .* docs\/backup\.md$/],
  [SCHEMA_VERSION + 1, 'store-newer', /update palimpsest/],
])('refuses a store with schema %i as %s, and leaves it unchanged', async (version, code, hint) => {
  const cwd = temporaryFolder();
  const store = join(cwd, 'store.db');
  await palimpsestJson(['observe', '-', '--store', store], {
    input: '{"observed_at":"2020-01-01T00:00:00Z","screen_name":"ann","bio":"a"}',
  });
  const database = new Connection(store);
  database.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  const before = readFileSync(store);
  for (const args of [['build'], ['import', store], ['observe', '-', '--dry-run'], ['store', 'check'], ['export', 'ndjson', '--to', '-']]) {
    const { code: exitCode, stdout } = await palimpsestHere([...args, '--store', store, '--json'], { cwd });
    expect([exitCode, JSON.parse(stdout)], args.join(' ')).toMatchObject([1, { error: { code, file: store, found: `schema ${version}` } }]);
    expect(JSON.parse(stdout).error.hint).toMatch(hint);
  }
  expect(readFileSync(store).equals(before)).toBe(true);
});
