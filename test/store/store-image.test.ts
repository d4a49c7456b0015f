import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/database/connection.ts';
import { replaceStore } from '../../src/store/database/replace.ts';
import { StoreImage } from '../../src/store/store-image.ts';
import { bioRecord } from '../support/bio-record.ts';
import { observe } from '../support/snapshots.ts';
import { contentsOf, folderOfFile, importLines } from '../whole/stores.ts';

const folder = folderOfFile();
const first = join(folder, 'first.db');
const lines = Array.from({ length: 2_000 }, (_, index) => JSON.stringify(bioRecord(index + 1, { account: `user_${index % 100}` })));

beforeAll(() => importLines(first, lines.slice(0, 1_000)));

function copyOf(name: string): string {
  const path = join(folder, name);
  copyFileSync(first, path);
  return path;
}

async function bytesOf(image: StoreImage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of image.pieces()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  expect(bytes.length).toBe(image.bytes);
  return bytes;
}

describe('the image of a store', () => {
  it('keeps the state of its opening while other processes import and run checkpoints', async () => {
    const path = copyOf('grows.db');
    const image = await StoreImage.open(path);
    const before = await bytesOf(image);
    for (const count of [1_100, 1_500, 2_000]) {
      await importLines(path, lines.slice(0, count));
      expect((await bytesOf(image)).equals(before)).toBe(true);
    }
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    image.close();
    const copy = join(folder, 'copy.db');
    writeFileSync(copy, before);
    expect(contentsOf(copy)).toBe(contentsOf(first));
    const after = await StoreImage.open(path);
    expect(after.state.records).toBe(2_000);
    expect(after.descendsFrom(image.state)).toBe(true);
    after.close();
  });

  it('has only committed data while another process has an open transaction', async () => {
    const path = copyOf('written.db');
    const writer = new Connection(path);
    try {
      // larger than the cache of SQLite, so that uncommitted pages are in the log
      writer.exec('PRAGMA cache_size = 10; BEGIN IMMEDIATE; CREATE TABLE filler (text TEXT)');
      for (let row = 0; row < 400; row += 1) writer.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(10_000));
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000);
      const image = await StoreImage.open(path);
      const copy = join(folder, 'middle.db');
      writeFileSync(copy, await bytesOf(image));
      image.close();
      expect(contentsOf(copy)).toBe(contentsOf(first));
    } finally {
      writer.close();
    }
  });

  it('waits until no process reads an older state, and fails with store-busy after 50 attempts', async () => {
    const path = copyOf('read.db');
    const reader = new Connection(path);
    reader.exec('BEGIN');
    reader.value('SELECT count(*) FROM record');
    await importLines(path, lines.slice(0, 1_200));
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 3) reader.exec('COMMIT');
    };
    const image = await StoreImage.open(path, pause);
    expect([pauses, image.state.records]).toEqual([3, 1_200]);
    image.close();
    reader.exec('BEGIN');
    reader.value('SELECT count(*) FROM record');
    await importLines(path, lines.slice(0, 1_300));
    await expect(StoreImage.open(path, pause)).rejects.toMatchObject({ code: 'store-busy' });
    reader.close();
  });

  it('equals the bytes of the store file if there is no write-ahead log', async () => {
    const path = copyOf('same.db');
    const image = await StoreImage.open(path);
    const bytes = await bytesOf(image);
    image.check();
    image.close();
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('detects its earlier states, even if only the observation time of an account has changed', async () => {
    const [one, two] = [join(folder, 'one.db'), join(folder, 'two.db')];
    const snapshot = (day: number) => ({ observed_at: `2030-01-0${day}T00:00:00Z`, id: '1', screen_name: 'somebody', bio: 'hello' });
    await observe(one, [snapshot(1)]);
    copyFileSync(one, two);
    await observe(two, [snapshot(2)]);
    const [before, after] = [await StoreImage.open(one), await StoreImage.open(two)];
    expect(after.state.fingerprint).toBe(before.state.fingerprint);
    expect(after.descendsFrom(before.state)).toBe(true);
    expect(before.descendsFrom(after.state)).toBe(false);
    const other = await StoreImage.open(first);
    expect(other.descendsFrom(before.state)).toBe(false);
    for (const image of [before, after, other]) image.close();
  });
});

describe('replaceStore', () => {
  it('puts the new file in place and applies nothing of the old write-ahead log', async () => {
    const [path, file] = [copyOf('old.db'), join(folder, 'new.db')];
    await importLines(file, lines);
    const expected = contentsOf(file);
    const image = await StoreImage.open(path);
    const { state } = image;
    image.close();
    replaceStore(path, file, state);
    expect(contentsOf(path)).toBe(expected);
    await importLines(path, lines);
    expect(contentsOf(path)).toBe(expected);
  });

  it.each([
    ['another process has the store open', (path: string) => new Connection(path)],
    ['the store was changed meanwhile', async (path: string) => void (await importLines(path, lines))],
  ])('fails with store-busy and changes nothing if %s', async (title, disturb) => {
    const [path, file] = [copyOf(`${title}.db`), copyOf(`${title} new.db`)];
    const image = await StoreImage.open(path);
    const { state } = image;
    image.close();
    const other = await disturb(path);
    other?.value('SELECT count(*) FROM record');
    const before = contentsOf(path);
    expect(() => replaceStore(path, file, state)).toThrow(expect.objectContaining({ code: 'store-busy' }));
    other?.close();
    expect(contentsOf(path)).toBe(before);
    // the store still works
    await importLines(path, lines);
  });
});
