import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
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
  it('prints its results as text, and as JSON with --json', async () => {
    const { store } = newStore();
    const input = lines(jack(1, { bio: 'a', verified: true }), jack(2, { bio: 'a' }), jack(3, { bio: 'b' }));
    // in a folder without a tree
    const { code, stdout, stderr } = await palimpsestHere(['observe', '-', '--store', store], { input, cwd: dirname(store) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replace(/in \d+\.\d s/, 'in a moment')).toBe(
      [
        'observed 1 source in a moment',
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
      unchanged: 0,
      records: { Name: 0, Bio: 1, Location: 0, Website: 0, Verified: 0 },
      accounts: { added: 0, renamed: 0 },
      late: 0,
      missing: { count: 0, listed: [] },
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

  it('reads files, folders, gzip and standard input, and sorts all snapshots by time', async () => {
    const { folder, store } = newStore();
    mkdirSync(join(folder, 'in/deeper'), { recursive: true });
    writeFileSync(join(folder, 'in/a.ndjson'), lines(jack(5, { bio: '5' })));
    writeFileSync(join(folder, 'in/deeper/b.json'), JSON.stringify([jack(1, { bio: '1' }), jack(4, { bio: '4' })], null, 2));
    writeFileSync(join(folder, 'c.gz'), Buffer.concat([gzipSync(lines(jack(3, { bio: '3' }))), gzipSync(lines(jack(6, { bio: '6' })))]));
    const sources = [join(folder, 'in'), join(folder, 'c.gz'), '-'];
    const input = gzipSync(lines(jack(2, { bio: '2' })));
    expect(await palimpsestJson(['observe', ...sources, '--store', store], { input })).toMatchObject({ records: { Bio: 6 } });
    expect(contentsOf(store).feed.map(({ text }) => text)).toEqual(['6', '5', '4', '3', '2', '1']);
  });

  const TIME = 'expected  a time with a time zone';
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

  it('rejects a command line without a source, or with standard input twice, as wrong usage', async () => {
    const { folder } = newStore();
    expect(await palimpsestHere(['observe'], { cwd: folder })).toMatchObject({ code: 2 });
    expect(await palimpsestHere(['observe', '-', '-'], { cwd: folder, input: lines(jack(1)) })).toMatchObject({ code: 2 });
  });

  it('changes nothing with --dry-run', async () => {
    const { folder, store } = newStore();
    const { code, stdout } = await palimpsestHere(['observe', '-', '--store', store, '--dry-run'], { input: lines(jack(1, { bio: 'a' })) });
    expect(code).toBe(0);
    expect(stdout).toContain('  records   1 new: Name 0, Bio 1');
    expect(stdout).toContain(`nothing was written: run again without --dry-run to add this to ${store}\n`);
    expect([...filesIn(folder).keys()]).toEqual([]);
  });

  it('writes unusable snapshots to the rejects file', async () => {
    const { folder, store } = newStore();
    const rejects = join(folder, 'rejects.ndjson');
    const args = ['observe', '-', '--store', store, '--rejects', rejects];
    await palimpsestJson(args, { input: lines(jack(5, { bio: 'a' })) });
    const input = `${lines(jack(1, { bio: 'late' }))}nonsense\n${lines(jack(6, { bio: 'b' }), jack(7, { bio: 7 }))}`;
    const { code, stdout } = await palimpsestHere(args, { input });
    expect(code).toBe(0);
    expect(stdout).toContain(`  rejected  3, written to ${rejects}\n`);
    expect(valuesIn(rejects).map(({ code, line }) => [code, line])).toEqual([
      ['bad-json', 2],
      ['bad-field', 4],
      ['late', 1],
    ]);
    expect([...filesIn(folder).keys()].filter((name) => /draft|spool/.test(name))).toEqual([]);
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
