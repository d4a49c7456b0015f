import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyAccount } from '../support/bio-record.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const folder = folderOfFile();
const store = join(folder, 'store.db');

beforeAll(async () => {
  await observe(store, [
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'zoe', id: '7', display_name: 'Zoë\nDíaz', bio: 'a' },
    { observed_at: '2020-01-05T00:00:00Z', screen_name: 'zoe', id: '7', display_name: 'Zoë\nDíaz', bio: 'b' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'Rep_Ann', id: '8', display_name: '𝐀𝐧𝐧 Lee' },
    { observed_at: '2020-02-01T00:00:00Z', screen_name: 'SenAnn', id: '8', display_name: '𝐀𝐧𝐧 Lee' },
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'repXann', id: 'did:plc:x', bio: '' },
  ]);
  await palimpsestJson(['import', '-', '--store', store], {
    input: JSON.stringify(emptyAccount('empty', { display_name: 'No Changes' })),
  });
});

const accounts = (...args: string[]) => palimpsestHere(['accounts', ...args, '--store', store]);
async function found(...args: string[]): Promise<string[]> {
  const { stdout } = await accounts(...args);
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ')[0] ?? '');
}

describe('palimpsest accounts', () => {
  it('lists every account in a table, sorted by handle without regard to case', async () => {
    const { code, stdout, stderr } = await accounts();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        'handle   id         records  first record  last record  name',
        'empty    -                0  -             -            No Changes',
        'repXann  did:plc:x        1  2020-01-01    2020-01-01',
        'SenAnn   8                1  2020-01-01    2020-01-01   𝐀𝐧𝐧 Lee (formerly @Rep_Ann)',
        'zoe      7                3  2020-01-01    2020-01-05   Zoë Díaz',
        '',
      ].join('\n'),
    );
  });

  it('lists accounts up to a limit, and those that changed from a time on, and says whether there are more', async () => {
    expect(await accounts('--limit', '0')).toMatchObject({ code: 2 });
    expect((await accounts('--limit', '3')).stderr).toBe('more accounts are not shown; raise --limit\n');
    expect((await accounts('--limit', '4')).stderr).toBe('');
    expect(await found('--since', '2020-01-02')).toEqual(['zoe']);
    expect(await palimpsestJson(['accounts', '--limit', '1', '--store', store])).toMatchObject({ results: [{}], has_more: true });
  });

  it('shows invisible characters of handles and names, and does not fill each line up to the longest handle', async () => {
    const hostile = join(folder, 'hostile.db');
    const observed_at = '2020-01-01T00:00:00Z';
    await observe(hostile, [
      { observed_at, screen_name: 'a\u202egpj', display_name: 'x\u200bA\u2066', bio: 'a' },
      { observed_at, screen_name: 'b'.repeat(5000), bio: 'a' },
    ]);
    const { stdout } = await palimpsestHere(['accounts', '--store', hostile]);
    const [, first = '', second = ''] = stdout.split('\n');
    expect(first).toContain('a\\u202egpj ');
    expect(first).toContain(' x\\u200bA\\u2066');
    expect([first.length < 120, second.length < 5100]).toEqual([true, true]);
    const history = await palimpsestHere(['history', 'a\u202egpj', '--store', hostile]);
    expect(history.stdout.split('\n')[0]).toBe('a\\u202egpj: 0 changes and 2 first values');
  });

  it('prints complete values with --json', async () => {
    expect(await palimpsestJson(['accounts', 'ann lee', '--store', store])).toEqual({
      results: [
        {
          screen_name: 'SenAnn',
          stable_id: '8',
          display_name: '𝐀𝐧𝐧 Lee',
          former_handles: [{ handle: 'Rep_Ann', seen_to: '2020-01-01T00:00:00.000000Z' }],
          records: 1,
          first_record_date: '2020-01-01T00:00:00.000000Z',
          last_record_date: '2020-01-01T00:00:00.000000Z',
        },
      ],
      has_more: false,
    });
  });

  it('reports that no account matches, and exits with 1, as history does', async () => {
    expect(await accounts('nobody')).toMatchObject({ code: 1, stdout: `no account in ${store} matches nobody\n` });
    const { code, stdout } = await accounts('nobody', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([1, { results: [], has_more: false }]);
    expect(await palimpsestHere(['history', 'nobody', '--store', store])).toMatchObject({ code: 1 });
    expect(await accounts('zoe', '--since', '2100-01-01')).toMatchObject({ code: 0 });
  });
});
