import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importInputs } from '../../../src/import/import.ts';
import { PageSource } from '../../../src/store/feed/page-source.ts';
import { Store } from '../../../src/store/store.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sourceOf } from '../../support/snapshots.ts';

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
