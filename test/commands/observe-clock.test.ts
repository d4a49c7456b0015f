import { existsSync, readFileSync } from 'node:fs';
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
    expect(await palimpsestJson(['observe', '-', '--store', store, '--allow-future'], { input })).toMatchObject({
      records_by_field: { Bio: 1 },
    });
    const tomorrow = new Date(Date.now() + 80_000_000).toISOString();
    expect(await palimpsestJson(at(store, tomorrow), { input: night('a') })).toMatchObject({ records_by_field: { Bio: 1 } });
  });

  it.each([
    ['observe', '--store'],
    ['normalize', '--to'],
  ])(
    '%s refuses a night that is only from the future also with --rejects, because the clock is wrong and not the items',
    async (verb, to) => {
      const folder = temporaryFolder();
      const input = night('a', 'b').replaceAll('{', '{"observed_at":"2134-01-01T00:00:00Z",');
      const [rejects, written] = [join(folder, 'rejects.ndjson'), join(folder, 'written.ndjson')];
      const { code, stderr } = await palimpsestHere([verb, '-', to, written, '--rejects', rejects], { input });
      expect([code, stderr]).toEqual([3, expect.stringContaining('(future-time)')]);
      expect(stderr).toContain('correct the clock');
      expect(existsSync(rejects)).toBe(true);
    },
  );

  it('says that a night is from the future, and not that its accounts are missing or that its items are wrong', async () => {
    const folder = temporaryFolder();
    const [store, rejects] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    await palimpsestJson(at(store, '2024-05-01T00:00:00Z'), { input: night('a', 'b', 'c') });
    const input = `${night('a', 'b', 'c').replaceAll('{', '{"observed_at":"2134-01-01T00:00:00Z",')}{"acct":1}\n`;
    const { code, stderr } = await palimpsestHere(['observe', '-', '--store', store, '--rejects', rejects], { input });
    expect([code, stderr]).toEqual([3, expect.stringContaining('every item was rejected: 3 snapshots are from the future (future-time)')]);
    await palimpsestJson(['remove', 'a0@social.example', '--store', store, '--yes']);
    const removed = `${night('a')}{"acct":1}\n`;
    const other = await palimpsestHere(at(store, '2024-05-02T00:00:00Z', '--rejects', rejects), { input: removed });
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('(too-few-accounts)')]);
  });

  it('refuses a night in which every change is late, says why, and what to do for each clock that can be wrong', async () => {
    const folder = temporaryFolder();
    const [store, rejects] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    await palimpsestJson(at(store, '2024-05-01T00:00:00Z'), { input: night('a', 'b', 'c') });
    await palimpsestJson(at(store, '2134-05-02T00:00:00Z', '--allow-future'), { input: night('a2', 'b', 'c') });
    const before = contentsOf(store).fingerprint;
    for (const more of [[], ['--rejects', rejects]]) {
      const { code, stderr } = await palimpsestHere(at(store, '2024-05-03T00:00:00Z', ...more), { input: night('a3', 'b', 'c') });
      expect([code, stderr]).toEqual([3, expect.stringContaining('(all-late)')]);
      expect(stderr).toContain(
        '3 of 3 accounts with only older snapshots, and 1 late snapshot; the newest snapshot of this run is from 2024-05-03T00:00:00.000000Z, that in the store from 2134-05-02T00:00:00.000000Z',
      );
      // only a person knows which of the two clocks is wrong
      expect(stderr).toMatch(/this machine's clock says 20.*: if it is wrong, correct it .*earlier run .*store pull --number N --replace/);
    }
    expect(contentsOf(store).fingerprint).toBe(before);
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ code: 'late', item: { bio: 'a3' } });
  });

  it('refuses it although an account was missing in the run with the wrong time and another one is new, but not an archive of new accounts', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const bios = Array.from({ length: 10 }, (_, index) => `b${index}`);
    await palimpsestJson(at(store, '2024-05-01T00:00:00Z'), { input: night(...bios) });
    await palimpsestJson(at(store, '2024-07-01T00:00:00Z'), { input: night(...bios.slice(0, 9)) });
    const rejects = ['--rejects', `${store}.rejects`];
    const input = night('changed', ...bios.slice(1), 'of a new account');
    const { code, stderr } = await palimpsestHere(at(store, '2024-05-02T00:00:00Z', ...rejects), { input });
    expect([code, stderr]).toEqual([3, expect.stringContaining('9 of 11 accounts with only older snapshots, and 1 late snapshot')]);
    // two runs at the same time do the same
    expect(stderr).toContain('whether another run has just added newer snapshots');
    const allowed = await palimpsestHere(at(store, '2024-05-02T00:00:00Z', ...rejects, '--allow-late', '--dry-run'), { input });
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('1 late')]);
    const archive = night('changed', ...bios.slice(1), ...bios);
    const added = await palimpsestHere(at(store, '2024-05-02T00:00:00Z', ...rejects), { input: archive });
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('warning: 1 late snapshot not added: ')]);
  });
});
