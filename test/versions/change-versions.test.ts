import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Commit, commitPath, encodeCommit, HEAD, parseCommit, type Version } from '../../src/versions/commit-format.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { draft, KIND, memory, publishing, rollingBack, run } from './simulated-publisher.ts';
import { type Conditions, SimulatedStore } from './simulated-store.ts';
import { Turns } from './turns.ts';

const folder = folderOfFile();

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

const client = () => store.client();
const publish = (text: string, more: Parameters<typeof run>[2] = {}) => run(client(), publishing(draft(folder, text)), more);
function newest(): Commit<Version> {
  const bytes = store.objects.get(HEAD)?.bytes;
  const commit = bytes && parseCommit(KIND, HEAD, bytes);
  if (commit === undefined) throw new Error('no head');
  return commit;
}
const numbers = () => newest().versions.map(({ number }) => number);

describe('the requests of a run', () => {
  it('are two if nothing is new, and seven if something is', async () => {
    const own = memory();
    await publish('one', { memory: own });
    expect(await publish('one', { memory: own })).toMatchObject({ requests: 2, commit: undefined });
    expect(await publish('two', { memory: own })).toMatchObject({ requests: 7, commit: { number: 2 } });
    expect(await publish('two')).toMatchObject({ requests: 2 });
  });

  it('stay two and seven at a target with more numbers than one listing returns', async () => {
    await publish('one');
    let commit = newest();
    while (commit.number < 1_200) {
      commit = { ...commit, number: commit.number + 1, previous: hash('sha256', encodeCommit(commit)) };
      for (const path of [commitPath(commit.number), HEAD]) store.put(path, encodeCommit(commit));
    }
    expect(await publish('one')).toMatchObject({ requests: 2 });
    expect(await publish('two')).toMatchObject({ requests: 7, commit: { number: 1_201 } });
  });
});

describe('a store that does not keep the conditions of a write', () => {
  it.each(['ignored', 'unsupported', 'checked first'] satisfies Conditions[])(
    'is refused in the first run, which leaves nothing: %s',
    async (conditions) => {
      store.conditions = conditions;
      for (let run = 0; run < 8; run += 1) {
        await expect(publish(`${run}`)).rejects.toMatchObject({ code: 'no-conditions' });
        expect([...store.objects.keys()]).toEqual([]);
      }
    },
  );

  it('is refused in each later run, before any data is sent', async () => {
    await publish('one');
    store.conditions = 'ignored';
    const before = [...store.objects.keys()];
    await expect(publish('two')).rejects.toMatchObject({ code: 'no-conditions' });
    expect([...store.objects.keys()]).toEqual(before);
    expect(await publish('one')).toMatchObject({ requests: 2 });
  });

  it('is written with --single-publisher, which deletes only what an earlier run left', async () => {
    store.conditions = 'ignored';
    const single = { singlePublisher: true };
    expect(await publish('one', single)).toMatchObject({ isConditional: false, commit: { number: 1 } });
    await publish('two', single);
    const { left } = await run(client(), rollingBack(1), single);
    expect(left).toHaveLength(1);
    expect(store.objects.has(left[0] ?? '')).toBe(true);
    expect(await publish('one', single)).toMatchObject({ commit: undefined, left: [], deleted: 1 });
    expect(store.objects.has(left[0] ?? '')).toBe(false);
    expect(store.text('palimpsest.json')).toBe('{"palimpsest":"site"}\n');
  });

  it('is refused after a run with --single-publisher, also if the store checks first and writes then', async () => {
    store.conditions = 'checked first';
    await publish('one', { singlePublisher: true });
    for (let run = 0; run < 8; run += 1) await expect(publish(`${run}`)).rejects.toMatchObject({ code: 'no-conditions' });
    store.conditions = 'kept';
    expect(await publish('two')).toMatchObject({ isConditional: true });
    expect(await publish('three')).toMatchObject({ isConditional: true, requests: 7 });
  });

  const OVERLAPS = times('overlaps of two publishers', 60, 3_000);
  it(`loses no version that a run with --single-publisher reported, in ${OVERLAPS} overlaps`, async () => {
    let [both, refused] = [0, 0];
    for (let seed = 1; seed <= OVERLAPS; seed += 1) {
      store = new SimulatedStore();
      store.conditions = 'ignored';
      const single = { singlePublisher: true };
      await publish('before', single);
      const random = chance(seed);
      const turns = new Turns(random);
      const overlapping = ['one', 'two'].map((text) =>
        run(
          store.client(async () => {
            await turns.take();
            return 'done';
          }),
          publishing(draft(folder, text)),
          single,
        ),
      );
      const results = await Promise.allSettled(overlapping);
      await publish('after', single);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'target-busy' });
        else expect(newest().versions.map(({ file }) => file)).toContain(result.value.commit?.versions.at(-1)?.file);
      }
      const won = results.filter(({ status }) => status === 'fulfilled').length;
      both += won === 2 ? 1 : 0;
      refused += 2 - won;
    }
    console.log(`${OVERLAPS} overlaps without conditions: both succeeded one after the other in ${both}, ${refused} runs were refused`);
    expect(refused).toBeGreaterThan(OVERLAPS / 4);
  });
});

it('keeps the data of a commit that cannot be read, gives its number no second time, and goes on from the commit before', async () => {
  await publish('one');
  await publish('two');
  await publish('three');
  const lost = newest().versions.at(-1)?.file ?? '';
  const old = store.objects.get(commitPath(2))?.bytes ?? Buffer.of();
  store.put(HEAD, old);
  store.put(commitPath(3), Buffer.from('damaged'));
  expect(await publish('four')).toMatchObject({ commit: { number: 4 }, problems: expect.arrayContaining([`${commitPath(3)} is damaged`]) });
  expect(numbers()).toEqual([1, 2, 4]);
  await publish('five');
  expect(store.objects.has(lost)).toBe(true);
  await publish('five', { isThorough: true });
  expect(store.objects.has(lost)).toBe(false);
});

it('refuses a target whose commits all cannot be read, and changes nothing', async () => {
  await publish('one');
  store.put(HEAD, Buffer.from('damaged'));
  store.put(commitPath(1), Buffer.from('damaged'));
  await expect(publish('two')).rejects.toMatchObject({ code: 'not-ours' });
  expect(store.text(HEAD)).toBe('damaged');
});

it('never writes an earlier time than that of the commit before', async () => {
  await publish('one');
  const future = { ...newest(), time: '2999-01-01T00:00:00.000Z' };
  for (const path of [HEAD, commitPath(1)]) store.put(path, encodeCommit(future));
  await publish('two');
  expect(newest().time).toBe('2999-01-01T00:00:00.000Z');
});
