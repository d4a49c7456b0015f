import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../src/contract/collection.ts';
import { Failure } from '../../src/contract/failure.ts';
import { importInputs } from '../../src/import/import.ts';
import type { MirrorResult } from '../../src/mirror/mirror.ts';
import { drf } from '../drf/live-service.ts';
import { ask } from '../serve/exchange.ts';
import { temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { FAULTS, startFaultyProxy } from './faulty-proxy.ts';
import { startGrowingService } from './growing-service.ts';
import { fingerprint, idsIn, mirrored } from './mirrored.ts';

const MIRRORS = times('mirrors of a live service', 2, 100);

/** Mirrors until a run is complete. A run ends if the service is away for long, and is incomplete if a page fails to the end. */
async function mirroredAtLast(store: string, baseUrl: string, isBack: () => Promise<void>): Promise<MirrorResult> {
  for (let run = 1; ; run += 1) {
    try {
      const result = await mirrored(store, baseUrl);
      if (result.isComplete || run === 10) return result;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'service-failed' || run === 10) throw error;
      await isBack();
    }
  }
}

/** The fingerprint of a store that holds what a service shows now, read by `?page=last` and the numbers before it. */
async function shown(baseUrl: string, folder: string): Promise<string> {
  const inputs = [];
  for (const collection of COLLECTIONS) {
    for (let page = 1; ; page += 1) {
      const { status, body } = await ask(baseUrl, `/rest/${collection}/?page=${page}`);
      if (status !== 200) break;
      inputs.push({
        name: `${collection} ${page}`,
        size: undefined,
        open: async function* () {
          yield body;
        },
      });
    }
  }
  const store = join(folder, `shown-${inputs.length}-${Math.random()}.db`);
  await importInputs(store, inputs, { onConflict: 'fail' });
  return fingerprint(store);
}

describe.skipIf(drf.skip)(`a mirror of a live Django REST Framework (${drf.reason || 'installed'})`, () => {
  test(
    `has all items of the database after changes, faults and restarts during ${MIRRORS} mirrors`,
    async () => {
      for (let seed = 1; seed <= MIRRORS; seed += 1) {
        const folder = temporaryFolder();
        const service = await startGrowingService(folder, 60, { page_size: 5, account_page_size: 4 });
        const proxy = await startFaultyProxy(service.port());
        const random = chance(seed);
        const store = join(folder, 'store.db');
        let [changes, faults, asked, restarts] = [25, 0, 0, 0];
        let lastIds: readonly number[] = [];
        let restarting = Promise.resolve();
        // requests that a gateway answers while the service is away; those after them wait
        let gateway = 0;
        const restart = async () => {
          await service.restart();
          proxy.upstream = service.port();
        };
        proxy.draw = async (target) => {
          if (gateway > 0) {
            gateway -= 1;
            return '502';
          }
          await restarting;
          asked += 1;
          const lot = random();
          if (lot < 0.25 && changes > 0) {
            changes -= 1;
            service.grow(1 + Math.floor(random() * 7));
          }
          if (asked === 8 || asked === 16 || (lot > 0.97 && changes > 0)) {
            changes -= 1;
            restarts += 1;
            if (restarts % 2 === 0) {
              gateway = Math.floor(random() * 12);
              restarting = restart();
              return '502';
            }
            proxy.refuse();
            restarting = restart().then(proxy.accept);
            return 'reset before';
          }
          if (target.startsWith('/rest/data/')) lastIds = service.ids();
          // a page that fails four times would be passed by
          faults = random() < 0.2 && faults < 3 ? faults + 1 : 0;
          return faults > 0 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
        };
        for (let night = 1; night <= 2; night += 1) {
          const result = await mirroredAtLast(store, proxy.baseUrl, () => restarting);
          expect({ seed, night, isComplete: result.isComplete, missing: result.missing }).toMatchObject({ isComplete: true });
          const has = new Set(idsIn(store));
          expect(lastIds.filter((id) => !has.has(id))).toEqual([]);
        }
        expect(restarts).toBeGreaterThan(1);
        await restarting;
        proxy.draw = () => undefined;
        // what came after the last page was read comes now
        expect(await mirrored(store, proxy.baseUrl)).toMatchObject({ isComplete: true, gone: { data: [], account: [] } });
        expect(fingerprint(store), `seed ${seed}`).toBe(await shown(proxy.baseUrl, folder));
        // many services that run until the end of the test need much memory
        await service.stop();
      }
    },
    60_000 * MIRRORS + 60_000,
  );
});
