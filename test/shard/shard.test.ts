import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { foldPartition } from '../../src/shard/fold.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { partitionSources } from '../../src/shard/partition.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import type { Input } from '../../src/sources/source.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { generatedRun, generatedSnapshot } from '../support/generated-snapshots.ts';
import { observeInShards, observeSerially, partitionAndFold, partitionShard, SNAPSHOTS } from '../support/shards.ts';
import { contentsOf, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { allRows } from '../support/store-rows.ts';

/** How many sets of snapshots are generated. */
const RUNS = { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 6) };
const MPS = fileURLToPath(new URL('../../../shared/data/uk-mps', import.meta.url));
const counts = fc.record({ shards: fc.integer({ min: 1, max: 4 }), partitions: fc.integer({ min: 1, max: 5 }) });

const inputsFrom = (lists: readonly (readonly (Snapshot | string)[])[]) => lists.map((values, index) => sourceOf(values, `input ${index}`));
const inputsIn = (folder: string) => inputsOf([folder], (async function* () {})());

/** Snapshots of forty accounts in nine inputs, whose times overlap. Some have the same account and time. */
function overlapping(): Input[] {
  let state = 1;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const snapshot = (): Snapshot => {
    const [account, second] = [below(40), below(60)];
    const observed_at = new Date(Date.UTC(2021, 0, 1, 0, 0, second)).toISOString();
    const screen_name = `user_${below(20) === 0 ? account + 1 : account}`;
    return { observed_at, id: String(account), screen_name, bio: `bio ${below(5)} of @user_${account}`, location: `town ${below(2)}` };
  };
  return inputsFrom(Array.from({ length: 9 }, () => Array.from({ length: 40 }, snapshot)));
}

describe('a run in shards', () => {
  it.each([1, 2, 7].flatMap((shards) => [1, 4, 64].map((partitions) => ({ shards, partitions }))))(
    'writes the store of a serial run, byte for byte, with $shards shards and $partitions partitions',
    async (numbers) => {
      const folder = temporaryFolder();
      const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'sharded.db')];
      const inputs = overlapping();
      const expected = await observeSerially(serial, inputs);
      expect(expected.summary.conflicts.count).toBeGreaterThan(0);
      expect(await observeInShards(sharded, join(folder, 'run'), inputs, numbers)).toEqual(expected);
      expect(readFileSync(sharded).equals(readFileSync(serial))).toBe(true);
    },
  );

  it('gives the rows, the summary and the rejects of a serial run, also in a second run over the same store', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, generatedRun, counts, fc.boolean(), async (first, second, numbers, hasOld) => {
        const folder = temporaryFolder();
        const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'sharded.db')];
        for (const [night, lists] of [first, second].entries()) {
          const inputs = inputsFrom(lists);
          const old = hasOld ? sharded : undefined;
          const result = await observeInShards(sharded, join(folder, `run ${night}`), inputs, numbers, old);
          expect(result).toEqual(await observeSerially(serial, inputs));
          expect(allRows(sharded)).toEqual(allRows(serial));
        }
      }),
      RUNS,
    );
  });

  it('leaves out removed accounts, also under names that a later snapshot shows', { timeout: 600_000 }, async () => {
    const lists = fc.array(fc.array(generatedSnapshot, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
    const known = { observed_at: '2019-01-01T00:00:00Z', screen_name: 'ann', id: '1', bio: 'one' };
    let excluded = 0;
    await fc.assert(
      fc.asyncProperty(lists, counts, async (values, numbers) => {
        const folder = temporaryFolder();
        const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'sharded.db')];
        for (const store of [serial, sharded]) {
          await observeSerially(store, inputsFrom([[known]]));
          await removeAccounts(store, ['ann'], { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false });
        }
        const inputs = inputsFrom(values);
        const expected = await observeSerially(serial, inputs);
        expect(await observeInShards(sharded, join(folder, 'run'), inputs, numbers)).toEqual(expected);
        expect(allRows(sharded)).toEqual(allRows(serial));
        excluded += expected.summary.excluded;
      }),
      RUNS,
    );
    expect(excluded).toBeGreaterThan(0);
  });

  it.skipIf(!existsSync(MPS))('writes the store of a serial run of real snapshots, byte for byte', { timeout: 600_000 }, async () => {
    const folder = temporaryFolder();
    const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'sharded.db')];
    const expected = await observeSerially(serial, inputsIn(MPS));
    expect(await observeInShards(sharded, join(folder, 'run'), inputsIn(MPS), { shards: 7, partitions: 4 })).toEqual(expected);
    expect(readFileSync(sharded).equals(readFileSync(serial))).toBe(true);
  });

  it('adds nothing when it is merged again', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    await observeInShards(store, join(folder, 'run'), overlapping(), { shards: 2, partitions: 2 });
    const before = allRows(store);
    const { unchanged, snapshots } = await mergePartitions(join(folder, 'run'), store, {});
    expect([unchanged, allRows(store)]).toEqual([snapshots, before]);
  });
});

