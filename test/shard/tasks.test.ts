import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { foldPartition } from '../../src/shard/fold.ts';
import { FolderFiles } from '../../src/shard/folder-files.ts';
import { encodeManifest, FORMAT, parseManifest } from '../../src/shard/manifest.ts';
import { mergePartitions } from '../../src/shard/merge.ts';
import { partitionSources } from '../../src/shard/partition.ts';
import type { Input } from '../../src/sources/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observeInShards, observeSerially, overlapping, partitionAndFold, partitionShard, SNAPSHOTS } from '../support/shards.ts';
import { contentsOf, sourceOf } from '../support/snapshots.ts';
import { PLACES, type Places } from './places.ts';

/** How many damaged bytes are tested. */
const DAMAGES = Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 6);
const NUMBERS = { shards: 2, partitions: 3 };
/** In an object store, a task takes longer. */
const ALL_COUNTS = [1, 2, 7].flatMap((shards) => [1, 4, 64].map((partitions) => ({ shards, partitions })));
const SOME_COUNTS = [
  { shards: 1, partitions: 1 },
  { shards: 7, partitions: 4 },
];

describe.each(PLACES)('the tasks of a run in $name', ({ isRemote, skip, start }) => {
  let places: Places;
  beforeAll(async () => {
    if (!skip) places = await start();
  }, 120_000);
  afterAll(() => places?.stop());

  it.skipIf(skip).each(isRemote ? SOME_COUNTS : ALL_COUNTS)(
    'write the store of a serial run, byte for byte, with $shards shards and $partitions partitions',
    { timeout: 120_000 },
    async (numbers) => {
      const folder = temporaryFolder();
      const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'sharded.db')];
      const inputs = overlapping();
      const expected = await observeSerially(serial, inputs);
      expect(expected.summary.conflicts.count).toBeGreaterThan(0);
      const { files } = await places.create();
      expect(await observeInShards(sharded, files, inputs, numbers)).toEqual(expected);
      expect(readFileSync(sharded).equals(readFileSync(serial))).toBe(true);
    },
  );

  it.skipIf(skip)('write the same files when all run twice at the same time', async () => {
    const [once, twice] = [await places.create(), await places.create()];
    const inputs = overlapping();
    await partitionAndFold(once.files, inputs, NUMBERS);
    await Promise.all([0, 1, 0, 1].map((number) => partitionShard(twice.files, inputs, NUMBERS, number)));
    await Promise.all([0, 1, 2, 0, 1, 2].map((partition) => foldPartition(twice.files, { partition, network: TWITTER })));
    expect(await twice.contents()).toEqual(await once.contents());
    expect([...(await once.contents()).keys()]).toHaveLength(6);
  });

  it.skipIf(skip)('leave no file when they are stopped', async () => {
    const { files, contents } = await places.create();
    const inputs = overlapping();
    const stopped = { code: 'stopped' };
    const options = { shard: { number: 0, shards: 1 }, partitions: 1, snapshots: SNAPSHOTS };
    await expect(partitionSources(inputs, files, { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject(stopped);
    // a stop while the file is written
    const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { syscall: 'write', code: 'ENOSPC' }));
    await expect(partitionSources(inputs, files, { ...options, beforeCommit: full })).rejects.toMatchObject({
      code: 'file-system',
      place: { file: dirname(files.temporary) },
    });
    expect([...(await contents()).keys()]).toEqual(['run.json']);
    await partitionSources(inputs, files, options);
    const store = join(temporaryFolder(), 'store.db');
    await foldPartition(files, { partition: 0, network: TWITTER });
    await expect(mergePartitions(files, store, { signal: AbortSignal.abort() })).rejects.toMatchObject(stopped);
    expect(() => contentsOf(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
  });

  it.skipIf(skip)('refuse a place with the files of another run', async () => {
    const { files, contents } = await places.create();
    const inputs = overlapping();
    await partitionShard(files, inputs, NUMBERS, 0);
    const before = await contents();
    const others: [readonly Input[], typeof NUMBERS][] = [
      [inputs, { ...NUMBERS, shards: 3 }],
      [inputs, { ...NUMBERS, partitions: 4 }],
      [inputs.slice(1), NUMBERS],
      [inputs.map((input) => ({ ...input, size: 5 })), NUMBERS],
    ];
    for (const [sources, numbers] of others) {
      await expect(partitionShard(files, sources, numbers, 1)).rejects.toMatchObject({
        code: 'other-run',
        place: { file: files.addressOf('run.json') },
      });
    }
    expect(await contents()).toEqual(before);
  });

  it.skipIf(skip)('name the files that are missing, and a damaged file before them', async () => {
    const { files, contents, write } = await places.create();
    const store = join(temporaryFolder(), 'store.db');
    const inputs = overlapping();
    await expect(foldPartition(files, { partition: 0, network: TWITTER })).rejects.toMatchObject({
      code: 'no-shard',
      place: { file: files.addressOf('run.json') },
    });
    await partitionShard(files, inputs, NUMBERS, 1);
    await expect(foldPartition(files, { partition: 0, network: TWITTER })).rejects.toMatchObject({
      code: 'no-shard',
      place: { file: files.addressOf('shard-00000.rows') },
    });
    await partitionShard(files, inputs, NUMBERS, 0);
    await foldPartition(files, { partition: 1, network: TWITTER });
    const found = `no file ${files.addressOf('partition-00000.rows')}, ${files.addressOf('partition-00002.rows')}`;
    await expect(mergePartitions(files, store, {})).rejects.toMatchObject({ code: 'no-shard', found });
    const name = 'partition-00001.rows';
    await write(name, (await contents()).get(name)?.subarray(1) ?? Buffer.of());
    const damaged = { code: 'bad-shard', place: { file: files.addressOf(name) } };
    await expect(mergePartitions(files, store, {})).rejects.toMatchObject(damaged);
    expect(existsSync(store)).toBe(false);
  });

  it.skipIf(skip)('refuse a partition that was folded from other shards, or with other links', async () => {
    const { files } = await places.create();
    const store = join(temporaryFolder(), 'store.db');
    await partitionAndFold(files, overlapping(), NUMBERS);
    await foldPartition(files, { partition: 1, network: { ...TWITTER, mention_url: 'https://example.org/{}' } });
    const refusal = { code: 'bad-shard', place: { file: files.addressOf('partition-00001.rows') } };
    const otherLinks = { ...refusal, found: expect.stringContaining('https://example.org/{}') };
    await expect(mergePartitions(files, store, {})).rejects.toMatchObject(otherLinks);
    // a source has changed, but neither its name nor its size
    const [first = sourceOf([]), ...rest] = overlapping();
    const { open } = sourceOf([{ observed_at: '2021-01-01T00:00:00Z', screen_name: 'zed', bio: 'new' }]);
    await partitionShard(files, [{ ...first, open }, ...rest], NUMBERS, 0);
    await expect(mergePartitions(files, store, {})).rejects.toMatchObject({
      code: 'bad-shard',
      place: { file: files.addressOf('partition-00000.rows') },
    });
    await foldPartition(files, { partition: 0, network: TWITTER });
    await expect(mergePartitions(files, store, {})).rejects.toMatchObject(refusal);
    expect(existsSync(store)).toBe(false);
  });

  it.skipIf(skip)('report a file with a lost or a changed byte by name, and never use it', { timeout: 600_000 }, async () => {
    const { files, contents, write } = await places.create();
    const store = join(temporaryFolder(), 'store.db');
    await partitionAndFold(files, overlapping(), NUMBERS);
    const whole = await contents();
    const names = [...whole.keys()].filter((name) => name.endsWith('.rows'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        async (name, at, isLost) => {
          const bytes = whole.get(name) ?? Buffer.of();
          const position = Math.floor(at * bytes.length);
          const damaged = isLost ? Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + 1)]) : Buffer.from(bytes);
          if (!isLost) damaged[position] = (damaged[position] ?? 0) ^ 0x10;
          await write(name, damaged);
          const work = async () => {
            if (name.startsWith('shard')) for (const partition of [0, 1, 2]) await foldPartition(files, { partition, network: TWITTER });
            else await mergePartitions(files, store, {});
          };
          const refusal = { code: 'bad-shard', place: { file: files.addressOf(name) } };
          await expect(work(), `byte ${position} of ${bytes.length}`).rejects.toMatchObject(refusal);
          await write(name, bytes);
        },
      ),
      {
        numRuns: isRemote ? DAMAGES : DAMAGES * 10,
        examples: [
          [names[0] ?? '', 0, false],
          [names.at(-1) ?? '', 0.999_999, true],
        ],
      },
    );
    expect(() => contentsOf(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
  });

  it.skipIf(skip)('refuse a file of another form, although its checksums are correct', async () => {
    const { files, contents, write } = await places.create();
    const store = join(temporaryFolder(), 'store.db');
    await partitionAndFold(files, overlapping(), { shards: 1, partitions: 1 });
    const name = 'partition-00000.rows';
    const bytes = (await contents()).get(name) ?? Buffer.of();
    const { manifest, length } = parseManifest(bytes);
    if (manifest === undefined) expect.unreachable();
    const rows = bytes.subarray(0, -length);
    const { network: _, ...withoutLinks } = manifest;
    const others: readonly Buffer[] = [
      withManifest(rows, { ...manifest, format: FORMAT + 1 }),
      withManifest(rows, { ...manifest, ranges: [[0, 'many', 1]] }),
      withManifest(rows, { ...manifest, more: 1 }),
      withManifest(rows, 'text'),
      withManifest(rows, withoutLinks),
      Buffer.concat([withOtherChanges(rows), encodeManifest(manifest)]),
      Buffer.of(1, 2, 3),
      Buffer.of(),
    ];
    for (const [index, other] of others.entries()) {
      await write(name, other);
      const refusal = { code: 'bad-shard', place: { file: files.addressOf(name) } };
      await expect(mergePartitions(files, store, {}), `file ${index}`).rejects.toMatchObject(refusal);
    }
    await write(name, bytes);
    expect(await mergePartitions(files, store, {})).toMatchObject({ snapshots: 360 });
  });

  it.skipIf(skip)('refuse a partition that the run does not have', async () => {
    const { files } = await places.create();
    await partitionShard(files, overlapping(), NUMBERS, 0);
    const refusal = { code: 'usage', place: { field: '--partition' } };
    await expect(foldPartition(files, { partition: 3, network: TWITTER })).rejects.toMatchObject(refusal);
    await expect(foldPartition(files, { partition: 1, partitions: 2, network: TWITTER })).rejects.toMatchObject(refusal);
  });
});

