import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partitionOf, shardChoice, shardOf } from '../../src/commands/scheduler.ts';
import { CEPH, ceph, type Store, startCeph } from '../publish/stores.ts';
import { tarOf } from '../support/archives.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

/** Writes a folder with three sources. Returns its path. */
function sources(folder: string, snapshots = 30): string {
  for (let file = 0; file < 3; file += 1) {
    const lines = Array.from({ length: snapshots }, (_, index) => {
      const observed_at = new Date(Date.UTC(2022, 0, 1, index, file)).toISOString();
      return JSON.stringify({ observed_at, screen_name: `user_${index % 7}`, bio: `bio ${Math.floor(index / 9)} of ${file}` });
    });
    writeFileSync(join(folder, `source-${file}.ndjson`), lines.join('\n'));
  }
  return folder;
}

const slurm = (id: number, min: number, max: number, count = max - min + 1) => ({
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_MIN: String(min),
  SLURM_ARRAY_TASK_MAX: String(max),
  SLURM_ARRAY_TASK_COUNT: String(count),
});

describe('the shard of a task', () => {
  it.each([
    [undefined, slurm(3, 0, 6), { number: 3, shards: 7 }],
    [undefined, slurm(7, 1, 7), { number: 6, shards: 7 }],
    [undefined, { AWS_BATCH_JOB_ARRAY_INDEX: '2', AWS_BATCH_JOB_ARRAY_SIZE: '5' }, { number: 2, shards: 5 }],
    [undefined, { ...slurm(1, 0, 1), JOB_COMPLETION_INDEX: '0', AWS_BATCH_JOB_ARRAY_INDEX: '3' }, { number: 1, shards: 2 }],
    ['/9', { JOB_COMPLETION_INDEX: '8', AWS_BATCH_JOB_ARRAY_INDEX: '3' }, { number: 8, shards: 9 }],
    ['/7', slurm(3, 0, 6), { number: 3, shards: 7 }],
    ['2/5', slurm(3, 0, 6), { number: 2, shards: 5 }],
  ])('is taken from the option %j and the variables %j', (option, env, expected) => {
    expect(shardOf(option === undefined ? undefined : shardChoice(option), env)).toEqual(expected);
  });

  it.each([
    [undefined, {}],
    ['/4', {}],
    [undefined, { JOB_COMPLETION_INDEX: '1' }],
    ['/4', { JOB_COMPLETION_INDEX: '4' }],
    ['/4', slurm(1, 0, 6)],
    ['/4', slurm(3, 3, 7, 2)],
    [undefined, slurm(3, 3, 7)],
    [undefined, slurm(0, 0, 6, 4)],
    [undefined, { SLURM_ARRAY_TASK_ID: '3' }],
  ])('is an error with the option %j and the variables %j', (option, env) => {
    const choice = option === undefined ? undefined : shardChoice(option);
    expect(() => shardOf(choice, env)).toThrow(expect.objectContaining({ code: 'usage', place: { field: '--shard' } }));
  });

  it.each(['', '1', '4/4', '-1/4', '1/0', '0/2001', '1/4/5', '1.5/4', 'a/4'])('cannot be %j', (text) => {
    expect(() => shardChoice(text)).toThrow(/Expected I\/N/);
  });
});

