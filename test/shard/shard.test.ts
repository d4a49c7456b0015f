import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FolderFiles } from '../../src/shard/folder-files.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import type { Input } from '../../src/sources/source.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun, generatedSnapshot } from '../support/generated-snapshots.ts';
import { inputsFrom, observeInShards, observeSerially, overlapping, partitionShard, type RunResult } from '../support/shards.ts';
import { allRows } from '../support/store-rows.ts';

/** How many sets of snapshots are generated. */
const RUNS = { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 6) };
const DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const NIGHT_COUNTS = [1, 2, 7].flatMap((shards) => [1, 4].map((partitions) => ({ shards, partitions })));
const counts = fc.record({ shards: fc.integer({ min: 1, max: 4 }), partitions: fc.integer({ min: 1, max: 5 }) });

/** The files with the snapshots of two nights. */
function nights(): string[][] {
  const mps = readdirSync(join(DATA, 'uk-mps')).toSorted();
  const paths = mps.map((name) => join(DATA, 'uk-mps', name));
  return [[join(DATA, 'congress-2017/users.jsonl'), ...paths.slice(0, 3)], paths.slice(3)];
}

/** Returns nine inputs with the lines of all files. Each has lines of each file, so the shards overlap in time. */
function dealt(files: readonly string[]): Input[] {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
  return inputsFrom(Array.from({ length: 9 }, (_, input) => lines.filter((_line, index) => index % 9 === input)));
}

interface Night {
  readonly inputs: readonly Input[];
  readonly result: RunResult;
  /** The bytes of the store. */
  readonly bytes: Buffer;
}

/** Observes all nights into one store, one after the other. */
async function observedNights(store: string): Promise<Night[]> {
  const observed: Night[] = [];
  for (const files of nights()) {
    const inputs = dealt(files);
    const result = await observeSerially(store, inputs);
    expect(result.summary.snapshots - result.summary.unchanged).toBeGreaterThan(100);
    observed.push({ inputs, result, bytes: readFileSync(store) });
  }
  return observed;
}

describe('a run in shards', () => {
  let serialNights: Promise<Night[]> | undefined;

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

  it.for(NIGHT_COUNTS)(
    'writes the stores of serial runs with the real snapshots of two nights, byte for byte, with $shards shards and $partitions partitions',
    { timeout: 600_000 },
    async (numbers, { skip }) => {
      skip(!existsSync(DATA), 'the folder ../shared/data is missing');
      const folder = temporaryFolder();
      const sharded = join(folder, 'sharded.db');
      serialNights ??= observedNights(join(folder, 'serial.db'));
      for (const [night, { inputs, result, bytes }] of (await serialNights).entries()) {
        const files = new FolderFiles(join(folder, `run ${night}`));
        expect(await observeInShards(sharded, files, inputs, numbers, sharded)).toEqual(result);
        expect(readFileSync(sharded).equals(bytes), `night ${night}`).toBe(true);
      }
    },
  );

  it('refuses patterns that match no object, as observe does', async () => {
    const folder = temporaryFolder();
    async function* objects() {
      yield { name: 's3://bucket/grab/1.json', path: '1.json', size: 2, open };
    }
    async function* open() {
      yield Buffer.from('[]');
    }
    const remote = { objects, download: () => expect.unreachable() };
    const patterns = { include: ['*.ndjson'], exclude: [] };
    const inputs = () => inputsOf(['s3://bucket/grab'], open(), patterns, remote);
    const refusal = { code: 'no-source', message: 'no file of the sources matches the patterns' };
    await expect(observeSerially(join(folder, 'store.db'), inputs())).rejects.toMatchObject(refusal);
    const files = new FolderFiles(join(folder, 'run'));
    await expect(partitionShard(files, inputs(), { shards: 1, partitions: 1 }, 0)).rejects.toMatchObject(refusal);
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
