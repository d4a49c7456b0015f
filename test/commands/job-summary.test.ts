import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusalTable } from '../../src/commands/job-summary.ts';
import { Growing } from '../publish/growing.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const folder = folderOfFile();

describe('a refusal in a GitHub job', () => {
  it('adds the reason why publish refused to the job summary', async () => {
    const { out } = await Growing.of(folder, 'refused', { records: 30, accounts: 3 });
    const [site, summary] = [join(folder, 'other'), join(folder, 'refused.md')];
    mkdirSync(site);
    writeFileSync(join(site, 'important.txt'), 'not a page');
    const { code } = await palimpsestHere(['publish', site, '--out', out], { env: { GITHUB_STEP_SUMMARY: summary } });
    expect(code).toBe(3);
    expect(readFileSync(summary, 'utf8')).toMatch(/^\n\| refused \| not-ours \|\n\| --- \| --- \|\n\| reason \| .+ \|\n/);
    expect(existsSync(join(site, 'rest'))).toBe(false);
  });

  it('adds each guard that would refuse the publish to the job summary of a plan', async () => {
    const more = await Growing.of(folder, 'more', { records: 30, accounts: 3 });
    const less = await Growing.of(folder, 'less', { records: 10, accounts: 3 });
    const [site, summary] = [join(folder, 'planned'), join(folder, 'planned.md')];
    expect(await palimpsestHere(['publish', site, '--out', more.out])).toMatchObject({ code: 0 });
    const { code, stdout } = await palimpsestHere(['publish', site, '--out', less.out, '--plan', '--json'], {
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(code).toBe(3);
    const codes = JSON.parse(stdout).refusals.map((refusal: { readonly code: string }) => refusal.code);
    expect(codes).toContain('reader-gaps');
    expect([...readFileSync(summary, 'utf8').matchAll(/^\| refused \| (.*) \|$/gm)].map(([, code]) => code)).toEqual(codes);
  });

  it('adds the reason why store push refused to the job summary', async () => {
    const [store, target, summary] = [join(folder, 'a.db'), join(folder, 'private'), join(folder, 'push.md')];
    for (const id of [1, 2]) {
      const input = JSON.stringify({ observed_at: `2020-01-0${id}T00:00:00Z`, id: String(id), screen_name: `somebody_${id}`, bio: 'x' });
      const path = id === 1 ? store : join(folder, 'b.db');
      expect(await palimpsestHere(['observe', '-', '--store', path], { input })).toMatchObject({ code: 0 });
    }
    const push = (path: string) => palimpsestHere(['store', 'push', target, '--store', path], { env: { GITHUB_STEP_SUMMARY: summary } });
    expect(await push(store)).toMatchObject({ code: 0 });
    expect(existsSync(summary)).toBe(false);
    expect(await push(join(folder, 'b.db'))).toMatchObject({ code: 3 });
    expect(readFileSync(summary, 'utf8')).toContain('| refused | store-diverged |');
  });

  it('adds nothing for wrong usage or another failure', async () => {
    const summary = join(temporaryFolder(), 'summary.md');
    const env = { GITHUB_STEP_SUMMARY: summary };
    expect(await palimpsestHere(['publish', 's3://'], { env })).toMatchObject({ code: 2 });
    expect(await palimpsestHere(['publish', join(folder, 'nowhere'), '--out', temporaryFolder()], { env })).toMatchObject({ code: 1 });
    expect(existsSync(summary)).toBe(false);
  });
});

describe('refusalTable', () => {
  it('keeps each text in its cell, whatever characters it has', () => {
    const table = refusalTable({ code: 'not-ours', message: 'a|b\nc', expected: 'x', found: undefined, hint: '' });
    expect(table).toBe('\n| refused | not-ours |\n| --- | --- |\n| reason | a\\|b\\u000ac |\n| expected | x |\n');
  });
});
