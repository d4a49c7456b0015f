import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CEPH, fetchAll, rclone } from '../publish/stores.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import type { ShownRecord } from '../support/snapshots.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const document = readFileSync(join(ROOT, 'docs/nightly.md'), 'utf8');

/** The job's own steps that call palimpsest, as a shell would run them. */
const steps = [...document.matchAll(/^ +run: (npx palimpsest .*)$/gm)].map(([, command = '']) => command);

it.skipIf(CEPH.requirement.skip || rclone.skip)(
  'docs/nightly.md has commands that work one after another, two nights long',
  async () => {
    expect(steps.map((step) => step.split(' ')[2])).toEqual(['store', 'observe', 'build', 'verify', 'store', 'publish', 'publish']);
    const folder = temporaryFolder();
    const store = await CEPH.start();
    try {
      cpSync(join(ROOT, 'data/sample-snapshots.ndjson'), join(folder, 'snapshots/tonight.ndjson'));
      const env = {
        ...process.env,
        ...CEPH.env(store.endpoint),
        BUCKET: 'history',
        STORE_BUCKET: 'history',
        PALIMPSEST_BASE_URL: 'https://history.example.org',
      };
      for (const night of ['first', 'second']) {
        const nightly = { ...env, PALIMPSEST_ALLOW_MISSING: firstNight(night) };
        for (const step of steps) {
          const command = step.replace('npx palimpsest', `"${process.execPath}" "${BIN}"`);
          const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env: nightly, encoding: 'utf8' });
          expect(status, `${night} night: ${step}\n${stderr}`).toBe(0);
        }
        const published = JSON.parse(readFileSync(join(folder, 'published.json'), 'utf8'));
        expect(published.invalidate).toEqual(['/rest/*']);
        await fetchAll(CEPH, store.endpoint, 'site', join(folder, 'fetched'));
        expect(spawnSync('sha256sum', ['--quiet', '-c', 'manifest-sha256.txt'], { cwd: join(folder, 'fetched') }).status).toBe(0);
        const snapshot = { observed_at: '2030-01-01T00:00:00Z', id: '9', screen_name: 'somebody_new', bio: 'hello' };
        writeFileSync(join(folder, 'snapshots/tonight.ndjson'), `${JSON.stringify(snapshot)}\n`);
      }
    } finally {
      await store.stop();
    }
  },
  120_000,
);

/** Every step of the job, as a shell would run them, but for what installs palimpsest and what tells of a failure. */
const whole = [...document.matchAll(/^ +(?:- )?run: (.*)$/gm)]
  .map(([, command = '']) => command)
  .filter((command) => !/^(npm ci|gh issue) ?/.test(command));

/** What the job's variable says on its first night, which is started by hand, and on every other. */
function firstNight(name: string): string {
  expect(document).toMatch(/PALIMPSEST_ALLOW_MISSING: '\$\{\{ inputs\.first_night \}\}'/);
  return name === 'first' ? 'true' : '';
}

/** What stands for the tool of the job; its buckets are two folders beside the night's own. */
const TOOLS = `set -e
npx() { shift; "${process.execPath}" "${BIN}" "$@"; }
`;

const snapshot = (id: number, day: number) => ({
  observed_at: `2030-01-0${day}T00:00:00Z`,
  id: String(id),
  screen_name: `somebody_${id}`,
  bio: `as of day ${day}`,
});

/** How far a job came, with what exit code, and what it said last. */
interface Night {
  readonly ended: string;
  readonly status: number | null;
  readonly stderr: string;
}

