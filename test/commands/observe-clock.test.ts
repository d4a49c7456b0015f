import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf } from '../support/snapshots.ts';

const night = (...bios: readonly string[]) =>
  bios.map((note, index) => `${JSON.stringify({ acct: `a${index}@social.example`, id: String(index), note })}\n`).join('');

describe('palimpsest observe with a wrong clock', () => {
  const at = (store: string, time: string, ...more: readonly string[]) => [
    'observe',
    '-',
    '--store',
    store,
    '--observed-at',
    time,
    ...more,
  ];

  it('refuses a time more than a day ahead, in the option and in a snapshot, unless --allow-future', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const option = await palimpsestHere(at(store, '2134-01-01T00:00:00Z'), { input: night('a') });
    expect([option.code, option.stderr]).toEqual([3, expect.stringContaining('--observed-at is in the future (future-time)')]);
    const input = '{"observed_at":"2134-01-01T00:00:00Z","screen_name":"a","bio":"b"}';
    const snapshot = await palimpsestHere(['observe', '-', '--store', store], { input });
    expect([snapshot.code, snapshot.stderr]).toEqual([3, expect.stringContaining('accept them with --allow-future')]);
    expect(existsSync(store)).toBe(false);
    expect(await palimpsestJson(['observe', '-', '--store', store, '--allow-future'], { input })).toMatchObject({ records: { Bio: 1 } });
    const tomorrow = new Date(Date.now() + 80_000_000).toISOString();
    expect(await palimpsestJson(at(store, tomorrow), { input: night('a') })).toMatchObject({ records: { Bio: 1 } });
  });

  it('writes snapshots from the future to the rejects file with their time', async () => {
    const folder = temporaryFolder();
    const [store, rejects] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    const lines = ['2024-05-01', '2024-05-02', '2024-05-03', '2024-05-04', '2134-01-01'].map(
      (day) => `{"observed_at":"${day}T00:00:00Z","screen_name":"a","bio":"${day}"}\n`,
    );
    const summary = await palimpsestJson(['observe', '-', '--store', store, '--rejects', rejects], { input: lines.join('') });
    expect(summary).toMatchObject({ snapshots: 4, rejected: 1 });
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({
      code: 'future-time',
      item: { observed_at: '2134-01-01T00:00:00.000000Z', screen_name: 'a', bio: '2134-01-01' },
    });
  });

  it('refuses a night in which every change is late, says why, and names the way back', async () => {
    const folder = temporaryFolder();
    const [store, rejects] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    await palimpsestJson(at(store, '2024-05-01T00:00:00Z'), { input: night('a', 'b', 'c') });
    await palimpsestJson(at(store, '2134-05-02T00:00:00Z', '--allow-future'), { input: night('a2', 'b', 'c') });
    const before = contentsOf(store).fingerprint;
    for (const more of [[], ['--rejects', rejects]]) {
      const { code, stderr } = await palimpsestHere(at(store, '2024-05-03T00:00:00Z', ...more), { input: night('a3', 'b', 'c') });
      expect([code, stderr]).toEqual([3, expect.stringContaining('(all-late)')]);
      expect(stderr).toContain('3 snapshots, 1 of them with other values than the store, which was last observed at 2134-05-02T00');
      expect(stderr).toContain('store pull --from-version N --replace');
    }
    expect(contentsOf(store).fingerprint).toBe(before);
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ code: 'late', item: { bio: 'a3' } });
  });

  it('has a way back without a backup: the records before the wrong time, in a new store', async () => {
    const folder = temporaryFolder();
    const [store, copy, records] = [join(folder, 'store.db'), join(folder, 'new.db'), join(folder, 'records.ndjson')];
    await palimpsestJson(at(store, '2024-05-01T00:00:00Z'), { input: night('a', 'b') });
    await palimpsestJson(at(store, '2134-05-02T00:00:00Z', '--allow-future'), { input: night('a2', 'b') });
    const { stdout } = await palimpsestHere(['export', 'ndjson', '--store', store, '--to', '-']);
    const kept = stdout.split('\n').filter((line) => line.includes('"data_type":') && !line.includes('"first_encountered_date":"2134-'));
    writeFileSync(records, kept.join('\n'));
    await palimpsestJson(['import', records, '--store', copy]);
    await palimpsestJson(at(copy, '2024-05-03T00:00:00Z'), { input: night('a3', 'b') });
    const bios = contentsOf(copy).feed.filter(({ data_type }) => data_type === 'Bio');
    expect(bios.map(({ text }) => text)).toEqual(['a3', 'b', 'a']);
  });

  it('accepts a night that was observed before, although newer ones are in the store', async () => {
    const store = join(temporaryFolder(), 'store.db');
    for (const day of [1, 2, 1]) {
      await palimpsestJson(at(store, `2024-05-0${day}T00:00:00Z`), { input: night(`bio ${day}`) });
    }
    expect(contentsOf(store).feed.filter(({ data_type }) => data_type === 'Bio')).toHaveLength(2);
  });
});
