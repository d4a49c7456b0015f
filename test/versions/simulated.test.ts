import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { type Commit, commitPath, HEAD, numbered, parseCommit, type Version } from '../../src/versions/commit-format.ts';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { closeDrafts, type Decide, draft, dropping, KIND, memory, publishing, rollingBack, run } from './simulated-publisher.ts';
import { type Fate, Killed, SimulatedStore } from './simulated-store.ts';
import { Turns } from './turns.ts';

const folder = folderOfFile();
const SEEDS = times('simulated runs of publishers', 15, 4_000);
const NIGHTS = 12;

/** Returns the commit stored at a path. */
function commitAt(store: SimulatedStore, path: string): Commit<Version> | undefined {
  const bytes = store.objects.get(path)?.bytes;
  return bytes && parseCommit(KIND, path, bytes);
}

function commitsOf(store: SimulatedStore): readonly Commit<Version>[] {
  const numbers = [...store.objects.keys()].flatMap((path) => numbered(path) ?? []).filter(({ isCommit }) => isCommit);
  return numbers
    .map(({ number }) => commitAt(store, commitPath(number)))
    .flatMap((one) => one ?? [])
    .toSorted((one, other) => one.number - other.number);
}

/**
 * Returns what is wrong with a target after a run that ended, without kills or faults since.
 * @param damaged the commits that were damaged. If a later commit has their versions, they need not be repaired
 * @param late the suffix of files that may be left
 */
function faultsOf(store: SimulatedStore, damaged: ReadonlySet<number>, late?: string): string[] {
  const faults: string[] = [];
  const commits = commitsOf(store);
  const newest = commits.at(-1);
  if (newest === undefined) return [];
  if (store.text(HEAD) !== store.text(commitPath(newest.number))) faults.push('the head is not the newest commit');
  const expected = [
    HEAD,
    'palimpsest.json',
    ...commits.map(({ number }) => commitPath(number)),
    ...newest.versions.map(({ file }) => file),
  ];
  const isRepaired = (number: number) => commits.some((one) => one.number === number);
  const ignored = [...damaged].filter((number) => number < newest.number && !isRepaired(number)).map(commitPath);
  // the data of a commit that cannot be read stays until a thorough run
  const isIgnored = (path: string) =>
    (late !== undefined && path.endsWith(late)) || ignored.some((one) => path.startsWith(one.replace(/\.json$/, '')));
  const paths = [...store.objects.keys()].filter((path) => !isIgnored(path) || expected.includes(path)).toSorted();
  if (paths.join() !== expected.toSorted().join()) {
    faults.push(
      `files: ${paths.filter((path) => !expected.includes(path)).join()} left, ${expected.filter((path) => !paths.includes(path)).join()} missing`,
    );
  }
  const missing = Array.from({ length: newest.number }, (_, index) => index + 1).filter(
    (number) => !isRepaired(number) && !damaged.has(number),
  );
  if (missing.length > 0) faults.push(`the commits ${missing.join()} are missing`);
  for (const { file, sha256 } of newest.versions)
    if (hash('sha256', store.objects.get(file)?.bytes ?? '') !== sha256) faults.push(`${file} is damaged`);
  const numbers = new Map<number, string>();
  for (const [index, commit] of commits.entries()) {
    const before = commits[index - 1]?.versions.map(({ number }) => number) ?? [];
    const after = commit.versions.map(({ number }) => number);
    const lost = before.filter((number) => !after.includes(number));
    const added = after.filter((number) => !before.includes(number));
    const isRight =
      commit.change === 'publish'
        ? added.join() === String(commit.number) && lost.length === 0
        : commit.change === 'void'
          ? added.length === 0 && lost.length === 0
          : commit.change === 'rollback'
            ? added.length === 0 && before.slice(0, after.length).join() === after.join()
            : added.length === 0 && after.at(-1) === before.at(-1);
    const isNext = commit.number === (commits[index - 1]?.number ?? 0) + 1;
    if (!isRight && isNext && !damaged.has(commit.number))
      faults.push(`commit ${commit.number} (${commit.change}) lost ${lost.join()} and added ${added.join()}`);
    for (const { number, sha256 } of commit.versions) {
      if ((numbers.get(number) ?? sha256) !== sha256) faults.push(`version ${number} was given twice`);
      numbers.set(number, sha256);
    }
  }
  return faults;
}