describe('tasks of a run', () => {
  const NUMBERS = { shards: 2, partitions: 3 };

  it('write the same files when all run twice at the same time', async () => {
    const [once, twice] = [temporaryFolder(), temporaryFolder()];
    const inputs = overlapping();
    await partitionAndFold(once, inputs, NUMBERS);
    await Promise.all([0, 1, 0, 1].map((number) => partitionShard(twice, inputs, NUMBERS, number)));
    await Promise.all([0, 1, 2, 0, 1, 2].map((partition) => foldPartition(twice, { partition, network: TWITTER })));
    expect(filesIn(twice)).toEqual(filesIn(once));
  });

  it('leave no file when they are stopped', async () => {
    const folder = temporaryFolder();
    const inputs = overlapping();
    const stopped = { code: 'stopped' };
    const options = { shard: { number: 0, shards: 1 }, partitions: 1, snapshots: SNAPSHOTS };
    await expect(partitionSources(inputs, folder, { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject(stopped);
    // a stop while the file is written
    const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { syscall: 'write', code: 'ENOSPC' }));
    await expect(partitionSources(inputs, folder, { ...options, beforeCommit: full })).rejects.toMatchObject({
      code: 'file-system',
      place: { file: folder },
    });
    expect(readdirSync(folder)).toEqual(['run.json']);
    await partitionSources(inputs, folder, options);
    const store = join(temporaryFolder(), 'store.db');
    await foldPartition(folder, { partition: 0, network: TWITTER });
    await expect(mergePartitions(folder, store, { signal: AbortSignal.abort() })).rejects.toMatchObject(stopped);
    expect(() => contentsOf(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
  });

  it('refuse a folder with the files of another run', async () => {
    const folder = temporaryFolder();
    const inputs = overlapping();
    await partitionShard(folder, inputs, NUMBERS, 0);
    const before = filesIn(folder);
    const others: [readonly Input[], typeof NUMBERS][] = [
      [inputs, { ...NUMBERS, shards: 3 }],
      [inputs, { ...NUMBERS, partitions: 4 }],
      [inputs.slice(1), NUMBERS],
      [inputs.map((input) => ({ ...input, size: 5 })), NUMBERS],
    ];
    for (const [sources, numbers] of others) {
      await expect(partitionShard(folder, sources, numbers, 1)).rejects.toMatchObject({
        code: 'other-run',
        place: { file: join(folder, 'run.json') },
      });
    }
    expect(filesIn(folder)).toEqual(before);
  });

  it('name the files that are missing', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    const inputs = overlapping();
    await expect(foldPartition(folder, { partition: 0, network: TWITTER })).rejects.toMatchObject({
      code: 'no-shard',
      place: { file: join(folder, 'run.json') },
    });
    await partitionShard(folder, inputs, NUMBERS, 1);
    await expect(foldPartition(folder, { partition: 0, network: TWITTER })).rejects.toMatchObject({
      code: 'no-shard',
      place: { file: join(folder, 'shard-00000.rows') },
    });
    await partitionShard(folder, inputs, NUMBERS, 0);
    await foldPartition(folder, { partition: 1, network: TWITTER });
    const found = `no file ${join(folder, 'partition-00000.rows')}, ${join(folder, 'partition-00002.rows')}`;
    await expect(mergePartitions(folder, store, {})).rejects.toMatchObject({ code: 'no-shard', found });
    expect(existsSync(store)).toBe(false);
  });

  it('refuse a partition that was folded from other shards, or with other links', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    await partitionAndFold(folder, overlapping(), NUMBERS);
    await foldPartition(folder, { partition: 1, network: { ...TWITTER, mention_url: 'https://example.org/{}' } });
    const refusal = { code: 'bad-shard', place: { file: join(folder, 'partition-00001.rows') } };
    await expect(mergePartitions(folder, store, {})).rejects.toMatchObject(refusal);
    // a source has changed, but neither its name nor its size
    const [first = sourceOf([]), ...rest] = overlapping();
    const { open } = sourceOf([{ observed_at: '2021-01-01T00:00:00Z', screen_name: 'zed', bio: 'new' }]);
    await partitionShard(folder, [{ ...first, open }, ...rest], NUMBERS, 0);
    await expect(mergePartitions(folder, store, {})).rejects.toMatchObject({
      code: 'bad-shard',
      place: { file: join(folder, 'partition-00000.rows') },
    });
    await foldPartition(folder, { partition: 0, network: TWITTER });
    await expect(mergePartitions(folder, store, {})).rejects.toMatchObject(refusal);
    expect(existsSync(store)).toBe(false);
  });

  it('report a file with a lost or a changed byte by name, and never use it', { timeout: 600_000 }, async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    await partitionAndFold(folder, overlapping(), NUMBERS);
    const names = readdirSync(folder).filter((name) => name.endsWith('.rows'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        async (name, at, isLost) => {
          const path = join(folder, name);
          const bytes = readFileSync(path);
          const position = Math.floor(at * bytes.length);
          const damaged = isLost ? Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + 1)]) : Buffer.from(bytes);
          if (!isLost) damaged[position] = (damaged[position] ?? 0) ^ 0x10;
          writeFileSync(path, damaged);
          const work = async () => {
            if (name.startsWith('shard')) for (const partition of [0, 1, 2]) await foldPartition(folder, { partition, network: TWITTER });
            else await mergePartitions(folder, store, {});
          };
          await expect(work(), `byte ${position} of ${bytes.length}`).rejects.toMatchObject({ code: 'bad-shard', place: { file: path } });
          writeFileSync(path, bytes);
        },
      ),
      {
        numRuns: RUNS.numRuns * 10,
        examples: [
          [names[0] ?? '', 0, false],
          [names.at(-1) ?? '', 0.999_999, true],
        ],
      },
    );
    expect(() => contentsOf(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
  });

  it('refuse a partition that the run does not have', async () => {
    const folder = temporaryFolder();
    await partitionShard(folder, overlapping(), NUMBERS, 0);
    const refusal = { code: 'usage', place: { field: '--partition' } };
    await expect(foldPartition(folder, { partition: 3, network: TWITTER })).rejects.toMatchObject(refusal);
    await expect(foldPartition(folder, { partition: 1, partitions: 2, network: TWITTER })).rejects.toMatchObject(refusal);
  });
});
