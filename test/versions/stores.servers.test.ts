import { writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { AZURITE, CEPH, portOf, S3_KEYS, type Store, type StoreKind } from '../publish/stores.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile, recordLines } from '../whole/stores.ts';
import { readerOf } from '../zip/zips.ts';
import { json, listed, type Published, Site } from './site.ts';

const OVERLAPS = times('overlaps of two publishers', 4, 100);
const KILLS = times('killed publishes', 6, 300);
const HEADERS = { contentType: 'application/zip', cacheControl: 'no-cache', contentEncoding: '' };
const { signal } = new AbortController();

/** Two machines with their own stores, which publish to one target. */
class Machines {
  readonly kind: StoreKind;
  readonly endpoint: string;
  readonly prefix: string;
  readonly target: Target;
  readonly sites: readonly Site[];

  constructor(kind: StoreKind, endpoint: string, prefix: string, target: Target, sites: readonly Site[]) {
    this.kind = kind;
    this.endpoint = endpoint;
    this.prefix = prefix;
    this.target = target;
    this.sites = sites;
  }

  get address(): string {
    return this.kind.address(this.prefix);
  }

  get env(): Readonly<Record<string, string>> {
    return this.kind.env(this.endpoint);
  }

  /** Runs a publish in a process of its own. Two machines have two stores, so each replaces the state of the other. */
  async run(machine: number, more: readonly string[] = [], milliseconds?: number): Promise<Published | string> {
    const site = this.sites[machine];
    if (site === undefined) throw new Error('no such machine');
    const { code, stdout, stderr } = await palimpsest([...site.args(this.address, ['--replace', ...more]), '--json', '--timeout', '10'], {
      env: this.env,
      ownProcess: true,
      onStart: (child) => {
        if (milliseconds !== undefined) void setTimeout(milliseconds).then(() => child.kill('SIGKILL'));
      },
    });
    if (code === null) return 'killed';
    if (stdout === '') throw new Error(stderr);
    const result = JSON.parse(stdout);
    return code === 0 ? result : result.error.code;
  }

  /** Returns the paths of all objects, and those that the newest commit does not need. */
  async objects(): Promise<{ readonly all: readonly string[]; readonly unneeded: readonly string[]; readonly uploads: number }> {
    const all = (await this.target.list('', '', undefined, signal)).objects.map(({ path }) => path);
    const live = new Set((await listed(this.address, this.env)).versions.map(({ file }) => file));
    const unneeded = all.filter((path) => !live.has(path) && !/^(head|palimpsest|versions\/\d{8})\.json$/.test(path));
    return { all, unneeded, uploads: (await this.target.openUploads?.('', signal))?.length ?? 0 };
  }

  /** Returns the texts of all objects, and of the members of those that are ZIPs. */
  async texts(): Promise<string[]> {
    const { all } = await this.objects();
    const texts = await Promise.all(all.map(async (path) => textsIn((await this.target.get(path, signal))?.bytes ?? Buffer.of())));
    return texts.flat();
  }
}

function textsIn(bytes: Buffer): string[] {
  if (bytes.subarray(0, 2).toString() !== 'PK') return [bytes.toString('latin1')];
  const path = join(folder, 'fetched.zip');
  writeFileSync(path, bytes);
  const zip = readerOf(path);
  const texts = [...zip.paths()].map((member) => zip.read(member)?.toString() ?? '');
  zip.close();
  return texts;
}

const folder = folderOfFile();
let lines: readonly string[];
beforeAll(async () => {
  lines = await recordLines(2_000, 80);
});

async function machinesAt(kind: StoreKind, endpoint: string, prefix: string): Promise<Machines> {
  const target = await openTarget(kind.address(prefix), '', { connections: 4, secrets: {}, ...kind.access(endpoint) });
  const sites = ['one', 'two'].map((name, index) => new Site(join(folder, `${kind.name}-${prefix}-${name}`), lines.slice(index * 1_000)));
  return new Machines(kind, endpoint, prefix, target, sites);
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

  it.skipIf(skip)('sends seven requests if something is new, and two if nothing is', async () => {
    const { address, env, sites } = await machinesAt(kind, store.endpoint, 'requests');
    const [site] = sites;
    await site?.grow(20);
    await site?.publish(address, [], env);
    await site?.grow(5);
    expect(await site?.publish(address, [], env)).toMatchObject({ version: 2, conditional: true, requests: { all: 7 } });
    expect(await site?.publish(address, [], env)).toMatchObject({ change: null, requests: { all: 2 } });
    expect(await json(['publish', address, '--rollback'], env)).toMatchObject({ version: 1, change: 'rollback', deleted: 1 });
  });

  it.skipIf(skip)(`loses no version and mixes none in ${OVERLAPS} overlaps of two processes`, async () => {
    const machines = await machinesAt(kind, store.endpoint, 'overlaps');
    const random = chance(7);
    let succeeded = 0;
    for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
      await Promise.all(machines.sites.map((site) => site.grow(3 + Math.floor(random() * 5))));
      const delays = [0, random() * 400];
      const results = await Promise.all(
        delays.map(async (delay, machine) => {
          await setTimeout(delay);
          return machines.run(machine);
        }),
      );
      const { versions } = await listed(machines.address, machines.env);
      for (const result of results) {
        if (typeof result === 'string') expect(result).toBe('target-busy');
        else succeeded += 1;
      }
      expect(versions).toHaveLength(succeeded);
      expect(versions.filter(({ current }) => current)).toHaveLength(1);
      expect(await machines.objects()).toMatchObject({ unneeded: [], uploads: 0 });
    }
    expect(succeeded).toBeGreaterThan(OVERLAPS);
    // each version is whole
    expect(await machines.sites[0]?.publish(machines.address, ['--repair', '--replace'], machines.env)).toMatchObject({ damaged: [] });
    machines.target.close();
  });

  it.skipIf(skip)(`leaves nothing after ${KILLS} kills and a removal`, async () => {
    const machines = await machinesAt(kind, store.endpoint, 'kills');
    const [site] = machines.sites;
    if (site === undefined) return;
    const random = chance(11);
    await site.grow(10);
    await machines.run(0);
    let kills = 0;
    for (let tries = 0; kills < KILLS && tries < 4 * KILLS; tries += 1) {
      await site.grow(3);
      if ((await machines.run(0, [], 350 + random() * 900)) === 'killed') kills += 1;
      if (tries % 3 === 2) {
        expect(await machines.run(0)).toMatchObject({ damaged: [] });
        expect(await machines.objects()).toMatchObject({ unneeded: [] });
      }
    }
    expect(kills).toBe(KILLS);
    const name: string = JSON.parse(lines[12] ?? '').account;
    await palimpsestJson(['remove', name, '--store', site.store, '--yes']);
    await site.build();
    // parts of a file that was sent when its publisher was killed
    const parts = await machines.target.beginParts?.('versions/00009999-0123456789ab.zip', { headers: HEADERS, digest: '' }, signal);
    await parts?.put(1, Buffer.alloc(5 << 20), signal);
    const own = (await listed(machines.address, machines.env)).versions[0]?.number ?? 0;
    const next = await machines.target.beginParts?.(
      `versions/${String(own + 1).padStart(8, '0')}-0123456789ab.zip`,
      { headers: HEADERS, digest: '' },
      signal,
    );
    await next?.put(1, Buffer.from(name), signal);
    expect(await machines.run(0)).toMatchObject({ change: 'remove' });
    expect(await machines.objects()).toMatchObject({ unneeded: [], uploads: parts === undefined ? 0 : 1 });
    await parts?.abort(signal);
    expect((await machines.texts()).filter((text) => text.includes(`"${name}"`))).toEqual([]);
    machines.target.close();
  });
});

