import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files, pagesIn } from '../whole/trees.ts';
import { FORMS, formsAt, timesFor } from './forms.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { FAULTS, type FaultyProxy, startProxy } from './proxy.ts';
import { fetchAll, rclone, STORES, type Store, SWIFT } from './stores.ts';

const FAULTY = times('publishes through a faulty network', 1, 20);
const KILLS = times('killed publishes', 1, 100);
/** The number of records. A short test has fewer, and fewer requests at once: at most 5 % of the objects are in progress. */
const [RECORDS, AT_ONCE] = isFull ? [4_000, []] : [2_000, ['--concurrency', '8']];
/** The same with two compressed files for each page. */
const RECORDS_WITH_VARIANTS = isFull ? 4_000 : 1_000;
const RATE = 0.3;

const folder = folderOfFile();

// Swift takes ten times as long; race.test.ts also kills publishes to Swift
describe.each(STORES.filter((kind) => kind !== SWIFT))('publishing to $name through a proxy', (kind) => {
  const skip = kind.requirement.skip || rclone.skip;
  let store: Store;
  let proxy: FaultyProxy;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    if (skip) return;
    store = await kind.start();
    proxy = await startProxy(store.endpoint);
    env = kind.env(proxy.endpoint);
  });
  afterEach(() => {
    proxy.draw = () => undefined;
  });
  afterAll(async () => {
    await proxy?.stop();
    await store?.stop();
  });

  async function found(prefix: string): Promise<Files> {
    const fetched = `${folder}/${prefix} fetched from ${kind.name}`;
    await fetchAll(kind, store.endpoint, prefix, fetched);
    const files = new Map(pagesIn(fetched));
    expect(files.delete('publish.json')).toBe(true);
    return files;
  }

  it.skipIf(skip)(
    `loses nothing if ${RATE * 100} % of the requests fail`,
    async () => {
      const random = chance(11);
      const history = await Growing.of(folder, `faulty ${kind.name}`, { records: 600, most: 600 + FAULTY * 7, accounts: 40 });
      proxy.draw = () => (random() < RATE ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined);
      for (let night = 0; night < FAULTY; night += 1) {
        const summary = await publishJson(publishArgs(history.out, kind.address('faulty'), ['--timeout', '2']), env);
        expect(summary['requests']).toMatchObject({ retries: expect.any(Number) });
        expect(differences(await found('faulty'), history.files())).toEqual([]);
        if (night < FAULTY - 1) await history.grow(7);
      }
      const counts = [...proxy.faults].map(([fault, count]) => `${fault} ${count}`).join(', ');
      console.log(`faults at ${kind.name}: ${FAULTY} publishes, ${proxy.requests} requests: ${counts}`);
      for (const fault of FAULTS) expect(proxy.faults.get(fault), fault).toBeGreaterThan(0);
    },
    60_000 + FAULTY * 60_000,
  );

  it.skipIf(skip).each(formsAt(kind))(
    'continues after a kill with pages kept $name, ends with the same bytes, and sends few objects twice',
    async (form) => {
      const kills = timesFor(form, KILLS);
      const prefix = `killed-${FORMS.indexOf(form)}`;
      const random = chance(13);
      const records = form.suffixes.length > 1 ? RECORDS_WITH_VARIANTS : RECORDS;
      const history = await Growing.of(folder, `${prefix} ${kind.name}`, { records, most: records + 9 * kills }, form.build);
      const args = publishArgs(history.out, kind.address(prefix), [...AT_ONCE, ...form.publish]);
      await publishJson(args, env);
      let worst = 0;
      for (let killed = 0; killed < kills; killed += 1) {
        await history.grow(9);
        proxy.puts.clear();
        // nearly every page changes, so every number of writes below this one is reached
        const writes = random() * 0.9 * history.files().size;
        const { signal } = await runAndKill(args, { sign: () => proxy.puts.size > writes, delay: 0 }, { env });
        expect(signal).toBe('SIGKILL');
        const summary = await publishJson(args, env);
        expect(differences(form.opened(await found(prefix)), history.files())).toEqual([]);
        const pages = [...proxy.puts].filter(([path]) => path.includes('/rest/'));
        const twice = pages.filter(([, times]) => times > 1).length;
        worst = Math.max(worst, twice / pages.length);
        expect(twice / pages.length, `sent twice, after ${JSON.stringify(summary['done'])}`).toBeLessThanOrEqual(0.05);
      }
      console.log(`kills at ${kind.name}, ${form.name}: ${kills}; at worst ${(worst * 100).toFixed(1)} % of the objects went twice`);
    },
    150_000 + KILLS * 40_000,
  );

  it.skipIf(skip)('completes the requests in progress on SIGTERM, and the next run completes the rest', async () => {
    const history = await Growing.of(folder, `drained ${kind.name}`, { records: 1_500 });
    const args = publishArgs(history.out, kind.address('drained'), ['--concurrency', '4', '--json']);
    const { code, stdout } = await palimpsest(args, {
      env,
      onStart: (child) =>
        void (async () => {
          const sent = () => [...proxy.puts.keys()].filter((path) => path.includes('/drained/rest/')).length;
          while (child.exitCode === null && sent() < 20) await setTimeout(2);
          child.kill('SIGTERM');
        })(),
    });
    expect(code).toBe(143);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'stopped' } });
    const twiceBefore = [...proxy.puts].filter(([path, times]) => path.includes('/drained/rest/') && times > 1);
    expect(twiceBefore).toEqual([]);
    const summary = await publishJson(args.slice(0, -1), env);
    expect(summary).toMatchObject({ resumed: true });
    expect([...proxy.puts].filter(([path, times]) => path.includes('/drained/rest/') && times > 1)).toEqual([]);
    expect(differences(await found('drained'), history.files())).toEqual([]);
  });
});
