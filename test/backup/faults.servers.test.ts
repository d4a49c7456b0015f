import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, startProxy } from '../publish/proxy.ts';
import type { Store } from '../publish/stores.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { PLACES, strays } from './places.ts';

/** The number of pushes, and of pulls, that are killed at each target. */
const KILLS = times('killed pushes and pulls at each target', 1, 25);
const RATE = 0.3;
/** The most runs that may end before their kill, for each killed run. */
const ATTEMPTS = 20;
/** The number of records. A short test has fewer. */
const RECORDS = isFull ? 12_000 : 4_000;
const PATIENCE = 120_000 + KILLS * 20_000;

const folder = folderOfFile();
/** A store before and after a night. */
const [before, after] = [join(folder, 'before.db'), join(folder, 'after.db')];

beforeAll(async () => {
  const lines = await recordLines(RECORDS, RECORDS / 20);
  await importLines(before, lines.slice(0, RECORDS / 2));
  copyFileSync(before, after);
  await importLines(after, lines);
});

const isSame = (one: string, other: string) => readFileSync(one).equals(readFileSync(other));

describe.each(PLACES)('a store at $name', ({ name, skip, kind, isConditional, start, place }) => {
  let store: Store | undefined;
  beforeAll(async () => {
    if (!skip) store = await start();
  });
  afterAll(() => store?.stop());

  it.skipIf(skip)(
    'has the old or the new version after a killed push, and the next push completes it and leaves no other files',
    async () => {
      const random = chance(7);
      const here = place(store, folder, 'killed-pushes');
      const push = (path: string) => ['store', 'push', here.address, '--store', path, '--replace', '--keep', '2', '--quiet'];
      const pulled = join(folder, `after kills at ${name}.db`);
      await palimpsestJson(push(before), { env: here.env });
      const started = performance.now();
      await palimpsestJson(push(after), { env: here.env, ownProcess: true });
      const took = performance.now() - started;
      let [landed, missed] = [0, 0];
      let newest = after;
      while (landed < KILLS) {
        const next = newest === after ? before : after;
        const { signal } = await runAndKill(push(next), { delay: random() * took }, { env: here.env });
        rmSync(pulled, { force: true });
        await palimpsestJson(['store', 'pull', here.address, '--store', pulled], { env: here.env });
        if (signal === null) missed += 1;
        else landed += 1;
        expect(missed).toBeLessThan(ATTEMPTS * KILLS);
        if (!isSame(pulled, newest)) newest = next;
        expect(isSame(pulled, newest)).toBe(true);
      }
      // without conditional writes, the push after that deletes what was left
      for (const path of newest === after ? [before, after] : [after, before]) await palimpsestJson(push(path), { env: here.env });
      if (!isConditional) await palimpsestJson(push(newest), { env: here.env });
      expect(strays(await here.objects())).toEqual([]);
      console.log(`kill: push to ${name}: ${landed} kills landed, ${missed} came too late`);
    },
    PATIENCE,
  );

  // a pull only reads, so a short test leaves out the slow store without conditional writes
  it.skipIf(skip || (!isConditional && !isFull))(
    'is fetched completely or not at all by a killed pull, and the next pull completes it and leaves no temporary files',
    async () => {
      const random = chance(9);
      const here = place(store, folder, 'killed-pulls');
      await palimpsestJson(['store', 'push', here.address, '--store', after], { env: here.env });
      const local = join(folder, `killed at ${name}.db`);
      const pull = ['store', 'pull', here.address, '--store', local, '--quiet'];
      const started = performance.now();
      await palimpsestJson(pull, { env: here.env, ownProcess: true });
      const took = performance.now() - started;
      const [old, fresh] = [contentsOf(before), contentsOf(after)];
      let [landed, missed] = [0, 0];
      while (landed < KILLS) {
        const isThere = landed % 2 === 0;
        for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(local + suffix, { force: true });
        if (isThere) copyFileSync(before, local);
        const { signal } = await runAndKill(pull, { delay: random() * took }, { env: here.env });
        if (signal === null) missed += 1;
        else landed += 1;
        expect(missed).toBeLessThan(ATTEMPTS * KILLS);
        if (isThere || existsSync(local)) expect(isThere ? [old, fresh] : [fresh]).toContain(contentsOf(local));
        await palimpsestJson(pull, { env: here.env });
        expect(contentsOf(local)).toBe(fresh);
        for (const left of ['.pull', '.pull-wal', '.pull-shm', '.pull-lock', '-wal']) expect(existsSync(local + left), left).toBe(false);
      }
      console.log(`kill: pull from ${name}: ${landed} kills landed, ${missed} came too late`);
    },
    PATIENCE,
  );

  // Swift takes ten times as long for each request
  it.skipIf(skip || kind === undefined || !isConditional)(
    `loses nothing if ${RATE * 100} % of the requests fail`,
    async () => {
      if (kind === undefined || store === undefined) return;
      // with this seed, each fault occurs in the first 22 requests
      const random = chance(18);
      const proxy = await startProxy(store.endpoint);
      try {
        proxy.draw = () => (random() < RATE ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined);
        const env = kind.env(proxy.endpoint);
        const address = kind.address('faulty');
        for (const path of [before, after]) {
          const push = ['store', 'push', address, '--store', path, '--timeout', '2'];
          expect(await palimpsestJson(push, { env })).toMatchObject({ unchanged: false });
          const local = join(folder, `faulty ${name}.db`);
          await palimpsestJson(['store', 'pull', address, '--store', local, '--timeout', '2'], { env });
          expect(isSame(local, path)).toBe(true);
        }
        proxy.draw = () => undefined;
        const { versions } = await palimpsestJson(['store', 'list', address], { env });
        expect(versions).toMatchObject([{ number: 2 }, { number: 1 }]);
        expect(strays(await place(store, folder, 'faulty').objects())).toEqual([]);
        for (const fault of FAULTS) expect(proxy.faults.get(fault), fault).toBeGreaterThan(0);
      } finally {
        await proxy.stop();
      }
    },
    PATIENCE,
  );
});
