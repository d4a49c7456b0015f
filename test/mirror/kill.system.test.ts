import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { killAtSteps } from '../whole/steps.ts';
import { recordsTo, serve, startCannedService } from './canned-service.ts';
import { fingerprint, mirroredAnew } from './mirrored.ts';

const KILLS = timesInProcess('killed mirrors', 4, 100);
/** Page 1 of both collections, and that of the feed once more: what a new mirror reads after one that was killed at its end. */
const OF_NEW_MIRROR = 3;

it(`a mirror that is killed resumes at the same page and makes the same store, ${KILLS} times`, async () => {
  const service = await startCannedService();
  const records = recordsTo(60).map((one) => ({ ...one, account: `account_${one.id % 30}` }));
  serve(service, records, 3, 2);
  const pages = service.answers.size;
  const whole = await mirroredAnew(service.baseUrl);
  const folder = temporaryFolder();
  const store = join(folder, 'mirror/store.db');
  const args = ['mirror', service.baseUrl, '--store', store, '--delay', '0ms'];
  const reset = () => {
    service.asked.length = 0;
    rmSync(join(folder, 'mirror'), { recursive: true, force: true });
    mkdirSync(join(folder, 'mirror'));
  };
  await killAtSteps(folder, args, KILLS, reset, async (step) => {
    await palimpsestJson(args);
    expect(fingerprint(store), step).toBe(whole);
    const read = service.asked.filter((target) => target.startsWith('/rest/'));
    expect(new Set(read).size, step).toBe(pages);
    // page 1 of the feed is read again at the end; of the others only the one in progress may come twice
    expect(read.length - pages - 1, `pages read again, ${step}`).toBeLessThanOrEqual(OF_NEW_MIRROR);
  });
});
