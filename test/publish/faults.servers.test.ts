import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { FORMS, formsAt, timesFor } from './forms.ts';
import { Growing, publishArgs, publishedAt, publishJson } from './growing.ts';
import { FAULTS, type FaultyProxy, signalledAt, startProxy } from './proxy.ts';
import { rclone, STORES, type Store, SWIFT } from './stores.ts';

const FAULTY = times('publishes through a faulty network', 1, 20);
const KILLS = times('killed publishes', 1, 100);
const RECORDS = isFull ? 4_000 : 600;
const CONCURRENCY = 8;
const RATE = 0.3;

const folder = folderOfFile();

// Swift takes ten times as long; simulated.test.ts kills publishes at every request, and race.servers.test.ts those to Swift
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
    proxy.puts.clear();
  });
  afterAll(async () => {
    await proxy?.stop();
    await store?.stop();
  });

  it.skipIf(skip)(`loses nothing if ${RATE * 100} % of the requests fail`, async () => {
    const random = chance(11);
    const history = await Growing.of(folder, `faulty ${kind.name}`, { records: 300, most: 300 + FAULTY * 7, accounts: 30 });
    let faults = 0;
    proxy.draw = () => {
      if (random() >= RATE) return undefined;
      faults += 1;
      return FAULTS[faults % FAULTS.length];
    };
    for (let night = 0; night < FAULTY; night += 1) {
      const summary = await publishJson(publishArgs(history.out, kind.address('faulty'), ['--timeout', '2']), env);
      expect(summary['requests']).toMatchObject({ retries: expect.any(Number) });
      expect(differences(await publishedAt(kind, store, 'faulty', folder), history.files())).toEqual([]);
      if (night < FAULTY - 1) await history.grow(7);
    }
    const counts = [...proxy.faults].map(([fault, count]) => `${fault} ${count}`).join(', ');
    console.log(`faults at ${kind.name}: ${FAULTY} publishes, ${proxy.requests} requests: ${counts}`);
    for (const fault of FAULTS) expect(proxy.faults.get(fault), fault).toBeGreaterThan(0);
  });

  it.skipIf(skip).each(isFull ? formsAt(kind) : FORMS.slice(0, 1))(
    'continues after a kill with pages kept $name, ends with the same bytes, and sends few objects twice',
    async (form) => {
      const kills = timesFor(form, KILLS);
      const prefix = `killed-${FORMS.indexOf(form)}`;
      const random = chance(13);
      const history = await Growing.of(folder, `${prefix} ${kind.name}`, { records: RECORDS, most: RECORDS + 9 * kills }, form.build);
      const args = publishArgs(history.out, kind.address(prefix), ['--concurrency', String(CONCURRENCY), ...form.publish]);
      await publishJson(args, env);
      let worst = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        await history.grow(9);
        proxy.puts.clear();
        // nearly every page changes, so every number of writes below this one is reached
        const writes = random() * 0.9 * history.files().size;
        const killed = await signalledAt(proxy, () => proxy.puts.size > writes, args, env);
        expect(killed.signal).toBe('SIGKILL');
        const summary = await publishJson(args, env);
        expect(differences(form.opened(await publishedAt(kind, store, prefix, folder)), history.files())).toEqual([]);
        const pages = [...proxy.puts].filter(([path]) => path.includes('/rest/'));
        const twice = pages.filter(([, times]) => times > 1).length;
        worst = Math.max(worst, twice / pages.length);
        // those in flight, and the overlap pages between the lanes of both runs
        expect(twice, `sent twice, after ${JSON.stringify(summary['done'])}`).toBeLessThanOrEqual(3 * CONCURRENCY);
      }
      console.log(`kills at ${kind.name}, ${form.name}: ${kills}; at worst ${(worst * 100).toFixed(1)} % of the objects went twice`);
    },
  );

  it.skipIf(skip)('completes the requests in progress on SIGTERM, and the next run completes the rest', async () => {
    const history = await Growing.of(folder, `drained ${kind.name}`, { records: RECORDS });
    const args = publishArgs(history.out, kind.address('drained'), ['--concurrency', '4']);
    const twice = () => [...proxy.puts].filter(([path, times]) => path.includes('/rest/') && times > 1);
    const { code, stdout } = await signalledAt(proxy, () => proxy.puts.size >= 20, [...args, '--json'], env, 'SIGTERM');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 143, error: { code: 'stopped' } });
    expect(twice()).toEqual([]);
    expect(await publishJson(args, env)).toMatchObject({ resumed: true });
    expect(twice()).toEqual([]);
    expect(differences(await publishedAt(kind, store, 'drained', folder), history.files())).toEqual([]);
  });
});
