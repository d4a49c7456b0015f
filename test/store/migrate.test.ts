import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/schema.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, observe } from '../support/snapshots.ts';
import { makeVersion7 } from './earlier-store.ts';

const FIRST = 'CREATE TABLE one (id INTEGER PRIMARY KEY, word TEXT) STRICT';
const SECOND = 'ALTER TABLE one ADD COLUMN length INTEGER; UPDATE one SET length = length(word)';

describe('a store of another version', () => {
  it('is migrated step by step and keeps its data', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST]);
    database.exec("INSERT INTO one (word) VALUES ('four')");
    migrate(database, 'store.db', [FIRST, SECOND]);
    expect(database.prepare<[]>('SELECT * FROM one').all()).toEqual([{ id: 1, word: 'four', length: 4 }]);
    expect(database.value('PRAGMA user_version')).toBe(2);
    migrate(database, 'store.db', [FIRST, SECOND]);
    database.close();
  });

  it('stays unchanged if a migration step fails', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST]);
    expect(() => migrate(database, 'store.db', [FIRST, `${SECOND}; SELECT nonsense`])).toThrow('nonsense');
    expect(database.value('PRAGMA user_version')).toBe(1);
    expect(database.prepare<[]>('SELECT * FROM one').all()).toEqual([]);
    database.close();
  });

  it('is refused with store-newer if its version is newer than the program', () => {
    const database = new Connection(join(temporaryFolder(), 'store.db'));
    migrate(database, 'store.db', [FIRST, SECOND]);
    expect(() => migrate(database, 'store.db', [FIRST])).toThrow(expect.objectContaining({ code: 'store-newer', found: 'version 2' }));
    database.close();
  });

  it('gets a new fingerprint only if it has former handles, which the fingerprint of version 7 did not include', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const revision = () => {
      const store = Store.open(path);
      store.close();
      return store.revision;
    };
    await observe(path, [{ observed_at: '2020-01-01T00:00:00Z', screen_name: 'jack_d', id: '12', bio: 'a' }]);
    const without = revision();
    makeVersion7(path);
    expect(revision()).toEqual(without);
    await observe(path, [{ observed_at: '2020-01-02T00:00:00Z', screen_name: 'jack', id: '12', bio: 'b' }]);
    const renamed = revision();
    makeVersion7(path);
    const migrated = revision();
    expect(migrated).toMatchObject({ number: renamed.number + 1, fingerprint: renamed.fingerprint });
    expect(revision()).toEqual(migrated);
  });

  it('keeps its published data after the migration, and accepts new observations', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const record = {
      account: 'jack',
      data_type: 'Bio',
      first_encountered_date: '2019-05-05T16:29:12Z',
      diff_html: '',
      web_archive_url: null,
    };
    const identity = { screen_name: 'jack', account_creation_date: null, profile_image_url: 'https://images.example/1' };
    const summary = { display_name: 'Jack', website: null, location: '', bio: 'b' };
    const records = [
      { id: 1, ...record, previous: null, text: 'a' },
      { id: 2, ...record, previous: 1, text: 'b' },
    ];
    const database = new Connection(path);
    migrate(database, path, MIGRATIONS.slice(0, 1));
    database
      .prepare('INSERT INTO account (screen_name, identity, summary, known_to) VALUES (?, ?, ?, 2)')
      .run('jack', JSON.stringify(identity), JSON.stringify(summary));
    for (const { id, ...rest } of records) {
      database.prepare('INSERT INTO record (id, json) VALUES (?, ?)').run(id, JSON.stringify({ id, ...rest }));
    }
    database.exec("INSERT INTO revision (fingerprint, records, accounts, feed, ranking) VALUES ('', 2, 1, 1, 1)");
    database.close();
    const accounts = [{ ...identity, ...summary, data: records.toReversed() }];
    expect(contentsOf(path)).toMatchObject({ feed: records.toReversed(), accounts });
    await observe(path, [{ observed_at: '2020-01-01T00:00:00Z', screen_name: 'dorsey', id: '7', bio: 'of another' }]);
    await observe(path, [{ observed_at: '2020-01-02T00:00:00Z', screen_name: 'Jack', id: '12', bio: 'c', display_name: 'Jack' }]);
    expect(contentsOf(path)).toMatchObject({
      feed: [{ text: 'c', previous: 2, account: 'Jack' }, { text: 'Jack' }, { text: 'of another' }, { id: 2 }, { id: 1, account: 'Jack' }],
      known: [
        { screen_name: 'Jack', stable_id: '12' },
        { screen_name: 'dorsey', stable_id: '7' },
      ],
    });
  });
});
