import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files, pagesIn } from '../whole/trees.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { FAULTS, type FaultyProxy, startProxy } from './proxy.ts';
import { ceph, fetchAll, rclone, S3_KEYS, type Store, startCeph } from './stores.ts';

/** How many publishes go through the faulty proxy, and how many are killed; the full proof has 20 and 100. */
const FAULTY = Number(process.env['PALIMPSEST_TEST_FAULTY'] ?? 2);
const KILLS = Number(process.env['PALIMPSEST_TEST_PUBLISH_KILLS'] ?? 3);
const RATE = 0.3;

const folder = folderOfFile();

describe.skipIf(ceph.skip || rclone.skip)('publishing to Ceph through a proxy', () => {
  let store: Store;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    store = await startCeph();
    proxy = await startProxy(store.endpoint);
  });
  afterAll(async () => {
    await proxy?.stop();
    await store?.stop();
  });

  async function found(prefix: string): Promise<Files> {
    const fetched = `${folder}/${prefix}-fetched`;
    await fetchAll(store.endpoint, prefix, fetched);
    const files = new Map(pagesIn(fetched));
    expect(files.delete('publish.json')).toBe(true);
    return files;
  }

  it(
    `loses nothing where ${RATE * 100} % of the requests fail`,
    async () => {
      const random = chance(11);
      const history = await Growing.of(folder, 'faulty', { records: 600, most: 600 + FAULTY * 7, accounts: 40 });
      proxy.draw = () => (random() < RATE ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined);
      for (let night = 0; night < FAULTY; night += 1) {
        const summary = await publishJson(publishArgs(history.out, 'faulty', proxy.endpoint, ['--timeout', '1']));
        expect(summary['requests']).toMatchObject({ retries: expect.any(Number) });
        expect(differences(await found('faulty'), history.files())).toEqual([]);
        if (night < FAULTY - 1) await history.grow(7);
      }
      proxy.draw = () => undefined;
      const counts = [...proxy.faults].map(([fault, count]) => `${fault} ${count}`).join(', ');
      console.log(`faults: ${FAULTY} publishes, ${proxy.requests} requests: ${counts}`);
      for (const fault of FAULTS) expect(proxy.faults.get(fault), fault).toBeGreaterThan(0);
    },
    60_000 + FAULTY * 60_000,
  );

  it(
    'goes on after a kill, to the same bytes, and sends little twice',
    async () => {
      const random = chance(13);
      const history = await Growing.of(folder, 'killed', { records: 4_000, most: 4_000 + 9 * (KILLS * 3 + 1) });
      const args = publishArgs(history.out, 'killed', proxy.endpoint);
      const started = performance.now();
      await publishJson(args);
      // a run that ends before its kill shows that kills have to come earlier
      let took = performance.now() - started;
      let [landed, late, worst] = [0, 0, 0];
      while (landed < KILLS && late < KILLS * 2) {
        await history.grow(9);
        proxy.puts.clear();
        const { signal } = await runAndKill(args, { delay: 150 + random() * took }, { env: S3_KEYS });
        const summary = await publishJson(args);
        expect(differences(await found('killed'), history.files())).toEqual([]);
        if (signal === 'SIGKILL') landed += 1;
        else {
          late += 1;
          took *= 0.8;
        }
        const pages = [...proxy.puts].filter(([path]) => path.includes('/rest/'));
        const twice = pages.filter(([, times]) => times > 1).length;
        worst = Math.max(worst, twice / pages.length);
        expect(twice / pages.length, `sent twice, after ${JSON.stringify(summary['done'])}`).toBeLessThanOrEqual(0.05);
      }
      console.log(`kills: ${landed} landed, ${late} came too late; at worst ${(worst * 100).toFixed(1)} % of the objects went twice`);
      expect(landed).toBe(KILLS);
    },
    60_000 + KILLS * 40_000,
  );

  it('completes what is under way on SIGTERM, and the next run the rest', async () => {
    const history = await Growing.of(folder, 'drained', { records: 4_000 });
    const args = publishArgs(history.out, 'drained', proxy.endpoint, ['--concurrency', '4', '--json']);
    const { code, stdout } = await palimpsest(args, {
      env: S3_KEYS,
      onStart: (child) =>
        void (async () => {
          while (proxy.puts.get('/history/drained/publish.json') === undefined) await setTimeout(5);
          await setTimeout(100);
          child.kill('SIGTERM');
        })(),
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'stopped' } });
    const twiceBefore = [...proxy.puts].filter(([path, times]) => path.includes('/drained/rest/') && times > 1);
    expect(twiceBefore).toEqual([]);
    const summary = await publishJson(args.slice(0, -1));
    expect(summary).toMatchObject({ resumed: true });
    expect([...proxy.puts].filter(([path, times]) => path.includes('/drained/rest/') && times > 1)).toEqual([]);
    expect(differences(await found('drained'), history.files())).toEqual([]);
  });

  it('renews credentials that run out while it is at it', async () => {
    const history = await Growing.of(folder, 'renewed', { records: 600, accounts: 40 });
    const asked = `${folder}/asked`;
    writeFileSync(
      `${folder}/credentials.sh`,
      `echo >> ${asked}; echo "{\\"Version\\":1,\\"AccessKeyId\\":\\"test\\",\\"SecretAccessKey\\":\\"testtest\\",\\"Expiration\\":\\"$(date -u -d '+1 second' +%FT%TZ)\\"}"\n`,
    );
    writeFileSync(`${folder}/aws-config`, `[profile short]\ncredential_process = sh ${folder}/credentials.sh\n`);
    const env = { AWS_CONFIG_FILE: `${folder}/aws-config`, AWS_PROFILE: 'short', AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const args = publishArgs(history.out, 'renewed', proxy.endpoint, ['--concurrency', '2']);
    const { code, stderr } = await palimpsest(args, { env });
    expect(code, stderr).toBe(0);
    expect(readFileSync(asked, 'utf8').length).toBeGreaterThan(1);
  });
});
