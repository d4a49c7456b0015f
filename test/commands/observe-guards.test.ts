import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const account = (name: string, note: unknown = 'bio') => `${JSON.stringify({ acct: `${name}@social.example`, id: name, note })}\n`;
const night = (...names: readonly string[]) => names.map((name) => account(name)).join('');

/** A store, a rejects file and the job summary; and a run of `observe` with them. */
function job() {
  const folder = temporaryFolder();
  const [store, rejects, summary] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson'), join(folder, 'summary.md')];
  const observe = (day: number, input: string, ...more: readonly string[]) =>
    palimpsestHere(
      [
        'observe',
        '-',
        '--store',
        store,
        '--observed-at',
        `2024-05-${String(day).padStart(2, '0')}T03:17:00Z`,
        '--rejects',
        rejects,
        ...more,
      ],
      {
        input,
        env: { GITHUB_STEP_SUMMARY: summary },
      },
    );
  return { store, rejects, summary, observe };
}

describe('the guards of palimpsest observe', () => {
  const names = Array.from({ length: 10 }, (_, index) => `a${index}`);

  it('count late snapshots as rejected', async () => {
    const { store, observe } = job();
    await observe(1, night(...names));
    await observe(3, night(...names.slice(0, 8)));
    const input = names.map((name, index) => `${account(name, index < 3 ? 'late' : 'bio')}`).join('');
    expect((await observe(2, input + account('new'))).stderr).toMatch(
      /3 of 11 items cannot be used \(too-many-rejects\)\n {2}where .*\n.*\n {2}found {5}27%, most often late \(3\), such as: /,
    );
    const args = ['observe', '-', '--store', store, '--observed-at', '2024-05-02T03:17:00Z'];
    const { code, stderr } = await palimpsestHere(args, { input });
    expect([code, stderr]).toEqual([1, expect.stringContaining('a snapshot is too late (late)')]);
    expect(stderr).not.toContain('in the rejects file');
  });

  it('compare a run with the run before of the same accounts, whatever was observed in between', async () => {
    const { observe } = job();
    const others = Array.from({ length: 30 }, (_, index) => `b${index}`);
    expect(await observe(1, night(...names))).toMatchObject({ code: 0, stderr: '' });
    // snapshots of a wrong server look the same as the first run of a second job
    const first = await observe(2, night(...others));
    expect([first.code, first.stderr]).toEqual([
      3,
      expect.stringMatching(/too-few-accounts.*\n.*of 10 accounts\n {2}found {5}0 accounts\n/),
    ]);
    expect((await observe(2, night(...others), '--min-accounts', '0%')).stderr).toContain('10 accounts of earlier runs not observed');
    expect(await observe(3, night(...names))).toMatchObject({ code: 0, stderr: '' });
    expect(await observe(4, night(...others))).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuse the snapshots of a wrong server that has one known account, and accept older ones and a second part of a night', async () => {
    const { observe } = job();
    const others = Array.from({ length: 30 }, (_, index) => `b${index}`);
    await observe(1, night('x'));
    await observe(3, night(...names));
    expect(await observe(4, night('x', ...others))).toMatchObject({ code: 3, stderr: expect.stringContaining('too-few-accounts') });
    expect(await observe(2, night(...others.slice(0, 15)))).toMatchObject({ code: 0 });
    expect(await observe(3, night(...others.slice(15)))).toMatchObject({ code: 0 });
  });

  it('refuse a run without accounts, such as that of a broken collector', async () => {
    const { observe } = job();
    expect(await observe(1, '[]')).toMatchObject({ code: 0 });
    await observe(1, night(...names));
    expect(await observe(2, '[]')).toMatchObject({ code: 3, stderr: expect.stringContaining('too-few-accounts') });
    expect(await observe(2, '[]', '--min-accounts', '0%')).toMatchObject({ code: 0 });
  });

  it('accept the corrected items of a rejects file, although it has few accounts', async () => {
    const { rejects, store, observe } = job();
    await observe(1, night(...names));
    await observe(2, night(...names.slice(0, 7)) + account('a7', 7));
    const corrected = readFileSync(rejects, 'utf8').replace('"note":7', '"note":"corrected"');
    expect(await palimpsestJson(['observe', '-', '--store', store], { input: corrected })).toMatchObject({ records_by_field: { Bio: 1 } });
  });
});

