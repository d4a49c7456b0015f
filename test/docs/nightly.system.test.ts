import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { shell } from '../support/shell.ts';
import type { ShownRecord } from '../support/snapshots.ts';
import { blocks, DONE, type Ended, JOB_ENV, machine, runJob, STEPS, type Step, stepsIn, tableCommands, variables } from './nightly-page.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));

const snapshot = (id: number, day: number) => ({
  observed_at: `2030-01-0${day}T00:00:00Z`,
  id: String(id),
  screen_name: `somebody_${id}`,
  bio: `as of day ${day}`,
});

/** Steps with two folders beside the job's own in place of the buckets. */
const inFolders = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => ({
    ...step,
    command: step.command.replaceAll('s3://$BUCKET', '../bucket').replaceAll('s3://$STORE_BUCKET', '../private'),
  }));
const local = inFolders(STEPS);
const withoutPull = local.filter(({ command }) => !command.includes('store pull'));

/** Copies a file: aws s3 cp FROM TO. */
const AWS = 'mkdir -p "$(dirname "$4")" && cp "$3" "$4"';

/** Runs one night on a new machine, which has nothing but the buckets. */
function night(
  work: string,
  name: string,
  snapshots: readonly unknown[],
  steps: readonly Step[] = local,
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const cwd = join(work, name);
  mkdirSync(cwd);
  const lines = snapshots.map((one) => JSON.stringify(one)).join('\n');
  writeFileSync(join(cwd, 'fetch-snapshots.sh'), `#!/bin/sh\nmkdir -p "$1"\ncat > "$1/tonight.ndjson" <<'END'\n${lines}\nEND\n`, {
    mode: 0o755,
  });
  const env = {
    ...JOB_ENV,
    ...more,
    PATH: `${machine(work, { aws: AWS })}:${process.env['PATH']}`,
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    GITHUB_RUN_ID: name,
    GITHUB_RUN_ATTEMPT: '1',
  };
  return runJob({ cwd, env, firstNight: name === 'first', steps });
}

/** Two records of a history service. Their dates disagree with the order of their ids. */
const HISTORICAL = [2, 1].map((day, index) => ({
  id: 10 + index,
  account: `historical_${index}`,
  data_type: 'Bio',
  previous: null,
  text: 'a',
  first_encountered_date: `2020-01-0${day}T00:00:00Z`,
  diff_html: '<b>a</b>',
  web_archive_url: null,
}));

/** Steps that import those records before they observe. */
const withHistory = local.toSpliced(
  local.findIndex(({ command }) => command.includes('palimpsest observe')),
  0,
  {
    command: `printf '%s\\n' ${HISTORICAL.map((record) => `'${JSON.stringify(record)}'`).join(' ')} | npx palimpsest import -`,
    condition: undefined,
    env: {},
  },
);

const many = (day: number, from: number) => Array.from({ length: 30 }, (_, index) => snapshot(from + index, day));

/** The records that readers see at the bucket, by their ids. */
function seen(work: string): Map<number, ShownRecord> {
  const pages = join(work, 'bucket/site/rest/data/page');
  const records = readdirSync(pages).flatMap(
    (page): ShownRecord[] => JSON.parse(readFileSync(join(pages, page, 'index.json'), 'utf8')).results,
  );
  return new Map(records.map((record) => [record.id, record]));
}

const issues = (work: string) => (existsSync(join(work, 'issues.txt')) ? readFileSync(join(work, 'issues.txt'), 'utf8') : '');

