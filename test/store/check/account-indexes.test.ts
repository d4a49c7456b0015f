import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rankOf } from '../../../src/browse/search/search-index.ts';
import { importInputs } from '../../../src/import/import.ts';
import { digestOfNames } from '../../../src/store/check/account-indexes.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { bioRecord, emptyAccount } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sourceOf } from '../../support/snapshots.ts';

const SET_CHECKSUMS =
  "UPDATE account SET listed_checksum = crc32(screen_name || ' ' || listed_records || ' ' || listed_changes || ' ' || listed_name)";

/** Returns a function that changes the accounts of a store, and returns the digest of their names then. The store stays as it is. */
async function digests(...handles: readonly string[]): Promise<(sql: string) => string> {
  const path = join(temporaryFolder(), 'a.db');
  await importInputs(path, [sourceOf([...handles.map((handle) => emptyAccount(handle)), bioRecord(1)])], { onConflict: 'fail' });
  return (sql) => {
    const database = new Connection(path);
    database.exec(`PRAGMA ignore_check_constraints = ON; BEGIN; ${sql}`);
    try {
      return digestOfNames(database, 1);
    } finally {
      database.close();
    }
  };
}

it.each([
  ['another display name', `UPDATE account SET listed_name = 'N'; ${SET_CHECKSUMS}`],
  [
    'a part of the handle in the display name',
    `UPDATE account SET listed_name = 'l' || listed_name, screen_name = 'stil' WHERE screen_name = 'still'; ${SET_CHECKSUMS}`,
  ],
  ['a former handle', "INSERT INTO former_handle VALUES ('nan', 0, 1)"],
])('the digest of the names is different with %s', async (_, sql) => {
  const digestAfter = await digests('still', 'quiet');
  expect(digestAfter(sql)).not.toBe(digestAfter(''));
});

it('the digest of the names is different with another rank, and only then', async () => {
  const digestAfter = await digests('still');
  const found = new Map<number, Set<string>>();
  for (const records of [
    0,
    1,
    2,
    3,
    4,
    5,
    14,
    15,
    16,
    17,
    63,
    64,
    65,
    255,
    256,
    1023,
    1024,
    65_535,
    65_536,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 31,
  ]) {
    const digest = digestAfter(`UPDATE account SET listed_records = ${records}, listed_changes = ${records % 3}; ${SET_CHECKSUMS}`);
    found.set(rankOf(records), (found.get(rankOf(records)) ?? new Set()).add(digest));
  }
  expect([...found.values()].map(({ size }) => size)).toEqual(Array.from(found, () => 1));
  expect(new Set([...found.values()].flatMap((each) => [...each])).size).toBe(found.size);
});

it('the digest of the names has each of many accounts', async () => {
  const digestAfter = await digests(...Array.from({ length: 2500 }, (_, index) => `still_${index}`));
  const changed = [0, 1, 998, 999, 1000, 1001, 1999, 2000, 2001, 2499, 2500].map((after) =>
    digestAfter(
      `UPDATE account SET listed_name = 'N' WHERE id = (SELECT id FROM account ORDER BY place, screen_name LIMIT 1 OFFSET ${after}); ${SET_CHECKSUMS}`,
    ),
  );
  expect(new Set([...changed, digestAfter('')]).size).toBe(12);
});

it('names that do not match their checksums are refused', async () => {
  const digestAfter = await digests('still');
  expect(() => digestAfter("UPDATE account SET listed_name = 'N'")).toThrow(expect.objectContaining({ code: 'bad-store' }));
});