describe('the tasks of a run in a folder', () => {
  it('report a folder that cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'run.json'));
    const refusal = { code: 'file-system', place: { file: folder } };
    const files = new FolderFiles(folder);
    await expect(partitionShard(files, overlapping(), NUMBERS, 0)).rejects.toMatchObject(refusal);
    await expect(foldPartition(files, { partition: 0, network: TWITTER })).rejects.toMatchObject(refusal);
    await expect(mergePartitions(files, join(folder, 'store.db'), {})).rejects.toMatchObject(refusal);
  });
});

/** Returns a file with any value as its manifest. */
function withManifest(rows: Buffer, manifest: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(manifest));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([rows, json, createHash('sha256').update(json).digest(), length]);
}

/** Returns blocks in which a change has a field of another type. The checksum of the first block is correct. */
function withOtherChanges(blocks: Buffer): Buffer {
  const changed = Buffer.from(blocks);
  const [rows, texts] = [changed.readUInt32LE(0), changed.readUInt32LE(4)];
  const body = changed.subarray(40, 40 + texts + rows * 64);
  const at = body.indexOf('"type":"Bio"');
  expect(at).toBeGreaterThan(0);
  body.write('"type":"Boo"', at);
  createHash('sha256').update(body).digest().copy(changed, 8);
  return changed;
}
