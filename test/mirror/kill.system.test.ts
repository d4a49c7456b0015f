import { watch } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { recordsTo, serve, startCannedService } from './canned-service.ts';
import { fingerprint, mirrored } from './mirrored.ts';

const KILLS = 3;
const MIRRORS = Math.ceil(times('killed mirrors', KILLS, 100) / KILLS);

function isFilled(store: string): boolean {
  try {
    return fingerprint(store) !== '';
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-store') return false;
    throw error;
  }
}

it(`a mirror that is killed resumes at the same page and makes the same store, ${MIRRORS} times`, async () => {
  const service = await startCannedService();
  serve(
    service,
    recordsTo(150).map((one) => ({ ...one, account: `account_${one.id % 30}` })),
    3,
    2,
  );
  const pages = service.answers.size;
  const whole = join(temporaryFolder(), 'whole.db');
  await mirrored(whole, service.baseUrl);
  const random = chance(1);
  for (let mirror = 0; mirror < MIRRORS; mirror += 1) {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    service.asked.length = 0;
    let killed = 0;
    for (let hasEnded = false; !hasEnded; ) {
      // at a request, and at last while the store is written
      const isReading = killed < KILLS - 1;
      let [requests, writes] = [isReading ? 1 + Math.floor(random() * 30) : 1, 1 + Math.floor(random() * 3)];
      let kill = () => {};
      service.onRequest = () => {
        requests -= 1;
        if (requests === 0 && isReading) kill();
      };
      const watcher = watch(folder, (_, name) => {
        if (name !== 'store.db-wal' || isReading || requests > 0) return;
        writes -= 1;
        if (writes === 0) kill();
      });
      const finished = await palimpsest(['mirror', service.baseUrl, '--store', store, '--delay', '0ms', '--quiet'], {
        onStart: (child) => {
          kill = () => void child.kill('SIGKILL');
        },
      });
      watcher.close();
      if (finished.signal === null) expect(finished).toMatchObject({ code: 0 });
      else killed += 1;
      // a run that is killed once its pages are in the store is done
      hasEnded = finished.signal === null || isFilled(store);
    }
    expect(killed).toBeGreaterThanOrEqual(KILLS - 1);
    expect(fingerprint(store), `after ${killed} kills`).toBe(fingerprint(whole));
    const read = service.asked.filter((target) => target.startsWith('/rest/'));
    expect(new Set(read).size).toBe(pages);
    // page 1 of the feed is read again at the end; of the others only the one in progress may come twice
    expect(read.length - pages - 1, `pages read again after ${killed} kills`).toBeLessThanOrEqual(killed);
  }
});
