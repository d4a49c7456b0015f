import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { cases, timesInProcess } from '../support/proof.ts';
import { runAndKill } from '../whole/killing.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { strays } from './strays.ts';

/** How often each kill is tried. test/versions/simulated.test.ts kills runs of the same protocol at every request. */
const KILLS = timesInProcess('killed pushes and pulls at each sign', 1, 25);
const RECORDS = 4_000;
/** The most runs that may end before their kill, for each kill. */
const ATTEMPTS = 20;

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
const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);

it('a target has the old or the new version of a store after a killed push, and the next push leaves no other files', async () => {
  const target = join(folder, 'pushed');
  const push = (path: string) => ['store', 'push', target, '--store', path, '--replace', '--keep', '2', '--quiet'];
  const pulled = join(folder, 'pulled.db');
  await palimpsestJson(push(before));
  let newest = before;
  const known = () => new Set(namesIn(join(target, 'versions')));
  const signs: readonly ((old: ReadonlySet<string>, head: string) => boolean)[] = [
    // the data, the commit, and the head
    (old) => [...known()].some((name) => name.includes('.db.br') && !old.has(name)),
    (old) => [...known()].some((name) => name.endsWith('.json') && !old.has(name)),
    (_, head) => readFileSync(join(target, 'head.json'), 'utf8') !== head,
  ];
  let [landed, missed] = [0, 0];
  const all = cases(Array.from({ length: KILLS }, () => signs).flat());
  for (let isReached = all[0]; isReached !== undefined; isReached = all[landed]) {
    expect(missed).toBeLessThan(ATTEMPTS * all.length);
    const next = newest === after ? before : after;
    const [old, head] = [known(), readFileSync(join(target, 'head.json'), 'utf8')];
    const sign = isReached.bind(undefined, old, head);
    const { signal } = await runAndKill(push(next), { sign, delay: 0 });
    if (signal === null) missed += 1;
    else landed += 1;
    rmSync(pulled, { force: true });
    await palimpsestJson(['store', 'pull', target, '--store', pulled]);
    if (!isSame(pulled, newest)) newest = next;
    expect(isSame(pulled, newest)).toBe(true);
  }
  for (const path of newest === after ? [before, after] : [after, before]) await palimpsestJson(push(path));
  expect(strays(filesIn(target))).toEqual([]);
});

it('a store is fetched completely or not at all by a killed pull, and the next pull leaves no temporary files', async () => {
  const target = join(folder, 'fetched from');
  await palimpsestJson(['store', 'push', target, '--store', after]);
  const local = join(folder, 'local.db');
  const pull = ['store', 'pull', target, '--store', local, '--quiet'];
  const [old, fresh] = [contentsOf(before), contentsOf(after)];
  let [landed, missed] = [0, 0];
  while (landed < 2 * KILLS) {
    const isThere = landed % 2 === 0;
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(local + suffix, { force: true });
    if (isThere) copyFileSync(before, local);
    const { signal } = await runAndKill(pull, { sign: () => existsSync(`${local}.pull`), delay: 0 });
    if (signal === null) missed += 1;
    else landed += 1;
    expect(missed).toBeLessThan(ATTEMPTS * KILLS);
    if (isThere || existsSync(local)) expect(isThere ? [old, fresh] : [fresh]).toContain(contentsOf(local));
    await palimpsestJson(pull);
    expect(contentsOf(local)).toBe(fresh);
    for (const left of ['.pull', '.pull-wal', '.pull-shm', '.pull-lock', '-wal']) expect(existsSync(local + left), left).toBe(false);
  }
});
