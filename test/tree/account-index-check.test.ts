import { once } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Pauses } from '../../src/contract/event-loop-pauses.ts';
import { Store } from '../../src/store/store.ts';
import { checkNames } from '../../src/tree/account-index-check.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';

const folder = folderOfFile();

it('does not wait for the thread if the build is told to stop', async () => {
  const path = join(folder, 'store.db');
  await importLines(path, await recordLines(2100, 20));
  const store = Store.open(path);
  const stop = new AbortController();
  const started = once(process, 'worker');
  const check = checkNames(store, new Pauses(stop.signal, 'nothing was changed'));
  const first = check.catch((error: unknown) => error);
  const [thread]: Worker[] = await started;
  const ended = once(thread ?? process, 'exit');
  stop.abort();
  expect(await Promise.race([first, ended])).toMatchObject({ code: 'stopped' });
  await ended;
  store.close();
});