describe('the partition of a task', () => {
  it('is taken from the option, or from the variables', () => {
    expect(partitionOf(3, slurm(1, 0, 6))).toEqual({ number: 3, tasks: undefined });
    expect(partitionOf(undefined, slurm(1, 1, 6))).toEqual({ number: 0, tasks: 6 });
    expect(partitionOf(undefined, { JOB_COMPLETION_INDEX: '5' })).toEqual({ number: 5, tasks: undefined });
    expect(() => partitionOf(undefined, {})).toThrow(expect.objectContaining({ code: 'usage', place: { field: '--partition' } }));
    expect(() => partitionOf(undefined, slurm(3, 3, 7, 2))).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('shard', () => {
  it('gives the store of observe in three steps', async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    const [run, serial, store] = [join(folder, 'run'), join(folder, 'serial.db'), join(folder, 'store.db')];
    const { milliseconds: _, dry_run: __, ...expected } = await palimpsestJson(['observe', source, '--store', serial]);
    const step1 = ['shard', 'partition', source, '--partitions', '2', '--to', run];
    expect(await palimpsestJson([...step1, '--shard', '0/2'])).toMatchObject({
      shard: 0,
      shards: 2,
      partitions: 2,
      sources: { all: 3 },
      rejected: 0,
    });
    expect(await palimpsest(step1, { env: slurm(2, 1, 2) })).toMatchObject({ code: 0 });
    for (const partition of ['0', '1']) {
      expect(await palimpsestHere(['shard', 'fold', run], { env: { PALIMPSEST_PARTITION: partition } })).toMatchObject({ code: 0 });
    }
    const { milliseconds: ___, ...merged } = await palimpsestJson(['shard', 'merge', run, '--store', store]);
    expect(merged).toEqual({ ...expected, store });
    expect(readFileSync(store).equals(readFileSync(serial))).toBe(true);
  });

  it('has different exit codes for a missing file, a refusal and wrong usage', async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    const step1 = (...args: readonly string[]) =>
      palimpsestHere(['shard', 'partition', source, '--to', join(folder, 'run'), ...args, '--json']);
    expect(await step1('--partitions', '2', '--shard', '1/2')).toMatchObject({ code: 0 });
    const refused = await step1('--partitions', '3', '--shard', '1/2');
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([3, 'other-run']);
    const missing = await palimpsestHere(['shard', 'fold', join(folder, 'run'), '--partition', '0']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('shard-00000.rows')]);
    expect(await step1('--partitions', '2')).toMatchObject({ code: 2 });
    expect(
      await palimpsestHere(['shard', 'partition', '-', '--to', join(folder, 'run'), '--partitions', '2', '--shard', '0/1']),
    ).toMatchObject({ code: 2 });
  });

  it('writes nothing for a shard with an error, and the valid rest with --rejects', async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    writeFileSync(join(source, 'source-3.ndjson'), '{"broken');
    const step1 = ['shard', 'partition', source, '--partitions', '1', '--shard', '0/1', '--to', join(folder, 'run')];
    const failed = await palimpsestHere(step1);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('source-3.ndjson')]);
    expect(readdirSync(join(folder, 'run'))).toEqual(['run.json']);
    const rejects = join(folder, 'rejects.ndjson');
    expect(await palimpsestJson([...step1, '--rejects', rejects])).toMatchObject({ rejected: 1, snapshots: 90 });
    expect(readFileSync(rejects, 'utf8')).toContain('source-3.ndjson');
  });

  /** Runs all steps with two shards. Returns the results of the first step, and of the merge. */
  async function runInShards(folder: string, source: string, ...more: readonly string[]) {
    const run = join(folder, 'run');
    const partitions = [];
    for (const shard of ['0/2', '1/2']) {
      const options = ['--partitions', '1', '--to', run, '--shard', shard, ...more];
      partitions.push(await palimpsestJson(['shard', 'partition', source, ...options]));
    }
    await palimpsestJson(['shard', 'fold', run, '--partition', '0']);
    const { code, stdout } = await palimpsestHere(['shard', 'merge', run, '--store', join(folder, 'store.db'), '--json']);
    return { partitions, code, merged: JSON.parse(stdout) };
  }

  it('fails in the merge, and writes no store, if no shard read anything', async () => {
    const source = sources(temporaryFolder());
    writeFileSync(join(source, 'source-0.ndjson'), await tarOf({ 'a.ndjson': '{"broken' }));
    for (const name of ['source-1.ndjson', 'source-2.ndjson']) writeFileSync(join(source, name), gzipSync('{"broken'));
    const rejected = temporaryFolder();
    expect(await runInShards(rejected, source, '--rejects', join(rejected, 'rejects.ndjson'))).toMatchObject({
      code: 1,
      merged: { error: { code: 'all-rejected', found: '3 rejected items' } },
    });
    // the content of archives and of compressed files is not known before they are read
    const unmatched = temporaryFolder();
    expect(await runInShards(unmatched, source, '--include', '*.txt')).toMatchObject({ code: 1, merged: { error: { code: 'no-source' } } });
    for (const folder of [rejected, unmatched]) expect(existsSync(join(folder, 'store.db'))).toBe(false);
  });

  it('succeeds if one shard read something', async () => {
    const source = sources(temporaryFolder());
    writeFileSync(join(source, 'source-0.ndjson'), gzipSync('{"broken'));
    const folder = temporaryFolder();
    const { partitions, code, merged } = await runInShards(folder, source, '--rejects', join(folder, 'rejects.ndjson'));
    expect([code, merged.snapshots, partitions.map(({ rejected }) => rejected)]).toEqual([0, 60, [1, 0]]);
    expect((await runInShards(temporaryFolder(), source, '--include', 'source-2.ndjson')).code).toBe(0);
  });

  it.each(['auto', 'neutral'])('reads the files that observe reads beside account.js, with --from %s', async (from) => {
    const source = sources(temporaryFolder());
    const text = readFileSync(join(source, 'source-0.ndjson'), 'utf8');
    const account = 'window.YTD.account.part0 = [{"account":{"username":"nina_k","accountId":"501","accountDisplayName":"Nina"}}]';
    writeFileSync(join(source, 'account.js'), from === 'auto' ? account : text.replaceAll('user_', 'other_'));
    for (const name of ['1.js', '2.txt']) writeFileSync(join(source, name), text.replaceAll('user_', `${name[0]}_`));
    const folder = temporaryFolder();
    const options = ['--from', from, '--observed-at', '2023-01-01T00:00:00Z'];
    const serial = join(folder, 'serial.db');
    const expected = await palimpsestJson(['observe', source, '--store', serial, ...options]);
    expect(expected['skipped']).toBe(from === 'auto' ? 2 : 0);
    const { merged, partitions } = await runInShards(folder, source, ...options);
    expect(merged).toMatchObject({ snapshots: expected['snapshots'], skipped: expected['skipped'] });
    expect(partitions.reduce((sum, { skipped }) => sum + Number(skipped), 0)).toBe(expected['skipped']);
    expect(readFileSync(join(folder, 'store.db')).equals(readFileSync(serial))).toBe(true);
  });

  it('leaves a complete file or none after a kill at any time', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder(), 3000);
    const step1 = (run: string) => ['shard', 'partition', source, '--partitions', '3', '--shard', '0/1', '--to', join(folder, run)];
    const started = performance.now();
    expect(await palimpsest(step1('whole'))).toMatchObject({ code: 0 });
    const duration = performance.now() - started;
    const whole = filesIn(join(folder, 'whole'));
    for (const share of [0.5, 0.7, 0.85, 0.95]) {
      await palimpsest(step1('killed'), { onStart: (task) => void setTimeout(() => task.kill('SIGKILL'), share * duration) });
      const left = existsSync(join(folder, 'killed')) ? filesIn(join(folder, 'killed')) : new Map<string, Buffer>();
      for (const [name, bytes] of left) if (!name.endsWith('.draft')) expect(whole.get(name)?.equals(bytes), name).toBe(true);
    }
    mkdirSync(join(folder, 'killed'), { recursive: true });
    writeFileSync(join(folder, 'killed', 'shard-00000.rows.killed.draft'), 'a part');
    writeFileSync(join(folder, 'killed', 'run.json.killed.draft'), 'a part');
    expect(await palimpsest(step1('killed'))).toMatchObject({ code: 0 });
    expect([...filesIn(join(folder, 'killed')).keys()]).toEqual([...whole.keys()]);
    expect(filesIn(join(folder, 'killed')).get('shard-00000.rows')).toEqual(whole.get('shard-00000.rows'));
  });
});

