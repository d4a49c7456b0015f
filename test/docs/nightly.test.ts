import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CEPH, fetchAll, rclone } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import type { ShownRecord } from '../support/snapshots.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const document = readFileSync(join(ROOT, 'docs/nightly.md'), 'utf8');

/** The job's own steps that call palimpsest, as a shell would run them. */
const steps = [...document.matchAll(/^ +run: (npx palimpsest .*)$/gm)].map(([, command = '']) => command);

it.skipIf(CEPH.requirement.skip || rclone.skip)(
  'docs/nightly.md has commands that work one after another, two nights long',
  async () => {
    expect(steps.map((step) => step.split(' ')[2])).toEqual(['observe', 'build', 'verify', 'publish', 'publish']);
    const folder = temporaryFolder();
    const store = await CEPH.start();
    try {
      cpSync(join(ROOT, 'data/sample-snapshots.ndjson'), join(folder, 'snapshots/tonight.ndjson'));
      const env = {
        ...process.env,
        ...CEPH.env(store.endpoint),
        BUCKET: 'history',
        PALIMPSEST_BASE_URL: 'https://history.example.org',
      };
      for (const night of ['first', 'second']) {
        for (const step of steps) {
          const command = step.replace('npx palimpsest', `"${process.execPath}" "${BIN}"`);
          const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
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

/** What stands for the tools of the job and for what is yours: a bucket that is a folder beside the night's own. */
const TOOLS = `set -e
npx() { shift; "${process.execPath}" "${BIN}" "$@"; }
aws() { mkdir -p ../bucket/store; cp "$3" "$4"; }
`;

const snapshot = (id: number, day: number) => ({
  observed_at: `2030-01-0${day}T00:00:00Z`,
  id: String(id),
  screen_name: `somebody_${id}`,
  bio: `as of day ${day}`,
});

/** One night on a new machine, which has nothing but the bucket: how far its job came, and what it said last. */
function night(work: string, name: string, snapshots: readonly object[]): { readonly ended: string; readonly stderr: string } {
  const folder = join(work, name);
  mkdirSync(folder);
  const lines = snapshots.map((one) => JSON.stringify(one)).join('\n');
  writeFileSync(join(folder, 'fetch-snapshots.sh'), `#!/bin/sh\nmkdir -p "$1"\ncat > "$1/tonight.ndjson" <<'END'\n${lines}\nEND\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PALIMPSEST_BASE_URL: 'https://history.example.org' };
  for (const step of whole) {
    if (name === 'first' && step.includes('cp s3://')) {
      mkdirSync(join(folder, 'data'));
      continue;
    }
    const command = TOOLS + step.replaceAll('s3://$BUCKET', '../bucket');
    const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) return { ended: step, stderr };
  }
  return { ended: 'all done', stderr: '' };
}

/** The records that readers see at the bucket, by their ids. */
function seen(work: string): Map<number, ShownRecord> {
  const pages = join(work, 'bucket/site/rest/data/page');
  const records = readdirSync(pages).flatMap(
    (page): ShownRecord[] => JSON.parse(readFileSync(join(pages, page, 'index.json'), 'utf8')).results,
  );
  return new Map(records.map((record) => [record.id, record]));
}

it('docs/nightly.md has a job that goes on from a night whose publish broke off, and keeps what readers saw', () => {
  const work = temporaryFolder();
  const many = (day: number, from: number) => Array.from({ length: 30 }, (_, index) => snapshot(from + index, day));
  expect(night(work, 'first', many(1, 100))).toEqual({ ended: 'all done', stderr: '' });
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
  expect(night(work, 'third', [snapshot(300, 3), snapshot(301, 3)])).toEqual({ ended: 'all done', stderr: '' });
  const after = seen(work);
  expect(after.size).toBeGreaterThan(halfway.size);
  for (const [id, record] of [...before, ...halfway]) expect(after.get(id)).toEqual(record);
});
