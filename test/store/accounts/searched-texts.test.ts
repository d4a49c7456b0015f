import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rankOf } from '../../../src/browse/search/search-index.ts';
import { importInputs } from '../../../src/import/import.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../../../src/store/database/change-triggers.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { Store } from '../../../src/store/store.ts';
import { bioRecord, emptyAccount } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sourceOf } from '../../support/snapshots.ts';

const SET_CHECKSUMS =
  "UPDATE account SET listed_checksum = crc32(screen_name || ' ' || listed_records || ' ' || listed_changes || ' ' || listed_name)";

/** Changes derived data of a store with two accounts, and returns what the search shows. */
async function textAfter(sql: string, accounts = [emptyAccount('still'), emptyAccount('quiet')]): Promise<string> {
  const path = join(temporaryFolder(), 'a.db');
  await importInputs(path, [sourceOf([...accounts, bioRecord(1)])], { onConflict: 'fail' });
  const database = new Connection(path);
  database.exec(`PRAGMA ignore_check_constraints = ON; ${DROP_CHANGE_TRIGGERS}; ${sql}; ${CREATE_CHANGE_TRIGGERS}`);
  database.close();
  const store = Store.open(path);
  const text = [...store.storedAccounts().searchedTexts()].join('');
  store.close();
  return text;
}

it('what the search shows is the same with a new record', async () => {
  expect(await textAfter(`UPDATE account SET listed_records = 9, listed_changes = 2; ${SET_CHECKSUMS}`)).toBe(
    await textAfter(`UPDATE account SET listed_records = 8; ${SET_CHECKSUMS}`),
  );
});

it.each([
  ['another display name', `UPDATE account SET listed_name = 'N'; ${SET_CHECKSUMS}`],
  [
    'a part of the handle in the display name',
    `UPDATE account SET listed_name = 'l', screen_name = 'stil' WHERE screen_name = 'still'; ${SET_CHECKSUMS}`,
  ],
  ['a former handle', "INSERT INTO former_handle VALUES ('nan', 0, 1)"],
])('what the search shows is different with %s', async (_, sql) => {
  expect(await textAfter(sql)).not.toBe(await textAfter(''));
});

it('what the search shows has each account once', async () => {
  const names = Array.from({ length: 2500 }, (_, index) => `still_${index}`);
  const text = await textAfter(
    '',
    names.map((name) => emptyAccount(name)),
  );
  for (const name of names) expect(text.split(` ${name}${name}`)).toHaveLength(2);
});

it('what the search shows is different with another rank, and only then', async () => {
  const texts = new Map<number, Set<string>>();
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
    const text = await textAfter(`UPDATE account SET listed_records = ${records}; ${SET_CHECKSUMS}`);
    texts.set(rankOf(records), (texts.get(rankOf(records)) ?? new Set()).add(text));
  }
  expect([...texts.values()].map(({ size }) => size)).toEqual(Array.from(texts, () => 1));
  expect(new Set([...texts.values()].flatMap((each) => [...each])).size).toBe(texts.size);
});

it('names that do not match their checksums are refused', async () => {
  await expect(textAfter("UPDATE account SET listed_name = 'N'")).rejects.toMatchObject({ code: 'bad-store' });
});
