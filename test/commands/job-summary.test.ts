import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summaryTable } from '../../src/commands/job-summary.ts';
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

  it('adds nothing for wrong usage or another failure', async () => {
    const summary = join(temporaryFolder(), 'summary.md');
    const env = { GITHUB_STEP_SUMMARY: summary };
    expect(await palimpsestHere(['publish', 's3://'], { env })).toMatchObject({ code: 2 });
    expect(await palimpsestHere(['publish', join(folder, 'nowhere'), '--out', temporaryFolder()], { env })).toMatchObject({ code: 1 });
    expect(existsSync(summary)).toBe(false);
  });
});

describe('summaryTable', () => {
  it('keeps each text in its cell, whatever characters it has, and has no row without a text', () => {
    const table = summaryTable(
      ['refused', 'not-ours'],
      [
        ['reason', 'a|b\nc'],
        ['expected', 'x'],
        ['found', undefined],
        ['try', ''],
      ],
    );
    expect(table).toBe('\n| refused | not-ours |\n| --- | --- |\n| reason | a\\|b\\u000ac |\n| expected | x |\n');
  });
});
