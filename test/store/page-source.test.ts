import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PageSource } from '../../src/store/page-source.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

function revisionIn(path: string): number {
  const store = Store.open(path);
  store.close();
  return store.revision.number;
}

describe('the source of pages', () => {
  it('reads the revision of the store that it was opened for, and no other', async () => {
    const folder = temporaryFolder();
    const [store, records] = [join(folder, 'a.db'), join(folder, 'records.ndjson')];
    const add = async (id: number) => {
      writeFileSync(records, JSON.stringify(bioRecord(id)));
      await palimpsestJson(['import', records, '--store', store]);
      return revisionIn(store);
    };
    const first = await add(1);
    const source = PageSource.at(store, first);
    const second = await add(2);
    expect(second).toBeGreaterThan(first);
    expect(PageSource.at(store, first)).toBeUndefined();
    expect(JSON.parse(`${source?.feed('first').take(10).json}`)).toMatchObject({ id: 1 });
    source?.close();
    const newer = PageSource.at(store, second);
    expect(JSON.parse(`[${newer?.feed('first').take(10).json}]`)).toMatchObject([{ id: 2 }, { id: 1 }]);
    newer?.close();
  });
});
