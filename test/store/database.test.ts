import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { migrate } from '../../src/store/database.ts';
import { temporaryFolder } from '../support/folder.ts';

const FIRST = 'CREATE TABLE one (id INTEGER PRIMARY KEY, word TEXT) STRICT';
const SECOND = 'ALTER TABLE one ADD COLUMN length INTEGER; UPDATE one SET length = length(word)';

describe('a store of an older version', () => {
  it('is brought forward, step by step, with what it holds', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST]);
    database.exec("INSERT INTO one (word) VALUES ('four')");
    migrate(database, 'store.db', [FIRST, SECOND]);
    expect(database.prepare<[]>('SELECT * FROM one').all()).toEqual([{ id: 1, word: 'four', length: 4 }]);
    expect(database.value('PRAGMA user_version')).toBe(2);
    migrate(database, 'store.db', [FIRST, SECOND]);
    database.close();
  });

  it('stays as it was when a step fails', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST]);
    expect(() => migrate(database, 'store.db', [FIRST, `${SECOND}; SELECT nonsense`])).toThrow('nonsense');
    expect(database.value('PRAGMA user_version')).toBe(1);
    expect(database.prepare<[]>('SELECT * FROM one').all()).toEqual([]);
    database.close();
  });

  it('is refused where it is newer', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST, SECOND]);
    expect(() => migrate(database, 'store.db', [FIRST])).toThrow(expect.objectContaining({ code: 'store-newer', found: 'version 2' }));
    database.close();
  });
});