/** One night on a new machine, which has nothing but the buckets. */
function night(work: string, name: string, snapshots: readonly object[], steps: readonly string[] = whole): Night {
  const folder = join(work, name);
  mkdirSync(folder);
  const lines = snapshots.map((one) => JSON.stringify(one)).join('\n');
  writeFileSync(join(folder, 'fetch-snapshots.sh'), `#!/bin/sh\nmkdir -p "$1"\ncat > "$1/tonight.ndjson" <<'END'\n${lines}\nEND\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PALIMPSEST_BASE_URL: 'https://history.example.org', PALIMPSEST_ALLOW_MISSING: firstNight(name) };
  for (const step of steps) {
    const command = TOOLS + step.replaceAll('s3://$BUCKET', '../bucket').replaceAll('s3://$STORE_BUCKET', '../private');
    const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) return { ended: step, status, stderr };
  }
  return { ended: 'all done', status: 0, stderr: '' };
}

const DONE: Night = { ended: 'all done', status: 0, stderr: '' };
const many = (day: number, from: number) => Array.from({ length: 30 }, (_, index) => snapshot(from + index, day));

/** The records that readers see at the bucket, by their ids. */
function seen(work: string): Map<number, ShownRecord> {
  const pages = join(work, 'bucket/site/rest/data/page');
  const records = readdirSync(pages).flatMap(
    (page): ShownRecord[] => JSON.parse(readFileSync(join(pages, page, 'index.json'), 'utf8')).results,
  );
  return new Map(records.map((record) => [record.id, record]));
}

it('docs/nightly.md has a job that completes an interrupted publish of the night before, and keeps all published records', () => {
  const work = temporaryFolder();
  expect(night(work, 'first', many(1, 100))).toEqual(DONE);
  const before = seen(work);

  // the feed goes out, and then an account's page cannot be written
  const blocked = join(work, 'bucket/site/rest/account/index.json.partial');
  mkdirSync(blocked);
  const broken = night(work, 'second', many(2, 200));
  expect(broken.ended).toMatch(/publish .* > published.json/);
  expect(broken.stderr).toContain('(file-system)');
  const halfway = seen(work);
  expect(halfway.size).toBeGreaterThan(before.size);
  rmSync(blocked, { recursive: true });

  // other news, and less of it
  expect(night(work, 'third', [snapshot(300, 3), snapshot(301, 3)])).toEqual(DONE);
  const after = seen(work);
  expect(after.size).toBeGreaterThan(halfway.size);
  for (const [id, record] of [...before, ...halfway]) expect(after.get(id)).toEqual(record);
});

it('docs/nightly.md has a job that refuses to run without a pull before it changes the store or the site', () => {
  const work = temporaryFolder();
  expect(night(work, 'first', many(1, 100))).toEqual(DONE);
  const before = [filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))];
  const withoutPull = whole.filter((step) => !step.includes('store pull'));
  expect(withoutPull).toHaveLength(whole.length - 1);
  const left = night(work, 'left out', [snapshot(300, 2)], withoutPull);
  expect(left).toMatchObject({
    ended: expect.stringContaining('store push'),
    status: 3,
    stderr: expect.stringContaining('(store-diverged)'),
  });
  expect([filesIn(join(work, 'private')), filesIn(join(work, 'bucket'))]).toEqual(before);
  // the next whole night goes on from the store of the first
  expect(night(work, 'third', [snapshot(300, 2)])).toEqual(DONE);
});

it('docs/nightly.md has a job that fails if the store is missing on a later night', () => {
  const work = temporaryFolder();
  expect(night(work, 'first', many(1, 100))).toEqual(DONE);
  rmSync(join(work, 'private'), { recursive: true });
  const missing = night(work, 'second', many(2, 200));
  expect(missing).toMatchObject({ ended: expect.stringContaining('store pull'), status: 1, stderr: expect.stringContaining('(no-store)') });
});

it('docs/nightly.md has a job that stops at the plan if a guard would refuse the publish', () => {
  const work = temporaryFolder();
  expect(night(work, 'first', many(1, 100))).toEqual(DONE);
  // somebody replaced the store on purpose, and not the site
  rmSync(join(work, 'private'), { recursive: true });
  mkdirSync(join(work, 'private'));
  const smaller = whole.filter((step) => !step.includes('store pull'));
  const refused = night(work, 'smaller', [snapshot(300, 2)], smaller);
  expect(refused).toMatchObject({ ended: expect.stringContaining('--plan'), status: 3 });
  expect(JSON.parse(readFileSync(join(work, 'smaller/plan.json'), 'utf8'))).toMatchObject({ refusals: [{ code: 'reader-gaps' }] });
});