describe('the job in docs/nightly.md', { timeout: 240_000 }, () => {
  let home = '';
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'palimpsest-nightly-'));
    expect(await night(home, 'first', many(1, 100), withHistory)).toEqual(DONE);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Returns a copy of the buckets and the machine after the first night. */
  function afterFirstNight(): string {
    const work = temporaryFolder();
    cpSync(home, work, { recursive: true });
    return work;
  }

  it('pulls, observes, builds, verifies, pushes, plans and publishes, in this order', () => {
    const commands = STEPS.flatMap(({ command }) => /^npx palimpsest (store \w+|\w+)( .*--plan)?/.exec(command)?.slice(1) ?? []);
    expect(commands.filter(Boolean).map((word) => word?.trim().split(' ').at(-1))).toEqual([
      ...['pull', 'observe', 'build', 'verify', 'push', 'publish', '--plan', 'publish'],
    ]);
  });

  it('completes an interrupted publish of the night before, and keeps all published records and rejected items', async () => {
    const work = afterFirstNight();
    expect(issues(work)).toBe('');
    const before = seen(work);

    // the feed is published, and then the page of an account cannot be written
    const blocked = join(work, 'bucket/site/rest/account/index.json.partial');
    mkdirSync(blocked);
    const unusable = { ...snapshot(400, 2), screen_name: 7 };
    const broken = await night(work, 'second', [...many(2, 200), unusable]);
    expect(broken.ended).toMatch(/publish .* > published.json/);
    expect(broken.stderr).toContain('(file-system)');
    expect(issues(work)).toContain('issue create --title The nightly publish failed');
    const rejects = join(work, 'private/rejects');
    expect(readdirSync(rejects)).toEqual(['second-1.ndjson']);
    expect(JSON.parse(readFileSync(join(rejects, 'second-1.ndjson'), 'utf8'))).toMatchObject({ code: 'bad-field', item: unusable });
    const halfway = seen(work);
    expect(halfway.size).toBeGreaterThan(before.size);
    rmSync(blocked, { recursive: true });

    // other and fewer snapshots
    expect(await night(work, 'third', [snapshot(300, 3), snapshot(301, 3)])).toEqual(DONE);
    const after = seen(work);
    expect(after.size).toBeGreaterThan(halfway.size);
    for (const [id, record] of [...before, ...halfway]) expect(after.get(id)).toEqual(record);
    expect(readFileSync(join(work, 'third/summary.md'), 'utf8')).toMatch(/^\| published \| /m);
  });

  it('refuses to run without a pull before it changes the store or the site, and says so in the job summary', async () => {
    const work = afterFirstNight();
    const before = [filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))];
    expect(withoutPull).toHaveLength(local.length - 1);
    const left = await night(work, 'left-out', [snapshot(300, 2)], withoutPull);
    expect(left).toMatchObject({
      ended: expect.stringContaining('store push'),
      status: 3,
      stderr: expect.stringContaining('(store-diverged)'),
    });
    expect(readFileSync(join(work, 'left-out/summary.md'), 'utf8')).toContain('| refused | store-diverged |');
    expect([filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))]).toEqual(before);
    // the next whole night continues from the store of the first
    expect(await night(work, 'third', [snapshot(300, 2)])).toEqual(DONE);
  });

  it('fails if the store is missing on a later night', async () => {
    const work = afterFirstNight();
    rmSync(join(work, 'private'), { recursive: true });
    const missing = await night(work, 'second', many(2, 200));
    expect(missing).toMatchObject({
      ended: expect.stringContaining('store pull'),
      status: 1,
      stderr: expect.stringContaining('(no-store)'),
    });
  });

  it('stops at the plan if a guard would refuse the publish, and says so in the job summary', async () => {
    const work = afterFirstNight();
    // somebody replaced the store on purpose, but not the site
    rmSync(join(work, 'private'), { recursive: true });
    mkdirSync(join(work, 'private'));
    const refused = await night(work, 'smaller', [snapshot(300, 2)], withoutPull);
    expect(refused).toMatchObject({ ended: expect.stringContaining('--plan'), status: 3 });
    expect(JSON.parse(readFileSync(join(work, 'smaller/plan.json'), 'utf8'))).toMatchObject({ refusals: [{ code: 'reader-gaps' }] });
    expect(readFileSync(join(work, 'smaller/summary.md'), 'utf8')).toContain('| refused | reader-gaps |');
    expect(issues(work)).toContain('issue create');
  });
});

describe('the variant with versions in docs/nightly.md', { timeout: 240_000 }, () => {
  it('adds a version every night', async () => {
    const work = temporaryFolder();
    const [env = '', step = ''] = blocks('A night with versions', 'yaml');
    const publishing = local.findIndex(({ command }) => command.endsWith('> published.json'));
    const steps = local.toSpliced(publishing + 1, 0, ...inFolders(stepsIn(step)));
    const run = (name: string, snapshots: readonly unknown[]) => night(work, name, snapshots, steps, variables(env));
    expect(await run('first', many(1, 100))).toEqual(DONE);
    expect(await run('second', many(2, 200))).toEqual(DONE);
    const { versions } = JSON.parse(readFileSync(join(work, 'bucket/site/head.json'), 'utf8'));
    expect(versions).toMatchObject([
      { number: 1, accounts: 30 },
      { number: 2, accounts: 60 },
    ]);
  });
});

describe('the table of hosts in docs/nightly.md', () => {
  it('has commands that write the files of each host', async () => {
    const cwd = temporaryFolder();
    const env = { ...JOB_ENV, PATH: `${machine(cwd)}:${process.env['PATH']}` };
    const build = `npx palimpsest import "${SAMPLE}" && npx palimpsest build`;
    expect(await shell(build, cwd, env)).toMatchObject({ status: 0 });
    const commands = tableCommands('How readers reach the pages');
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      rmSync(join(cwd, 'host'), { recursive: true, force: true });
      const { status, stderr } = await shell(`npx ${command}`, cwd, env);
      expect(status, `${command}\n${stderr}`).toBe(0);
      const files = [...filesIn(join(cwd, 'host')).values()].join('');
      if (command.includes('--origin')) expect(files).toContain('history-example.s3.eu-central-1.amazonaws.com');
    }
  });
});
