import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/storage/open-target.ts';
import { AZURITE, CEPH, S3_KEYS, type Store } from '../publish/stores.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { folderOfFile, recordLines } from '../whole/stores.ts';
import { listed, Site } from './site.ts';

// simulated.test.ts kills and overlaps thousands of runs; this shows that real stores keep what the simulated one promises
const OVERLAPS = times('overlaps of two publishers', 2, 100);

const folder = folderOfFile();
let lines: readonly string[];
beforeAll(async () => {
  lines = await recordLines(2_000, 80);
});

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
    const [address, env] = [kind.address('overlaps'), kind.env(store.endpoint)];
    const target = await openTarget(address, '', { connections: 4, secrets: {}, ...kind.access(store.endpoint) });
    // each of two machines with a store of its own replaces the state of the other
    const sites = [0, 1].map((machine) => new Site(join(folder, `${kind.name}-${machine}`), lines.slice(machine * 1_000)));
    const publish = async (site: Site) => {
      const args = [...site.args(address, ['--replace']), '--json', '--timeout', '10s'];
      const { stdout, stderr } = await palimpsest(args, { env });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    };
    let succeeded = 0;
    for (let overlap = 0; overlap < OVERLAPS; overlap += 1) {
      await Promise.all(sites.map((site) => site.grow(3)));
      for (const { error } of await Promise.all(sites.map(publish))) {
        if (error === undefined) succeeded += 1;
        else expect(error.code).toBe('target-busy');
      }
      const { results: versions } = await listed(address, env);
      expect(versions).toHaveLength(succeeded);
      expect(versions.filter(({ current }) => current)).toHaveLength(1);
      const { signal } = new AbortController();
      const live = new Set(versions.map(({ file }) => file));
      const paths = (await target.list('', '', undefined, signal)).objects.map(({ path }) => path);
      expect(paths.filter((path) => !live.has(path) && !/^(head|palimpsest|versions\/\d{8})\.json$/.test(path))).toEqual([]);
      expect((await target.openUploads?.('', signal)) ?? []).toEqual([]);
    }
    const again = (...more: string[]) => sites[0]?.publish(address, ['--replace', ...more], env);
    await again();
    expect(await again()).toMatchObject({ change: null, requests: { all: 2 } });
    // each version is whole
    expect(await again('--repair')).toMatchObject({ damaged_numbers: [] });
    target.close();
  });

  it.skipIf(skip || kind !== CEPH)('fails after a removal if the bucket keeps what is deleted', async () => {
    const { CreateBucketCommand, PutBucketVersioningCommand } = await import('@aws-sdk/client-s3');
    const { endpoint } = store;
    await administer((client) => client.send(new CreateBucketCommand({ Bucket: 'kept' })));
    const [address, env, site] = ['s3://kept/versioned', kind.env(endpoint), new Site(join(folder, 'versioned'), lines)];
    await site.grow(10);
    expect(await site.publish(address, [], env)).toMatchObject({ number: 1, conditional: true });
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
