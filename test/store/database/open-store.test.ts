import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/database/open-store.ts';
import { Store } from '../../../src/store/store.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { ItemWriter } from '../../../src/store/writing/item-writer.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { bioOf } from '../accounts.ts';

const MIB = 1 << 20;
/** The page cache, and some room. */
const MAX_IN_MEMORY = 72 * MIB;
const ROW_BYTES = 16_000;
const ROWS = 6000;

describe('openStore', () => {
  it.each(['a new', 'an existing'])('bounds the page cache of %s store in a transaction of 92 MiB', (kind) => {
    const path = join(temporaryFolder(), 'store.db');
    const existing = kind === 'an existing' ? openStore(path, 'write') : undefined;
    const database = openStore(path, 'write');
    try {
      database.exec('BEGIN IMMEDIATE; CREATE TABLE filler (bytes BLOB)');
      const insert = database.prepare<[Buffer]>('INSERT INTO filler VALUES (?)');
      const bytes = Buffer.alloc(ROW_BYTES);
      for (let row = 0; row < ROWS; row += 1) insert.run(bytes);
      // what is not in memory is in the write-ahead log
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(ROWS * ROW_BYTES - MAX_IN_MEMORY);
    } finally {
      database.close();
      existing?.close();
    }
  });

  it('removes a store that it created, with its folders, if nothing was committed', () => {
    const folder = temporaryFolder();
    openStore(join(folder, 'data/deep/store.db'), 'write').close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps an empty store that existed before', () => {
    const path = join(temporaryFolder(), 'store.db');
    writeFileSync(path, '');
    openStore(path, 'write').close();
    expect(existsSync(path)).toBe(true);
    expect(() => Store.open(path)).toThrow(expect.objectContaining({ code: 'no-store' }));
  });

  it('keeps a folder in which another file was created', () => {
    const path = join(temporaryFolder(), 'data/store.db');
    const database = openStore(path, 'write');
    writeFileSync(join(dirname(path), 'rejects.ndjson'), '');
    database.close();
    expect(readdirSync(dirname(path))).toEqual(['rejects.ndjson']);
  });

  it('keeps a store that another connection has open, and that connection can commit to it', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const first = openStore(path, 'write');
    const batch = new Batch(path, 'by account');
    first.close();
    expect(existsSync(path)).toBe(true);
    batch.ensureAccount('jack');
    batch.markChanged('jack');
    await batch.commit();
    batch.end();
    const store = Store.open(path);
    expect(store.revision.number).toBe(1);
    store.close();
  });
});

it('an incomplete new store is not a store without its rollback journal, whatever was written', () => {
  const [path, copy] = [join(temporaryFolder(), 'store.db'), join(temporaryFolder(), 'copy.db')];
  const batch = new Batch(path, 'by id');
  // SQLite writes pages to the file as soon as they do not fit into its cache
  batch.database.exec('PRAGMA cache_size = 10');
  batch.ensureAccount('ann');
  const writer = new ItemWriter(batch, 'fail');
  for (let id = 1; id <= 2000; id += 1) writer.addRecord(bioOf('ann', id));
  expect(statSync(path).size).toBeGreaterThan(100_000);
  copyFileSync(path, copy);
  batch.end();
  expect(() => Store.open(copy)).toThrow(expect.objectContaining({ code: 'bad-store' }));
  expect(() => new Batch(copy, 'by id')).toThrow(expect.objectContaining({ code: 'bad-store' }));
  expect(existsSync(path)).toBe(false);
});
