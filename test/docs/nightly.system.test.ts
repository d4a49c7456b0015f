import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { partialOf } from '../../src/storage/targets/folder-file.ts';
import { bioRecord } from '../support/bio-record.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { shell } from '../support/shell.ts';
import type { ShownRecord } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { section } from './blocks.ts';
import { machine } from './machine.ts';
import { blocks, DONE, JOB_ENV, night, page, STEPS, type Step, snapshot, stepsIn, variables } from './nightly-page.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));

/** Steps with two folders beside the job's own in place of the buckets. */
const inFolders = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => ({
    ...step,
    command: step.command.replaceAll('s3://$BUCKET', '../bucket').replaceAll('s3://$STORE_BUCKET', '../private'),
  }));
const local = inFolders(STEPS);
const withoutPull = local.filter(({ command }) => !command.includes('store pull'));

/** Runs one night with folders as buckets. */
const nightIn = (work: string, name: string, snapshots: readonly unknown[], steps = local, env: Readonly<Record<string, string>> = {}) =>
  night(work, name, snapshots, { steps, env, programs: { aws: 'mkdir -p "$(dirname "$4")" && cp "$3" "$4"' } });

/** Imports, before it observes, two records of a history service whose dates disagree with the order of their ids. */
const withHistory = local.flatMap((step) => {
  if (!step.command.includes('palimpsest observe')) return [step];
  const more = (day: number) => ({
    account: `historical_${day}`,
    first_encountered_date: `2020-01-0${day}T00:00:00Z`,
    diff_html: '<b>a</b>',
  });
  const records = [bioRecord(10, more(2)), bioRecord(11, more(1))].map((record) => `'${JSON.stringify(record)}'`);
  return [{ command: `printf '%s\\n' ${records.join(' ')} | npx palimpsest import -`, condition: undefined, env: {} }, step];
});

/** The accounts that each night observes for the first time. */
const ACCOUNTS = 12;
const many = (day: number) => Array.from({ length: ACCOUNTS * day }, (_, index) => snapshot(100 + index, day));

/** The records that readers see at the bucket, by their ids. */
function seen(work: string): Map<number, ShownRecord> {
  const pages = join(work, 'bucket/site/rest/data/page');
  const records = readdirSync(pages).flatMap(
    (page): ShownRecord[] => JSON.parse(readFileSync(join(pages, page, 'index.json'), 'utf8')).results,
  );
  return new Map(records.map((record) => [record.id, record]));
}

const issues = (work: string) => (existsSync(join(work, 'issues.txt')) ? readFileSync(join(work, 'issues.txt'), 'utf8') : '');

