import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { PROGRAM } from '../../support/palimpsest.ts';

const ROUNDS = 20;

/** Locks a file at a given time, says whether it has the lock, and releases it at the next message. */
const PROCESS = `
import { lock } from ${JSON.stringify(join(PROGRAM, 'dist/store/database/lock.js'))};
let held;
process.on('message', ({ path, time }) => {
  if (path === undefined) return process.send(held?.release() ?? null);
  while (Date.now() < time);
  held = lock(path);
  process.send(held !== undefined);
});`;

it('has one holder if two processes lock at the same time', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'process.mjs'), PROCESS);
  const processes = [1, 2].map(() => fork(join(folder, 'process.mjs')));
  const ask = (message: object) =>
    Promise.all(
      processes.map(async (one) => {
        const answer = once(one, 'message');
        one.send(message);
        return (await answer)[0];
      }),
    );
  await ask({});
  for (let round = 0; round < ROUNDS; round += 1) {
    const held = await ask({ path: join(folder, 'lock'), time: Date.now() + 5 });
    expect(held.toSorted(), `round ${round}`).toEqual([false, true]);
    await ask({});
  }
  for (const one of processes) one.kill();
});
