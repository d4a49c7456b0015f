import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';
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
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'RepClayHiggins', display_name: 'Rep. Clay Higgins' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'RepCosta', id: '15', display_name: 'Émile Costa' },
    { observed_at: '2020-02-01T00:00:00Z', screen_name: 'SenCosta', id: '15', display_name: 'Émile Costa' },
    ...['mia', 'mia_away', 'mia'].map((name, day) => ({
      observed_at: `2020-01-0${day + 1}T00:00:00Z`,
      screen_name: name,
      id: '16',
      bio: '',
    })),
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
        'Jack: 3 changes and 3 first values',
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

  it('shows only the field in --field, in any case, and lists the fields for an unknown one', async () => {
    const { stdout } = await history('Jack', '--field', 'Bio');
    expect(stdout).toMatch(/^Jack: 2 changes and 1 first value of Bio\n/);
    expect(stdout).not.toContain('Website');
    expect((await palimpsestHere(['history', 'Jack'], { env: { PALIMPSEST_STORE: store, PALIMPSEST_FIELD: 'Bio' } })).stdout).toBe(stdout);
    expect((await history('Jack', '--field', 'Location')).stdout).toBe('Jack: 0 changes of Location\n');
    expect((await history('Jack', '--field', 'bIO')).stdout).toBe(stdout);
    expect(await history('Jack', '--field', 'Mood')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Location, Bio'),
    });
  });

  it('finds an account by a former handle, says so, and shows the rename where it happened', async () => {
    const { code, stdout } = await history('@jo_at_HOME');
    expect({ code, lines: stdout.split('\n').filter((line) => !line.includes('#')) }).toEqual({
      code: 0,
      lines: [
        'jo_at_work: 1 change and 1 first value',
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

  it('does not call the present handle a former one, if the account had another one in between', async () => {
    const { stdout } = await history('mia');
    expect(stdout.split('\n').filter((line) => line.includes('@'))).toEqual([
      'formerly @mia_away until 2020-01-02',
      '@mia until 2020-01-01',
    ]);
    expect((await palimpsestHere(['accounts', 'mia', '--store', store])).stdout).toContain('(formerly @mia_away)\n');
  });

  it('finds an account by its handle in any case, its stable id, or the beginning of its handle if no other handle begins so', async () => {
    expect((await history('@jACK')).stdout).toMatch(/^Jack: 3 changes and 3 first values\n/);
    expect((await history('13')).stdout).toMatch(/^jo_at_work: 1 change and 1 first value\n13 is the stable id of @jo_at_work\n/);
    expect((await history('id:13')).stdout).toMatch(/^jo_at_work: /);
    expect((await history('JO_AT')).stdout).toMatch(
      /^jo_at_work: 1 change and 1 first value\nthe only account with a handle that begins with JO_AT\n/,
    );
    expect((await history('@Jacki')).stdout).toMatch(/^jackie: 0 changes and 1 first value\n/);
    expect(await palimpsestJson(['history', 'repclay', '--store', store])).toMatchObject({
      screen_name: 'RepClayHiggins',
      found_by: 'prefix',
    });
  });

  it('shows the newest changes up to a limit or from a time on, and says how many are older', async () => {
    const { stdout } = await history('Jack', '--limit', '2');
    expect(stdout.match(/#\d+/g)).toHaveLength(2);
    expect(stdout).toMatch(/^Jack: 3 changes and 3 first values\n.*\n\n4 older records not shown; raise --limit\n$/s);
    for (const since of ['2020-01-02', '2020-01-02T00:00:00Z'])
      expect((await history('Jack', '--since', since)).stdout).toMatch(/^Jack: 3 changes since 2020-01-02T00:00:00.000000Z\n/);
    expect(await palimpsestJson(['history', 'Jack', '--since', '2020-01-02', '--limit', '1', '--store', store])).toMatchObject({
      results: [{}],
      older: 2,
    });
    // the rename is older than what is shown
    expect((await history('SenCosta', '--since', '2020-02-02')).stdout).toBe('SenCosta: 0 changes since 2020-02-02T00:00:00.000000Z\n');
    expect(await history('Jack', '--since', 'yesterday')).toMatchObject({ code: 2, stderr: expect.stringContaining('a date such as') });
  });
});