/** One target through some nights, with one fault or another in each. */
async function simulate(seed: number): Promise<{ readonly faults: readonly string[]; readonly counts: Readonly<Record<string, number>> }> {
  const random = chance(seed);
  const store = new SimulatedStore();
  const turns = new Turns(random);
  // two machines, each of which remembers what it published
  const memories = [memory(), memory()];
  const counts = { runs: 0, kills: 0, overlaps: 0, published: 0, damages: 0 };
  const faults: string[] = [];
  const reported = new Map<number, string>();
  const heads: Buffer[] = [];
  const damaged = new Set<number>();
  let texts = 0;
  let newestNumber = 0;

  const action = (): Decide => {
    const which = random();
    texts += which < 0.6 ? 1 : 0;
    if (which < 0.75) return publishing(draft(folder, `${seed} ${texts}`));
    return which < 0.9 ? dropping(() => random() < 0.5) : rollingBack(1 + Math.floor(random() * 2));
  };
  const start = async (machine: number, decide: Decide, fateOf: () => Fate, isThorough = false): Promise<void> => {
    counts.runs += 1;
    const client = store.client(async () => {
      await turns.take();
      return fateOf();
    }, random() < 0.5);
    try {
      // every second target is of a kind whose readers list the commits
      const { commit } = await run(client, decide, { memory: memories[machine], isThorough, isReadByHead: seed % 2 === 0 });
      if (commit === undefined) return;
      counts.published += 1;
      if (reported.has(commit.number)) faults.push(`two runs reported commit ${commit.number}`);
      reported.set(commit.number, commit.token);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  };
  const quiet = (): Fate => (random() < 0.02 ? (random() < 0.5 ? 'lost answer' : 'no answer') : 'done');
  const killedAt = (request: number): (() => Fate) => {
    let left = request;
    return () => {
      left -= 1;
      if (left > 0) return quiet();
      counts.kills += 1;
      return random() < 0.5 ? 'killed before' : 'killed after';
    };
  };

  for (let night = 0; night < NIGHTS; night += 1) {
    // if the newest commit is lost, only the machine that remembers it knows its number
    const isKnown = damaged.size === 0 || commitsOf(store).at(-1)?.number === newestNumber;
    const kind = random();
    if (kind < 0.4 && isKnown) {
      counts.overlaps += 1;
      const isKilled = random() < 0.4;
      await Promise.all([start(0, action(), quiet), start(1, action(), isKilled ? killedAt(1 + Math.floor(random() * 9)) : quiet)]);
    } else if (kind < 0.8) await start(0, action(), killedAt(1 + Math.floor(random() * 9)));
    else await start(0, action(), quiet);
    // the next run repairs and prunes; machine 0 then knows the newest number
    await start(0, publishing(draft(folder, `${seed} ${texts}`)), () => 'done', random() < 0.3);
    // a request of a killed run can arrive after the listing of the next run; a later run deletes what it wrote
    faults.push(...faultsOf(store, damaged, '.proof').map((fault) => `night ${night}: ${fault}`));

    const bytes = store.objects.get(HEAD)?.bytes;
    if (bytes !== undefined) heads.push(bytes);
    const newest = commitsOf(store).at(-1);
    newestNumber = newest?.number ?? 0;
    const damage = random();
    if (newest === undefined || damage > 0.6) continue;
    counts.damages += 1;
    if (damage >= 0.4) damaged.add(newest.number);
    const old = heads[Math.floor(random() * heads.length)];
    if (damage < 0.1) store.objects.delete(HEAD);
    else if (damage < 0.2) store.put(HEAD, (bytes ?? Buffer.of()).subarray(0, 50));
    else if (damage < 0.4 && old !== undefined) store.put(HEAD, old);
    else if (damage < 0.45) store.objects.delete(commitPath(newest.number));
    else if (damage < 0.5) store.put(commitPath(newest.number), Buffer.from('damaged'));
    else if (old !== undefined) {
      store.put(HEAD, old);
      if (damage < 0.55) store.objects.delete(commitPath(newest.number));
      else store.put(commitPath(newest.number), Buffer.from('damaged'));
    }
  }
  await start(0, publishing(draft(folder, `${seed} last`)), () => 'done', true);
  faults.push(...faultsOf(store, damaged));
  const data = [...store.objects.keys()].filter((path) => numbered(path)?.isCommit === false);
  if (data.length !== commitsOf(store).at(-1)?.versions.length) faults.push('data is left');
  if (store.uploads.size > 0) faults.push('open uploads are left');
  for (const [number, token] of reported) {
    if (commitAt(store, commitPath(number))?.token !== token && !damaged.has(number))
      faults.push(`commit ${number} was reported and is lost`);
  }
  return { faults, counts };
}

it(
  `loses no version, gives no number twice and leaves no file in ${SEEDS} runs of ${NIGHTS} nights with kills, overlaps, lost answers and damaged heads`,
  async () => {
    const total: Record<string, number> = {};
    const failed: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { faults, counts } = await simulate(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${error instanceof Failure ? `${error.code} ${error.message} ${error.found}` : String(error)}`, {
          cause: error,
        });
      });
      closeDrafts();
      failed.push(...faults.map((fault) => `seed ${seed}: ${fault}`));
      for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
      if (failed.length > 10) break;
    }
    console.log(total);
    expect(failed).toEqual([]);
  },
  isFull ? 3_600_000 : 300_000,
);