describe.skipIf(ceph.skip)('shard with an s3:// prefix', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startCeph();
  }, 120_000);
  afterAll(() => store.stop());

  it('gives the store of observe, and names a missing file by its address', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    const [serial, sharded] = [join(folder, 'serial.db'), join(folder, 'store.db')];
    const place = 's3://history/run-1';
    const { PALIMPSEST_ENDPOINT: endpoint = '', ...keys } = CEPH.env(store.endpoint);
    const options = { env: { ...keys, TMPDIR: folder } };
    const { milliseconds: _, dry_run: __, ...expected } = await palimpsestJson(['observe', source, '--store', serial]);
    for (const shard of ['0/2', '1/2']) {
      const step1 = ['shard', 'partition', source, '--shard', shard, '--partitions', '2', '--to', place, '--endpoint', endpoint];
      const file = `${place}/shard-0000${shard[0]}.rows`;
      expect(await palimpsestJson(step1, { ...options, ownProcess: true })).toMatchObject({ partitions: 2, file });
    }
    const fold = (partition: string) => palimpsest(['shard', 'fold', place, '--partition', partition, '--endpoint', endpoint], options);
    const folded = await fold('1');
    expect([folded.code, folded.stdout]).toEqual([0, expect.stringContaining(`shard merge ${place} --endpoint ${endpoint}`)]);
    const merge = ['shard', 'merge', place, '--store', sharded, '--endpoint', endpoint];
    const missing = await palimpsest(merge, options);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining(`no file ${place}/partition-00000.rows`)]);
    expect(await fold('0')).toMatchObject({ code: 0 });
    const { milliseconds: ___, ...merged } = await palimpsestJson(merge, { ...options, ownProcess: true });
    expect(merged).toEqual({ ...expected, store: sharded });
    expect(readFileSync(sharded).equals(readFileSync(serial))).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['serial.db', 'store.db']);
  });

  it('refuses wrong credentials, and other kinds of addresses', { timeout: 60_000 }, async () => {
    const env = { ...CEPH.env(store.endpoint), AWS_SECRET_ACCESS_KEY: 'wrong' };
    const denied = await palimpsest(['shard', 'fold', 's3://history/run-1', '--partition', '0', '--json'], { env });
    expect([denied.code, JSON.parse(denied.stdout).error.code]).toEqual([1, 'target-denied']);
    for (const place of ['az://container/run', 'https://example.org/run', 's3:/history/run', '']) {
      expect(await palimpsestHere(['shard', 'fold', place, '--partition', '0'])).toMatchObject({ code: 2 });
    }
  });
});