describe('a run that lacks accounts or has rejected items', () => {
  it('says so with --quiet and in the job summary, and warns of a missing account only in the first two runs', async () => {
    const { observe, rejects, summary } = job();
    await observe(1, night('a', 'b', 'c', 'd', 'e', 'f'), '--quiet');
    const { code, stdout, stderr } = await observe(2, night('a', 'b', 'c', 'd') + account('e', 7), '--quiet');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      `warning: 1 item rejected, written to ${rejects}\nwarning: 2 accounts of earlier runs not observed: e@social.example, f@social.example\n`,
    );
    expect(readFileSync(summary, 'utf8')).toBe(
      '\n| observe | not everything was added |\n| --- | --- |\n| rejected | 1 |\n' +
        '| accounts of earlier runs not observed | 2 |\n| names | e@social.example, f@social.example |\n',
    );
    expect((await observe(3, night('a', 'b', 'c'))).stderr).toContain(': d@social.example, e@social.example, f@social.example\n');
    const fourth = await observe(4, night('a', 'b', 'c'));
    expect(fourth.stderr).toBe('warning: 1 account of earlier runs not observed: d@social.example\n');
    expect(fourth.stdout).toContain('\n  missing   2 accounts, not observed for a longer time: e@social.example, f@social.example\n');
  });

  it('says the same if it is repeated, also after nights without snapshots', async () => {
    const { observe } = job();
    await observe(1, night('a', 'b', 'c', 'd', 'e'));
    const told = ({ stderr, stdout }: Awaited<ReturnType<typeof observe>>) => [stderr, / {2}missing .*/.exec(stdout)?.[0]];
    for (const [day, seen, warns] of [
      [2, 'abcd', true],
      [3, 'abcd', true],
      [7, 'abc', true],
      [8, 'abc', false],
    ] as const) {
      const once = await observe(day, night(...seen));
      expect([day, told(await observe(day, night(...seen)))]).toEqual([day, told(once)]);
      expect([day, once.stderr.includes('not observed')]).toEqual([day, warns]);
    }
  });

  it('counts the accounts that are missing for long, without names if new ones fill the list', async () => {
    const { observe } = job();
    const others = night(...Array.from({ length: 100 }, (_, index) => `n${index}`));
    await observe(1, night('a', 'b', 'c', 'd') + others);
    for (const day of [2, 3]) await observe(day, night('a') + others);
    const { stderr, stdout } = await observe(4, night('a'), '--min-accounts', '0%');
    expect(stderr).toMatch(/100 accounts of earlier runs not observed: n0@.*, and 90 more\n/);
    expect(stdout).toContain('\n  missing   3 accounts, not observed for a longer time\n');
  });

  it('says that pages change on a new day, and if an account is not observed for 10 days, although no snapshot shows anything new', async () => {
    const { store, observe } = job();
    await observe(1, night('a', 'b'));
    const day = / {2}days {6}snapshots of new days: the HTML pages that show these days change\nnext.* build .*\n$/;
    expect((await observe(11, night('a'))).stdout).toMatch(day);
    expect((await observe(11, night('a'))).stdout).toMatch(/nothing new: .*\n$/);
    const last = await observe(12, night('a'));
    expect(last.stdout).toMatch(
      /\n {2}last seen 1 account not observed for 10 days, observed again, or observed for the first time: .*\nnext.* build .*\n$/s,
    );
    expect((await observe(13, night('a', 'b'))).stdout).toMatch(/\n {2}last seen 1 account .*\nnext.* build /s);
    const input = JSON.stringify(bioRecord(1, { account: 'imported', text: 'a' }));
    await palimpsestJson(['import', '-', '--store', store], { input });
    const first = await observe(13, JSON.stringify({ screen_name: 'imported', bio: 'a' }), '--min-accounts', '0%');
    expect(first.stdout).toMatch(/\n {2}last seen 1 account .*\nnext.* build /s);
  });

  it.each([
    ['before', 0, [1, 1, 0, 0]],
    ['after', 9, [0, 1, 0, 0]],
  ])('warns of a missing account that was observed %s most accounts of its run', async (_, second, expected) => {
    const { store } = job();
    const observe = (day: number, times: Readonly<Record<string, number>>) => {
      const lines = Object.entries(times).map(([name, at]) =>
        JSON.stringify({ observed_at: `2024-05-0${day}T03:17:0${at}Z`, id: name, screen_name: name, bio: '' }),
      );
      return palimpsestJson(['observe', '-', '--store', store], { input: lines.join('\n') });
    };
    const others = { a: 5, b: 5, c: 5 };
    await observe(1, { ...others, d: second });
    const warned: unknown[] = [];
    for (const day of [2, 3, 4, 5]) warned.push((await observe(day, others))['missing']);
    expect(warned).toMatchObject(expected.map((new_count) => ({ new_count })));
  });
});

describe('palimpsest import', () => {
  it('refuses a run if more than a fifth of its items is rejected', async () => {
    const folder = temporaryFolder();
    const [store, rejects] = [join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    const input = [1, 2, 3, 4].map((id) => JSON.stringify(bioRecord(id, id > 2 ? { text: 7 } : {}))).join('\n');
    const args = ['import', '-', '--store', store, '--rejects', rejects];
    const dry = await palimpsestHere([...args, '--dry-run'], { input });
    expect([dry.code, dry.stderr]).toEqual([
      3,
      expect.stringContaining('run again without --dry-run to write the reasons to the rejects file; if'),
    ]);
    const { code, stderr } = await palimpsestHere(args, { input });
    expect([code, stderr]).toEqual([3, expect.stringContaining('2 of 4 items cannot be used (too-many-rejects)')]);
    expect(readFileSync(rejects, 'utf8').trim().split('\n')).toHaveLength(2);
    expect(await palimpsestJson([...args, '--max-rejected', '50%'], { input })).toMatchObject({
      records_by_outcome: { added: 2 },
      rejected: 2,
    });
  });
});
