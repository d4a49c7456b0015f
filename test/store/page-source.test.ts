import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importInputs } from '../../src/import/import.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../../src/store/database/change-triggers.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { PageSource } from '../../src/store/page-source.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord, emptyAccount } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sourceOf } from '../support/snapshots.ts';

it('the source of pages reads the revision of the store that it was opened for, and no other', async () => {
  const path = join(temporaryFolder(), 'a.db');
  const add = async (id: number) => {
    await importInputs(path, [sourceOf([bioRecord(id)])], { onConflict: 'fail' });
    const store = Store.open(path);
    store.close();
    return store.revision.number;
  };
  const first = await add(1);
  const source = PageSource.at(path, first);
  const second = await add(2);
  expect(second).toBeGreaterThan(first);
  expect(PageSource.at(path, first)).toBeUndefined();
  expect(JSON.parse(`${source?.feed().take(10).json}`)).toMatchObject({ id: 1 });
  source?.close();
  const newer = PageSource.at(path, second);
  expect(JSON.parse(`[${newer?.feed().take(10).json}]`)).toMatchObject([{ id: 2 }, { id: 1 }]);
  newer?.close();
});

/** Changes a store without its triggers, as damage does. */
function damage(path: string, sql: string): void {
  const database = new Connection(path);
  database.exec(`PRAGMA ignore_check_constraints = ON; ${DROP_CHANGE_TRIGGERS}; ${sql}; ${CREATE_CHANGE_TRIGGERS}`);
  database.close();
}

it.each<[string, string, (store: Store) => unknown]>([
  ['a record with another row number', 'UPDATE record SET id = 3 WHERE id = 2', (store) => store.feed().take(10)],
  [
    'an account without records with another name',
    `UPDATE account SET screen_name = 'a' WHERE id = 1`,
    (store) => {
      const cursor = store.accounts();
      for (let run = cursor.take(10); run.revision > 0; run = cursor.take(10));
      store.checkAccounts(cursor.taken);
    },
  ],
  ['another name', "UPDATE account SET listed_name = 'a'", (store) => [...store.accountReader().searchedNames()]],
  ['another number of changes', 'UPDATE account SET listed_changes = 2', (store) => store.storedAccounts().listed('still')],
])('%s is refused, although the checksums of the JSON match', async (_, sql, read) => {
  const path = join(temporaryFolder(), 'a.db');
  await importInputs(path, [sourceOf([emptyAccount('still'), bioRecord(1), bioRecord(2)])], { onConflict: 'fail' });
  damage(path, sql);
  const store = Store.open(path);
  expect(() => read(store)).toThrow(expect.objectContaining({ code: 'bad-store' }));
  store.close();
});

it.each(['a\ud800b', 'a\0b', '🌻', ''])('the display name %j is read as it is stored', async (text) => {
  const path = join(temporaryFolder(), 'a.db');
  await importInputs(path, [sourceOf([bioRecord(1, { data_type: 'Name', text })])], { onConflict: 'fail' });
  const store = Store.open(path);
  expect(Array.from(store.accountReader().names('name'), ({ display_name }) => display_name)).toEqual([text.toWellFormed()]);
  store.close();
});
