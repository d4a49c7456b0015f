import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../src/store/batch.ts';
import { ItemWriter } from '../../src/store/item-writer.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsest, palimpsestHere } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { bioOf } from './accounts.ts';

const RECORD = JSON.stringify({
  id: 1,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: 'hello',
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
});
const SNAPSHOT = JSON.stringify({ observed_at: '2023-11-18T16:29:12Z', screen_name: 'jack', bio: 'hello' });
/** How many pairs of first imports run at the same time. */
const PAIRS = timesInProcess('pairs of first imports', 2, 20);

describe('openStore', () => {
  it('removes a store that it created, with its folders, if nothing was committed', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'data/deep/store.db');
    openStore(path, 'write').close();
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

describe('a first run that fails', () => {
  const failing: readonly (readonly [string, readonly string[], string])[] = [
    ['import', ['import', '-'], '{"id":"x"}\n'],
    ['import with a missing source', ['import', 'missing.ndjson'], ''],
    ['import --require-complete', ['import', '-', '--require-complete'], `${RECORD}\n`],
    ['observe', ['observe', '-'], '{"screen_name":5}\n'],
    ['mirror', ['mirror', 'http://127.0.0.1:9'], ''],
  ];

  it.each(failing)('leaves no file of palimpsest %s', async (_, args, input) => {
    const cwd = temporaryFolder();
    expect(await palimpsestHere(args, { cwd, input })).toMatchObject({ code: 1 });
    expect(readdirSync(cwd)).toEqual([]);
    const built = await palimpsestHere(['build', '--base-url', 'https://example.org'], { cwd });
    expect(built.stderr).toContain('there is no store at data/palimpsest.db');
  });

  it.each(['import', 'observe'])('leaves no file after an interruption of palimpsest %s', async (command) => {
    const cwd = temporaryFolder();
    const child = spawn(process.execPath, [BIN, command, '-', '--store', 'store.db'], { cwd });
    child.stdin.on('error', () => {});
    // the input does not end before the interruption
    const feeding = setInterval(() => child.stdin.write(`${command === 'import' ? RECORD : SNAPSHOT}\n`), 20);
    const waiting = setInterval(() => {
      if (existsSync(join(cwd, 'store.db-journal'))) child.kill('SIGINT');
    }, 20);
    const [code] = await once(child, 'close');
    clearInterval(feeding);
    clearInterval(waiting);
    expect({ code, files: readdirSync(cwd) }).toEqual({ code: 130, files: [] });
  });

  it('does not remove the store of another run that succeeds at the same time', async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const cwd = temporaryFolder();
      const run = (input: string) => palimpsest(['import', '-', '--store', 'store.db'], { cwd, input });
      const [, good] = await Promise.all([run('{"id":"x"}\n'), run(`${RECORD}\n`)]);
      if (good.code === 0) {
        const store = Store.open(join(cwd, 'store.db'));
        expect(store.revision.records).toBe(1);
        store.close();
      } else expect(good.stderr).toContain('(store-busy)');
    }
  });
});

describe('an incomplete new store', () => {
  it('is not a store without its rollback journal, whatever was written', () => {
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
});