describe('the job in docs/nightly.md', () => {
  const home = join(folderOfFile(), 'home');
  beforeAll(async () => {
    mkdirSync(home);
    expect(await nightIn(home, 'first', many(1), withHistory)).toEqual(DONE);
  });

  /** Returns a copy of the buckets and the machine after the first night. */
  function afterFirstNight(): string {
    const work = temporaryFolder();
    cpSync(home, work, { recursive: true });
    return work;
  }

  it('pulls, observes, builds, verifies, pushes, plans and publishes, in this order', () => {
    const commands = STEPS.flatMap(({ command }) => /^npx palimpsest (store \w+|\w+)( .*--dry-run)?/.exec(command)?.slice(1) ?? []);
    expect(commands.filter(Boolean).map((word) => word?.trim().split(' ').at(-1))).toEqual([
      ...['pull', 'observe', 'build', 'verify', 'push', 'publish', '--dry-run', 'publish'],
    ]);
  });

  it('completes an interrupted publish of the night before, and keeps all published records and rejected items', async () => {
    const work = afterFirstNight();
    expect(issues(work)).toBe('');
    const before = seen(work);

    // the feed is published, and then the page of an account cannot be written
    const blocked = partialOf(join(work, 'bucket/site'), 'rest/account/index.json');
    mkdirSync(blocked, { recursive: true });
    const unusable = { ...snapshot(400, 2), screen_name: 7 };
    const broken = await nightIn(work, 'second', [...many(2), unusable]);
    expect(broken.ended).toMatch(/publish .* > published.json/);
    expect(broken.stderr).toContain('(file-system)');
    expect(issues(work)).toContain('issue create --title The nightly publish failed');
    const rejects = join(work, 'private/rejects');
    expect(readdirSync(rejects)).toEqual(['second-1.ndjson']);
    expect(JSON.parse(readFileSync(join(rejects, 'second-1.ndjson'), 'utf8'))).toMatchObject({ code: 'bad-field', item: unusable });
    const halfway = seen(work);
    expect(halfway.size).toBeGreaterThan(before.size);
    rmSync(blocked, { recursive: true });

    expect(await nightIn(work, 'third', many(3))).toEqual(DONE);
    const after = seen(work);
    expect(after.size).toBeGreaterThan(halfway.size);
    for (const [id, record] of [...before, ...halfway]) expect(after.get(id)).toEqual(record);
    expect(readFileSync(join(work, 'third/summary.md'), 'utf8')).toMatch(/^\| published \| /m);
  });

  it('refuses to run without a pull before it changes the store or the site, and says so in the job summary', async () => {
    const work = afterFirstNight();
    const before = [filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))];
    expect(withoutPull).toHaveLength(local.length - 1);
    const left = await nightIn(work, 'left-out', [snapshot(300, 2)], withoutPull);
    expect(left).toMatchObject({
      ended: expect.stringContaining('store push'),
      status: 3,
      stderr: expect.stringContaining('(store-diverged)'),
    });
    expect(readFileSync(join(work, 'left-out/summary.md'), 'utf8')).toContain('| refused | store-diverged |');
    expect([filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))]).toEqual(before);
    // the next whole night continues from the store of the first
    expect(await nightIn(work, 'third', many(2))).toEqual(DONE);
  });

  it('stops at the plan if a guard would refuse the publish, and says so in the job summary', async () => {
    const work = afterFirstNight();
    // somebody replaced the store on purpose, but not the site
    rmSync(join(work, 'private'), { recursive: true });
    mkdirSync(join(work, 'private'));
    const refused = await nightIn(work, 'smaller', [snapshot(300, 2)], withoutPull);
    expect(refused).toMatchObject({ ended: expect.stringContaining('--dry-run'), status: 3 });
    expect(JSON.parse(readFileSync(join(work, 'smaller/plan.json'), 'utf8'))).toMatchObject({ refusals: [{ code: 'reader-gaps' }] });
    expect(readFileSync(join(work, 'smaller/summary.md'), 'utf8')).toContain('| refused | reader-gaps |');
    expect(issues(work)).toContain('issue create');
  });
});

describe('the variant with versions in docs/nightly.md', () => {
  it('adds a version every night', async () => {
    const work = temporaryFolder();
    const [env = '', step = ''] = blocks('A nightly job with versions', 'yaml');
    const publishing = local.findIndex(({ command }) => command.endsWith('> published.json'));
    const steps = local.toSpliced(publishing + 1, 0, ...inFolders(stepsIn(step)));
    const run = (name: string, snapshots: readonly unknown[]) => nightIn(work, name, snapshots, steps, variables(env));
    expect(await run('first', many(1))).toEqual(DONE);
    expect(await run('second', many(2))).toEqual(DONE);
    const { versions } = JSON.parse(readFileSync(join(work, 'bucket/site/head.json'), 'utf8'));
    expect(versions).toMatchObject([
      { number: 1, accounts: ACCOUNTS },
      { number: 2, accounts: 2 * ACCOUNTS },
    ]);
  });
});