/** Starts a proxy that makes a store ignore conditions: it drops their headers, and the signature, which contains them. */
async function startCareless(upstream: string): Promise<{ readonly server: Server; readonly endpoint: string }> {
  const { hostname, port } = new URL(upstream);
  const server = createServer((incoming, outgoing) => {
    const { authorization: _, 'if-none-match': __, 'if-match': ___, ...headers } = incoming.headers;
    const onward = httpRequest({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, endpoint: `http://127.0.0.1:${portOf(server)}` };
}

describe('publish of a ZIP to a store that ignores conditions', () => {
  const { skip } = CEPH.requirement;
  let store: Store;
  let careless: Awaited<ReturnType<typeof startCareless>>;

  beforeAll(async () => {
    if (skip) return;
    Object.assign(process.env, CEPH.keys);
    store = await CEPH.start();
    await administer(async (sdk, client) => {
      const resources = ['arn:aws:s3:::history', 'arn:aws:s3:::history/*'];
      const statement = { Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: resources };
      await client.send(
        new sdk.PutBucketPolicyCommand({ Bucket: 'history', Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) }),
      );
    });
    careless = await startCareless(store.endpoint);
  });
  afterAll(async () => {
    careless?.server.close();
    await store?.stop();
  });

  async function administer(
    work: (sdk: typeof import('@aws-sdk/client-s3'), client: import('@aws-sdk/client-s3').S3Client) => Promise<void>,
  ): Promise<void> {
    const sdk = await import('@aws-sdk/client-s3');
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = S3_KEYS;
    const options = { endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
    const client = new sdk.S3Client(options);
    await work(sdk, client).finally(() => client.destroy());
  }

  it.skipIf(skip)('is refused, also where versions are already, and leaves nothing', async () => {
    const machines = await machinesAt(CEPH, careless.endpoint, 'refused');
    await machines.sites[0]?.grow(10);
    expect(await machines.run(0)).toBe('no-conditions');
    expect((await machines.target.list('', '', undefined, signal)).objects).toEqual([]);
    expect(await machines.run(0, ['--single-publisher'])).toMatchObject({ version: 1, conditional: false });
    await machines.sites[0]?.grow(10);
    expect(await machines.run(0)).toBe('no-conditions');
    expect(await machines.run(0, ['--single-publisher'])).toMatchObject({ version: 2, conditional: false });
    machines.target.close();
  });

  it.skipIf(skip)(`reports no success that is not there in ${OVERLAPS} overlaps of two processes with --single-publisher`, async () => {
    const machines = await machinesAt(CEPH, careless.endpoint, 'overlaps');
    const random = chance(3);
    const expected: string[] = [];
    let [refused, overlapped] = [0, 0];
    await machines.sites[0]?.grow(5);
    await machines.run(0, ['--single-publisher']);
    for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
      const manifests = await Promise.all(machines.sites.map((site) => site.grow(3)));
      const results = await Promise.all(
        [0, random() * 300].map(async (delay, machine) => {
          await setTimeout(delay);
          return machines.run(machine, ['--single-publisher']);
        }),
      );
      for (const [machine, result] of results.entries()) {
        if (typeof result !== 'string') expected.push(manifests[machine] ?? '');
        else {
          expect(result).toBe('target-busy');
          refused += 1;
        }
      }
      if (results.every((result) => typeof result !== 'string')) overlapped += 1;
      await machines.run(0, ['--single-publisher']);
    }
    console.log(
      `${OVERLAPS} overlaps without conditions: ${refused} of ${2 * OVERLAPS} runs were refused, both succeeded in ${overlapped}`,
    );
    const live = (await listed(machines.address, machines.env)).versions.map(({ manifest }) => manifest);
    expect(expected.filter((manifest) => !live.includes(manifest))).toEqual([]);
    machines.target.close();
  });

  it.skipIf(skip)('fails after a removal if the bucket keeps what is deleted', async () => {
    await administer(async (sdk, client) => {
      await client.send(new sdk.CreateBucketCommand({ Bucket: 'kept' }));
    });
    const kind = { ...CEPH, address: (prefix: string) => `s3://kept/${prefix}` };
    const machines = await machinesAt(kind, store.endpoint, 'versioned');
    const [site] = machines.sites;
    await site?.grow(10);
    expect(await machines.run(0)).toMatchObject({ version: 1, conditional: true });
    await administer(async (sdk, client) => {
      await client.send(new sdk.PutBucketVersioningCommand({ Bucket: 'kept', VersioningConfiguration: { Status: 'Enabled' } }));
    });
    await palimpsestJson(['remove', JSON.parse(lines[3] ?? '').account, '--store', site?.store ?? '', '--yes']);
    await site?.build();
    // Ceph ignores conditions in such a bucket
    expect(await machines.run(0)).toBe('no-conditions');
    expect(await machines.run(0, ['--single-publisher'])).toBe('not-removed');
    expect(await machines.run(0, ['--single-publisher'])).toBe('not-removed');
    machines.target.close();
  });
});
