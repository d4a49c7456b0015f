import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { signalledAt, startProxy } from '../publish/proxy.ts';
import { AZURITE, CEPH, S3_KEYS, type Store, type StoreKind } from '../publish/stores.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile, recordLines } from '../whole/stores.ts';
import { readerOf } from '../zip/zips.ts';
import { listed, type Published, Site } from './site.ts';

// simulated.test.ts kills and overlaps thousands of runs; these show that real stores keep what the simulated one promises
const OVERLAPS = times('overlaps of two publishers', 2, 100);
const KILLS = times('killed publishes', 2, 300);
const HEADERS = { contentType: 'application/zip', cacheControl: 'no-cache', contentEncoding: '' };
const { signal } = new AbortController();

const folder = folderOfFile();
let lines: readonly string[];
beforeAll(async () => {
  lines = await recordLines(2_000, 80);
});

/** Two machines with their own stores, which publish to one target. */
interface Machines {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly target: Target;
  readonly sites: readonly [Site, Site];
}

async function machinesAt(kind: StoreKind, { endpoint }: Store, prefix: string): Promise<Machines> {
  const target = await openTarget(kind.address(prefix), '', { connections: 4, secrets: {}, ...kind.access(endpoint) });
  const site = (machine: number) => new Site(join(folder, `${kind.name}-${prefix}-${machine}`), lines.slice(machine * 1_000));
  return { address: kind.address(prefix), env: kind.env(endpoint), target, sites: [site(0), site(1)] };
}

/** The arguments of a publish. Two machines have two stores, so each replaces the state of the other. */
const argsOf = ({ address, sites }: Machines, machine: 0 | 1, more: readonly string[] = []) => [
  ...sites[machine].args(address, ['--replace', ...more]),
  '--json',
  '--timeout',
  '10',
];

/** Runs a publish in a process of its own. */
async function run(machines: Machines, machine: 0 | 1, more: readonly string[] = []): Promise<Published | string> {
  const { stdout, stderr } = await palimpsest(argsOf(machines, machine, more), { env: machines.env });
  if (stdout === '') throw new Error(stderr);
  const result = JSON.parse(stdout);
  // without conditions, a run that succeeded may leave a file of the other run to the next one, and says so with exit code 1
  return result.error === undefined ? result : result.error.code;
}

/** Returns the paths of all objects, and those that the newest commit does not need. */
async function objectsOf({ address, env, target }: Machines) {
  const all = (await target.list('', '', undefined, signal)).objects.map(({ path }) => path);
  const live = new Set((await listed(address, env)).versions.map(({ file }) => file));
  const unneeded = all.filter((path) => !live.has(path) && !/^(head|palimpsest|versions\/\d{8})\.json$/.test(path));
  return { all, unneeded, uploads: (await target.openUploads?.('', signal))?.length ?? 0 };
}

/** Returns the text of an object, or those of its members if it is a ZIP. */
function textsIn(bytes: Buffer): string[] {
  if (bytes.subarray(0, 2).toString() !== 'PK') return [bytes.toString('latin1')];
  const path = join(folder, 'fetched.zip');
  writeFileSync(path, bytes);
  const zip = readerOf(path);
  const texts = [...zip.paths()].map((member) => zip.read(member)?.toString() ?? '');
  zip.close();
  return texts;
}