describe('the script for a server in docs/nightly.md', () => {
  const line = /^ {4}17 3 \* \* \* cd \/srv\/history && (.*)$/m.exec(page)?.[1] ?? '';

  it('skips a night while another one runs, says so, and keeps the log of the other', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'nightly.log'), 'observing');
    expect(await shell(`exec 9> nightly.lock; flock 9; ${line}`, cwd)).toMatchObject({
      stderr: 'nightly.sh: exit code 75 (75: skipped, the previous run has not ended)\n',
    });
    expect(readFileSync(join(cwd, 'nightly.log'), 'utf8')).toBe('observing');
  });

  it('publishes what is new in each run, also after a refused one, and keeps the snapshots of runs with rejected items', async () => {
    const cwd = temporaryFolder();
    const fetched = join(cwd, 'fetched.ndjson');
    const fetch = `mkdir -p "$1"; folder=$(mktemp -d "$1/$(date -u +%F)-XXXX"); cp ${fetched} "$folder"; echo "$folder"`;
    writeFileSync(join(cwd, 'fetch-snapshots.sh'), `#!/bin/sh\n${fetch}\n`, { mode: 0o755 });
    const script = (blocks('On a server with cron', 'sh')[0] ?? '').replace('/var/www/palimpsest/out', 'bucket/site');
    writeFileSync(join(cwd, 'nightly.sh'), script, { mode: 0o755 });
    const refused = expect.stringMatching(/\(too-many-rejects\)\n(?:.*\n)*nightly\.sh: exit code 3 /);
    const first = /^(?:warning: (?:backup|bucket\/site) is a new target: .*\n){2}$/;
    let [steps, size] = [0, 0];
    for (const [day, bad, stderr, kept] of [
      [1, 0, expect.stringMatching(first), 0],
      [2, 10, refused, 2],
      [2, 0, '', 2],
      [3, 1, expect.stringMatching(/^warning: 1 item rejected, written to snapshots\/.*\.ndjson\n$/), 4],
    ]) {
      const snapshots = [...many(day), ...Array.from({ length: bad }, () => ({ screen_name: 7 }))];
      writeFileSync(fetched, snapshots.map((one) => `${JSON.stringify(one)}\n`).join(''));
      expect(await shell(line, cwd, { PATH: machine(cwd) })).toEqual({ status: 0, stdout: '', stderr });
      // the log keeps earlier runs, and has the steps of a run that failed
      steps += stderr === refused ? 1 : 5;
      const log = readFileSync(join(cwd, 'nightly.log'), 'utf8');
      expect(log.match(/^20\d\d-[\d-]+T[\d:]+Z palimpsest (?:observe|build|verify|store push|publish) /gm)).toHaveLength(steps);
      expect(/^published to bucket\/site/m.test(log.slice(size))).toBe(stderr !== refused);
      size = log.length;
      expect(readdirSync(join(cwd, 'snapshots'))).toHaveLength(kept);
    }
    expect(new Set([...seen(cwd).values()].map(({ account }) => account)).size).toBe(3 * ACCOUNTS);
  });
});

describe('the table of hosts in docs/nightly.md', () => {
  const commands = [...section(page, 'How readers reach the pages').matchAll(/^\| [^|]* \| `(palimpsest [^`]*)` \|/gm)].map(
    ([, command = '']) => command,
  );

  it('has commands that write the files of each host', async () => {
    const cwd = temporaryFolder();
    const env = { ...JOB_ENV, PATH: machine(cwd) };
    expect(await shell(`palimpsest import "${SAMPLE}" && palimpsest build`, cwd, env)).toMatchObject({ status: 0 });
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      rmSync(join(cwd, 'host'), { recursive: true, force: true });
      expect(await shell(command, cwd, env), command).toMatchObject({ status: 0 });
      const files = [...filesIn(join(cwd, 'host')).values()].join('');
      if (command.includes('--origin')) expect(files).toContain('history-example.s3.eu-central-1.amazonaws.com');
    }
  });
});
