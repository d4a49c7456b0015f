import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FolderFiles } from '../../src/shard/folder-files.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun, generatedSnapshot } from '../support/generated-snapshots.ts';
import { inputsFrom, observeInShards, observeSerially, overlapping } from '../support/shards.ts';
import { allRows } from '../support/store-rows.ts';

/** How many sets of snapshots are generated. */
const RUNS = { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 6) };
const MPS = fileURLToPath(new URL('../../../shared/data/uk-mps', import.meta.url));
const counts = fc.record({ shards: fc.integer({ min: 1, max: 4 }), partitions: fc.integer({ min: 1, max: 5 }) });

const inputsIn = (folder: string) => inputsOf([folder], (async function* () {})());

describe('a run in shards', () => {
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
          const result = await observeInShards(sharded, new FolderFiles(join(folder, `run ${night}`)), inputs, numbers, old);
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
        expect(await observeInShards(sharded, new FolderFiles(join(folder, 'run')), inputs, numbers)).toEqual(expected);
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
    expect(await observeInShards(sharded, new FolderFiles(join(folder, 'run')), inputsIn(MPS), { shards: 7, partitions: 4 })).toEqual(
      expected,
    );
    expect(readFileSync(sharded).equals(readFileSync(serial))).toBe(true);
  });

  it('adds nothing when it is merged again', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'store.db');
    await observeInShards(store, new FolderFiles(join(folder, 'run')), overlapping(), { shards: 2, partitions: 2 });
    const before = allRows(store);
    const { unchanged, snapshots } = await mergePartitions(new FolderFiles(join(folder, 'run')), store, {});
    expect([unchanged, allRows(store)]).toEqual([snapshots, before]);
  });
});