describe.each([CEPH, AZURITE])('publish of a ZIP to $name', (kind) => {
  const { skip } = kind.requirement;
  let store: Store;
  beforeAll(async () => {
    if (skip) return;
    Object.assign(process.env, kind.keys);
    store = await kind.start();
  });
  afterAll(() => store?.stop());

  async function administer(work: (client: S3Client) => Promise<unknown>): Promise<void> {
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = S3_KEYS;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    await work(client).finally(() => client.destroy());
  }

  it.skipIf(skip)(`loses no version and mixes none in ${OVERLAPS} overlaps of two processes`, async () => {
    const machines = await machinesAt(kind, store, 'overlaps');
    let succeeded = 0;
    for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
      await Promise.all(machines.sites.map((site) => site.grow(3)));
      const results = await Promise.all([run(machines, 0), run(machines, 1)]);
      for (const result of results) {
        if (typeof result === 'string') expect(result).toBe('target-busy');
        else succeeded += 1;
      }
      const { versions } = await listed(machines.address, machines.env);
      expect(versions).toHaveLength(succeeded);
      expect(versions.filter(({ current }) => current)).toHaveLength(1);
      expect(await objectsOf(machines)).toMatchObject({ unneeded: [], uploads: 0 });
    }
    const again = () => machines.sites[0].publish(machines.address, ['--replace'], machines.env);
    await again();
    expect(await again()).toMatchObject({ change: null, requests: { all: 2 } });
    // each version is whole
    expect(await machines.sites[0].publish(machines.address, ['--repair', '--replace'], machines.env)).toMatchObject({ damaged: [] });
    machines.target.close();
  });

  it.skipIf(skip)(`leaves nothing after ${KILLS} kills and a removal`, async () => {
    const proxy = await startProxy(store.endpoint);
    const machines = await machinesAt(kind, store, 'kills');
    const [site] = machines.sites;
    const random = chance(11);
    await site.grow(10);
    await run(machines, 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await site.grow(3);
      proxy.requests = 0;
      // a run sends seven requests, and more if it repairs
      const request = 1 + Math.floor(random() * 6);
      const killed = await signalledAt(proxy, () => proxy.requests > request, argsOf(machines, 0), kind.env(proxy.endpoint));
      expect(killed.signal).toBe('SIGKILL');
      expect(await run(machines, 0)).toMatchObject({ damaged: [] });
      expect(await objectsOf(machines)).toMatchObject({ unneeded: [] });
    }
    await proxy.stop();
    const name: string = JSON.parse(lines[12] ?? '').account;
    await palimpsestJson(['remove', name, '--store', site.store, '--yes']);
    await site.build();
    // parts of a file that was sent when its publisher was killed
    const begin = (path: string) => machines.target.beginParts?.(path, { headers: HEADERS, digest: '' }, signal);
    const parts = await begin('versions/00009999-0123456789ab.zip');
    await parts?.put(1, Buffer.alloc(5 << 20), signal);
    const own = (await listed(machines.address, machines.env)).versions[0]?.number ?? 0;
    const next = await begin(`versions/${String(own + 1).padStart(8, '0')}-0123456789ab.zip`);
    await next?.put(1, Buffer.from(name), signal);
    expect(await run(machines, 0)).toMatchObject({ change: 'remove' });
    const { all, ...left } = await objectsOf(machines);
    expect(left).toEqual({ unneeded: [], uploads: parts === undefined ? 0 : 1 });
    await parts?.abort(signal);
    const fetched = await Promise.all(all.map((path) => machines.target.get(path, signal)));
    const texts = fetched.flatMap((object) => textsIn(object?.bytes ?? Buffer.of()));
    expect(texts.filter((text) => text.includes(`"${name}"`))).toEqual([]);
    machines.target.close();
  });

  it.skipIf(skip || kind !== CEPH)(
    `is refused at a store that ignores conditions, and loses no version in ${OVERLAPS} overlaps with --single-publisher`,
    async () => {
      const { PutBucketPolicyCommand } = await import('@aws-sdk/client-s3');
      const allowed = { Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: ['arn:aws:s3:::history', 'arn:aws:s3:::history/*'] };
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [allowed] });
      await administer((client) => client.send(new PutBucketPolicyCommand({ Bucket: 'history', Policy })));
      const proxy = await startProxy(store.endpoint);
      // the signature contains the conditions
      proxy.headersOf = ({ headers: { authorization: _, 'if-none-match': __, 'if-match': ___, ...headers } }) => headers;
      const machines = await machinesAt(kind, { ...store, endpoint: proxy.endpoint }, 'careless');
      const [site] = machines.sites;
      await site.grow(5);
      expect(await run(machines, 0)).toBe('no-conditions');
      expect((await machines.target.list('', '', undefined, signal)).objects).toEqual([]);
      const single = ['--single-publisher'];
      const expected: string[] = [];
      let refused = 0;
      for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
        expect(typeof (await run(machines, 0, single))).toBe('object');
        const manifests = await Promise.all(machines.sites.map((one) => one.grow(3)));
        const results = await Promise.all([run(machines, 0, single), run(machines, 1, single)]);
        for (const [machine, result] of results.entries()) {
          if (typeof result === 'object') expected.push(manifests[machine] ?? '');
          else {
            expect(result).toBe('target-busy');
            refused += 1;
          }
        }
      }
      expect(typeof (await run(machines, 0, single))).toBe('object');
      console.log(`${OVERLAPS} overlaps without conditions: ${refused} of ${2 * OVERLAPS} runs were refused`);
      const live = new Set((await listed(machines.address, machines.env)).versions.map(({ manifest }) => manifest));
      expect(expected.filter((manifest) => !live.has(manifest))).toEqual([]);
      machines.target.close();
      await proxy.stop();
    },
  );

  it.skipIf(skip || kind !== CEPH)('fails after a removal if the bucket keeps what is deleted', async () => {
    const { CreateBucketCommand, PutBucketVersioningCommand } = await import('@aws-sdk/client-s3');
    const { endpoint } = store;
    await administer((client) => client.send(new CreateBucketCommand({ Bucket: 'kept' })));
    const [address, env, site] = ['s3://kept/versioned', kind.env(endpoint), new Site(join(folder, 'versioned'), lines)];
    await site.grow(10);
    expect(await site.publish(address, [], env)).toMatchObject({ version: 1, conditional: true });
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await administer((client) => client.send(new PutBucketVersioningCommand({ Bucket: 'kept', VersioningConfiguration })));
    await palimpsestJson(['remove', JSON.parse(lines[3] ?? '').account, '--store', site.store, '--yes']);
    await site.build();
    // Ceph ignores conditions in such a bucket
    expect(await site.refused(address, [], env)).toMatchObject({ code: 'no-conditions' });
    for (let run = 0; run < 2; run += 1) {
      expect(await site.refused(address, ['--single-publisher'], env)).toMatchObject({ code: 'not-removed' });
    }
  });
});
