import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CEPH, fetchAll, rclone } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';

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
