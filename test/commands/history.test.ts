import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf, observe } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const folder = folderOfFile();
const store = join(folder, 'store.db');
const idOf = (day: number) => Date.UTC(2020, 0, day) * 1000;

beforeAll(async () => {
  const jack = { screen_name: 'Jack', id: '12' };
  await observe(store, [
    { ...jack, observed_at: '2020-01-01T00:00:00Z', display_name: 'Jack', bio: 'I like tea', website: null },
    { ...jack, observed_at: '2020-01-02T00:00:00Z', bio: 'I like coffee', web_archive_url: 'https://archive.example/1' },
    { ...jack, observed_at: '2020-01-03T10:20:30.5Z', website: 'https://jack.example', bio: 'שלום\u001b[2J' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'jill', bio: '' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'Jo_at_home', id: '13', bio: 'here' },
    { observed_at: '2020-01-02T00:00:00Z', screen_name: 'jo_at_work', id: '13', bio: 'there' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'jackie', bio: 'x '.repeat(100) },
    { observed_at: '2019-05-05T00:00:00Z', screen_name: 'jill', id: '14', bio: 'the first jill' },
    { observed_at: '2019-06-06T00:00:00Z', screen_name: 'jill_2', id: '14', bio: 'the first jill' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'RepClayHiggins', display_name: 'Rep. Clay Higgins' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'RepCosta', id: '15', display_name: 'Émile Costa' },
    { observed_at: '2020-02-01T00:00:00Z', screen_name: 'SenCosta', id: '15', display_name: 'Émile Costa' },
  ]);
});

const history = (...args: string[]) => palimpsestHere(['history', ...args, '--store', store]);

