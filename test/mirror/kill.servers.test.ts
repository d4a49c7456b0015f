import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { drf } from '../drf/live-service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { startGrowingService } from './growing-service.ts';
import { fingerprint } from './mirrored.ts';

const KILLS = times('killed mirrors', 3, 100);

function isFilled(store: string): boolean {
  try {
    return fingerprint(store) !== '';
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-store') return false;
    throw error;
  }
}

describe.skipIf(drf.skip)(`a mirror that is killed (${drf.reason || 'installed'})`, () => {
  test(
    `resumes at the same page, ${KILLS} times, and makes the same store`,
    async () => {
      const folder = temporaryFolder();
      const service = await startGrowingService(folder, 150, { page_size: 3, account_page_size: 2 });
      const proxy = await startFaultyProxy(service.port());
      const whole = join(folder, 'whole.db');
      const mirror = (store: string) => ['mirror', proxy.baseUrl, '--store', store, '--delay', '0ms', '--quiet'];
      expect(await palimpsest(mirror(whole))).toMatchObject({ code: 0 });
      const pages = new Set(proxy.answered.filter((line) => line.startsWith('200 /rest/')));
      const random = chance(1);
      let [kills, rounds] = [0, 0];
      while (kills < KILLS) {
        rounds += 1;
        const store = join(folder, `killed-${rounds}.db`);
        proxy.answered.length = 0;
        let killed = 0;
        for (let ended = false; !ended; ) {
          // from the start, or some pages on, or while the store is written
          const after = Math.floor(random() * 40);
          let asked = 0;
          let kill = () => {};
          proxy.draw = () => {
            asked += 1;
            if (asked === after) setTimeout(kill, random() * (random() < 0.3 ? 400 : 10));
            return undefined;
          };
          const finished = await palimpsest(mirror(store), {
            onStart: (child) => {
              kill = () => void child.kill('SIGKILL');
            },
          });
          if (finished.signal === null) expect(finished).toMatchObject({ code: 0 });
          else killed += 1;
          // a run that is killed once its pages are in the store is done
          ended = finished.signal === null || isFilled(store);
        }
        kills += killed;
        expect(fingerprint(store), `after ${killed} kills`).toBe(fingerprint(whole));
        const times = new Map<string, number>();
        for (const line of proxy.answered) if (line.startsWith('200 /rest/')) times.set(line, (times.get(line) ?? 0) + 1);
        expect(new Set(times.keys())).toEqual(pages);
        // page 1 of the feed is read again at the end; of the others only the one in progress may come twice
        const again = [...times].reduce((sum, [line, count]) => sum + count - (line === '200 /rest/data/' ? 2 : 1), 0);
        expect(again, `pages read again after ${killed} kills`).toBeLessThanOrEqual(killed);
      }
    },
    120_000 + 30_000 * KILLS,
  );
});
