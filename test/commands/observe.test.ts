import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder, valuesIn } from '../support/folder.ts';
import { BIN, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf, type Snapshot } from '../support/snapshots.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const lines = (...values: readonly Snapshot[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const jack = (day: number, more: Snapshot = {}): Snapshot => ({ observed_at: `2020-01-0${day}T00:00:00Z`, screen_name: 'jack', ...more });
function newStore(): { folder: string; store: string } {
  const folder = temporaryFolder();
  return { folder, store: join(folder, 'store.db') };
}

describe('palimpsest observe', () => {
  it('counts a new handle and a new picture as changes, and a late snapshot as neither', async () => {
    const { store } = newStore();
    const seen = (day: number, more: Snapshot) => jack(day, { id: '7', bio: 'a', ...more });
    const picture = { profile_image_url: 'https://images.example/1' };
    const args = ['observe', '-', '--store', store, '--rejects', `${store}.rejects`];
    await palimpsestHere(args, { input: lines(seen(1, {}), seen(5, {})) });
    const input = lines(seen(2, { bio: 'late' }), seen(6, {}), seen(7, picture), seen(8, { ...picture, screen_name: 'jill' }));
    const { stdout } = await palimpsestHere([...args, '--max-rejected', '50%'], { input });
    expect(stdout).toContain('  snapshots 4: 2 with changes, 1 without, 1 late\n  records   0 new\n  accounts  0 new, 1 renamed\n');
    // the picture is on a page
    const one = await palimpsestHere(args, {
      input: lines(seen(9, { screen_name: 'jill', profile_image_url: 'https://images.example/2' })),
      cwd: dirname(store),
    });
    expect(one.stdout).toContain('next: ');
  });

  it('prints its results as text, and as JSON with --json', async () => {
    const { store } = newStore();
    const input = lines(jack(1, { bio: 'a', verified: true }), jack(2, { bio: 'a' }), jack(3, { bio: 'b' }));
    // in a folder without a tree
    const { code, stdout, stderr } = await palimpsestHere(['observe', '-', '--store', store], { input, cwd: dirname(store) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replace(/in \d+\.\d s/, 'in a moment')).toBe(
      [
        'observed 1 source in a moment',
        `  store     created a new store at ${store}: there was none`,
        '  snapshots 3: 2 with changes, 1 without',
        '  records   3 new: Name 0, Bio 2, Location 0, Website 0, Verified 1',
        '  accounts  1 new, 0 renamed',
        `next: node ${BIN} build --store ${store}`,
        '',
      ].join('\n'),
    );
    const again = await palimpsestHere(['observe', '-', '--store', store], { input });
    expect(again.stdout).toContain('  records   0 new\n');
    expect(await palimpsestJson(['observe', '-', '--store', store], { input: lines(jack(4, { bio: 'c' })) })).toEqual({
      snapshots: 1,
      changed: 1,
      unchanged: 0,
      records_by_field: { Name: 0, Bio: 1, Location: 0, Website: 0, Verified: 0 },
      accounts_by_outcome: { added: 0, renamed: 0 },
      late: 0,
      missing: { count: 0, new_count: 0, listed: [] },
      rejected: 0,
      excluded: 0,
      skipped: 0,
      suspended: 0,
      path_times: { count: 0, first: null, last: null },
      conflicts: { count: 0, listed: [] },
      dry_run: false,
      store,
      milliseconds: expect.any(Number),
    });
    expect(await palimpsestHere(['observe', '-', '--store', store, '--quiet'], { input })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  const TIME = 'expected  a time with a time zone from 1970 to 2255';
  const TEMPLATE = 'expected  an http or https URL with {} in its path';

  it.each([
    ['--observed-at', '2020-01-01T00:00:00', TIME],
    ['--observed-at', '1969-12-31T23:59:59Z', TIME],
    ['--from', 'facebook', 'expected  one of auto, neutral, twitter-v1'],
    ['--store', '', 'expected  a path'],
    ['--rejects', '', 'expected  a path'],
    ['--hashtag-url', 'https://twitter.com/', TEMPLATE],
    ['--mention-url', '{}', TEMPLATE],
    ['--mention-url', "JavaScript:alert('{}')", TEMPLATE],
    ['--mention-url', 'data:text/html,{}', TEMPLATE],
    ['--mention-url', 'https://{}/', TEMPLATE],
    ['--mention-url', 'https://{}.example/', TEMPLATE],
    ['--mention-url', 'https://{}@a.example/', TEMPLATE],
    ['--mention-url', 'https://user:secret@a.example/{}', TEMPLATE],
    ['--mention-url', 'https:/\\{}/', TEMPLATE],
    ['--mention-url', 'https://a.example\n/{}', TEMPLATE],
    ['--mention-url', 'https://a.example/\u0001{}', TEMPLATE],
  ])('rejects %s %j as wrong usage', async (option, value, message) => {
    const { folder } = newStore();
    const { code, stdout, stderr } = await palimpsestHere(['observe', '-', option, value, '--json'], {
      cwd: folder,
      input: lines(jack(1)),
    });
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'usage']);
    expect(stderr).toContain(message);
    expect([...filesIn(folder).keys()]).toEqual([]);
  });

  it('warns of conflicts, lists them in JSON, and writes values that were not recorded to the rejects file', async () => {
    const { folder, store } = newStore();
    const input = lines(jack(1, { bio: 'a' }), jack(2, { bio: 'b\u001b[2J' }), jack(2, { bio: 'a' }), jack(3, { bio: 'a' }));
    const seen = join(folder, 'seen.ndjson');
    writeFileSync(seen, input);
    const finished = await palimpsestHere(['observe', seen, '--store', store]);
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining('records   3 new') });
    expect(finished.stderr.split('\n')).toEqual([
      'warning: 1 conflict: snapshots of the same account and time have different values of a field',
      `warning: Bio of jack at 2020-01-02T00:00:00.000000Z: "b\\u001b[2J" (${seen}, line 2), "a" (${seen}, line 3; not recorded)`,
      '',
    ]);
    const quiet = await palimpsestHere(['observe', seen, '--store', store, '--quiet']);
    expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: finished.stderr });
    const rejects = join(folder, 'rejects.ndjson');
    const again = await palimpsestJson(['observe', seen, '--store', store, '--rejects', rejects]);
    expect(again).toMatchObject({ unchanged: 4, rejected: 1, conflicts: { count: 1, listed: [{ account: 'jack', data_type: 'Bio' }] } });
    expect(valuesIn(rejects)).toMatchObject([{ code: 'conflict', file: seen, line: 3, item: { bio: 'a' } }]);
  });

  it.each(['http://127.0.0.1:8080/@{}', 'HTTPS://a.example/?q={}&w={}', 'https://[::1]/#{}', 'https://münchen.example/{}'])(
    'takes %s for a template',
    async (template) => {
      const { store } = newStore();
      await palimpsestJson(['observe', '-', '--store', store, '--mention-url', template], { input: lines(jack(1, { bio: '@b' })) });
      const [bio] = contentsOf(store).feed;
      expect(bio?.['diff_html']).toContain(`<a href="${template.replaceAll('{}', 'b').replaceAll('&', '&amp;')}">@b</a>`);
    },
  );
});