describe('palimpsest history', () => {
  it('shows the changes of an account, newest first, with marks that need no color', async () => {
    const { code, stdout, stderr } = await history('Jack');
    expect([code, stderr]).toEqual([0, '']);
    const day3 = Date.parse('2020-01-03T10:20:30.5Z') * 1000;
    expect(stdout).toBe(
      [
        'Jack: 6 changes',
        '',
        `2020-01-03 10:20:30  Website  #${day3 + 1}`,
        '  {+https://jack.example+}',
        '',
        `2020-01-03 10:20:30  Bio  #${day3}`,
        '  [-I like coffee-]{+\u2068שלום\\u001b[2J\u2069+}',
        '',
        `2020-01-02 00:00:00  Bio  #${idOf(2)}  https://archive.example/1`,
        '  I like [-tea-]{+coffee+}',
        '',
        `2020-01-01 00:00:00  Website, first seen  #${idOf(1) + 2}`,
        '  (empty)',
        '',
        `2020-01-01 00:00:00  Bio, first seen  #${idOf(1) + 1}`,
        '  {+I like tea+}',
        '',
        `2020-01-01 00:00:00  Name, first seen  #${idOf(1)}`,
        '  {+Jack+}',
        '',
      ].join('\n'),
    );
  });

  it('shows only the field in --field, in any case, and suggests a field for an unknown one', async () => {
    const { stdout } = await history('Jack', '--field', 'Bio');
    expect(stdout).toMatch(/^Jack: 3 changes of Bio\n/);
    expect(stdout).not.toContain('Website');
    expect((await palimpsestHere(['history', 'Jack'], { env: { PALIMPSEST_STORE: store, PALIMPSEST_FIELD: 'Bio' } })).stdout).toBe(stdout);
    expect((await history('Jack', '--field', 'Location')).stdout).toBe('Jack: 0 changes of Location\n');
    expect((await history('Jack', '--field', 'bIO')).stdout).toBe(stdout);
    const { code, stderr } = await history('Jack', '--field', 'boi');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/no field boi \(usage\)[\s\S]*did you mean Bio\?/) });
    expect(await history('Jack', '--field', 'Mood')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Location, Bio'),
    });
  });

  it('prints the records as published with --json', async () => {
    const all = contentsOf(store).feed;
    const records = all.filter(({ account }) => account === 'Jack');
    expect(records).toHaveLength(6);
    const jack = { screen_name: 'Jack', stable_id: '12', display_name: 'Jack', former_handles: [], found_by: 'handle', other_holders: [] };
    expect(await palimpsestJson(['history', 'jack', '--store', store])).toEqual({ ...jack, records, older: 0, gone: [] });
    expect(await palimpsestJson(['history', 'jack', '--store', store, '--field', 'Name'])).toEqual({
      ...jack,
      records: records.filter(({ data_type }) => data_type === 'Name'),
      older: 0,
      gone: [],
    });
  });

  it('finds an account by a former handle, says so, and shows the rename where it happened', async () => {
    const { code, stdout } = await history('@jo_at_HOME');
    expect({ code, lines: stdout.split('\n').filter((line) => !line.includes('#')) }).toEqual({
      code: 0,
      lines: [
        'jo_at_work: 2 changes',
        '@jo_at_HOME is a former handle of @jo_at_work',
        '',
        '  {+t+}here',
        '',
        'formerly @Jo_at_home until 2020-01-01',
        '',
        '  {+here+}',
        '',
      ],
    });
    expect(await palimpsestJson(['history', 'jo_at_home', '--store', store])).toMatchObject({
      found_by: 'former-handle',
      former_handles: [{ handle: 'Jo_at_home', seen_to: '2020-01-01T00:00:00.000000Z' }],
    });
  });

  it('shows that another account had the handle before', async () => {
    expect((await history('jill')).stdout).toMatch(/^jill: 1 change\nanother account had this handle until 2019-05-05: @jill_2\n/);
    expect((await palimpsestJson(['history', 'jill', '--store', store]))['other_holders']).toEqual([
      { screen_name: 'jill_2', seen_to: '2019-05-05T00:00:00.000000Z' },
    ]);
  });

  it('finds an account by its handle in any case, its stable id, or the beginning of its handle if no other handle begins so', async () => {
    expect((await history('@jACK')).stdout).toMatch(/^Jack: 6 changes\n/);
    expect((await history('13')).stdout).toMatch(/^jo_at_work: 2 changes\n13 is the stable id of @jo_at_work\n/);
    expect((await history('JO_AT')).stdout).toMatch(/^jo_at_work: 2 changes\nthe only account with a handle that begins with JO_AT\n/);
    expect((await history('@Jacki')).stdout).toMatch(/^jackie: 1 change\n/);
    expect(await palimpsestJson(['history', 'repclay', '--store', store])).toMatchObject({
      screen_name: 'RepClayHiggins',
      found_by: 'prefix',
    });
  });

  it('lists the accounts if several handles begin with the name, with what distinguishes them', async () => {
    const { code, stdout, stderr } = await history('j', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'no-account',
      hint: 'did you mean @Jack (6 changes, last on 2020-01-03), @jackie (1 change, last on 2020-01-01), @jill (1 change, last on 2020-01-01), @jill_2 (1 change, last on 2019-05-05) or @jo_at_work (2 changes, last on 2020-01-02)?',
    });
    expect(stderr).toContain(`error: 5 accounts in ${store} match j (no-account)\n`);
    expect((await history('jo_at_w')).code).toBe(0);
    expect((await history('@rep')).stderr).toContain('or @SenCosta (Émile Costa, formerly @RepCosta, 1 change, last on 2020-01-01)?');
  });

  it('suggests accounts with similar handles or with the display name for an unknown handle, and chooses none', async () => {
    expect(await history('HIGGINS clay')).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean @RepClayHiggins (') });
    const { code, stdout, stderr } = await history('jakc', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'no-account',
      found: 'jakc',
      hint: 'did you mean @Jack (6 changes, last on 2020-01-03) or @jackie (1 change, last on 2020-01-01)?',
    });
    expect(stderr).toContain(`error: there is no account jakc in ${store} (no-account)\n`);
    expect(await history('nobody_like_that')).toMatchObject({ code: 1, stderr: expect.stringMatching(/run `.* accounts /) });
    expect(await history('a\u001b[2Jb')).toMatchObject({ code: 1, stderr: expect.not.stringContaining('\u001b') });
    for (const name of ['', '@']) expect(await history(name)).toMatchObject({ code: 1, stderr: expect.stringContaining('(no-account)') });
  });

  it('fails without a store, and does not create one', async () => {
    const nowhere = join(folder, 'nowhere.db');
    expect(await palimpsestHere(['history', 'jack', '--store', nowhere])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(no-store)'),
    });
    expect(existsSync(nowhere)).toBe(false);
    expect(await palimpsestHere(['history'])).toMatchObject({ code: 2 });
  });

  it('shows the newest changes up to a limit or from a time on, and says how many are older', async () => {
    const { stdout } = await history('Jack', '--limit', '2');
    expect(stdout.match(/#\d+/g)).toHaveLength(2);
    expect(stdout).toMatch(/^Jack: 6 changes\n.*\n\n4 older changes not shown; raise --limit\n$/s);
    for (const since of ['2020-01-02', '2020-01-02T00:00:00Z'])
      expect((await history('Jack', '--since', since)).stdout).toMatch(/^Jack: 3 changes since 2020-01-02T00:00:00.000000Z\n/);
    expect(await palimpsestJson(['history', 'Jack', '--since', '2020-01-02', '--limit', '1', '--store', store])).toMatchObject({
      records: [{}],
      older: 2,
    });
    // the rename is older than what is shown
    expect((await history('SenCosta', '--since', '2020-02-02')).stdout).toBe('SenCosta: 0 changes since 2020-02-02T00:00:00.000000Z\n');
    expect(await history('Jack', '--since', 'yesterday')).toMatchObject({ code: 2, stderr: expect.stringContaining('a date such as') });
  });
});
