import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Access } from '../../src/storage/target.ts';
import { type Requirement, requirement } from '../support/requirement.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A real object store that runs on this machine. */
export interface Store {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

/** A kind of object store for the tests, with a bucket or container `history`. */
export interface StoreKind {
  readonly name: string;
  readonly requirement: Requirement;
  /** Whether it supports conditional writes. */
  readonly isConditional: boolean;
  readonly start: () => Promise<Store>;
  /** The address of a target with a prefix. */
  readonly address: (prefix: string) => string;
  /** The environment that directs the program to an endpoint (the store's or a proxy's), with credentials. */
  readonly env: (endpoint: string) => Readonly<Record<string, string>>;
  /** The same for a target that the test opens: its access settings and the environment variables. */
  readonly keys: Readonly<Record<string, string>>;
  readonly access: (endpoint: string) => Partial<Access>;
  /** The URL of the files below a prefix for readers. */
  readonly site: (endpoint: string, prefix: string) => string;
  /** The environment in which rclone, an independent client, reaches the store as `store:`. */
  readonly remote: (endpoint: string) => Readonly<Record<string, string>>;
}

/** The environment of S3 clients. Variables that would direct them elsewhere are removed. */
export const S3_KEYS: Readonly<Record<string, string>> = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testtest' };

/** The same for Swift, whose user names have two parts. */
const SWIFT_KEYS: typeof S3_KEYS = { ...S3_KEYS, AWS_ACCESS_KEY_ID: 'test:test' };

export const ceph: Requirement = requirement('Ceph (radosgw, ceph-mon, ceph-osd)', () => existsSync('/usr/bin/radosgw'));
const swift: Requirement = requirement(
  'OpenStack Swift (python3-swift, memcached)',
  () => existsSync('/usr/lib/python3/dist-packages/swift') && existsSync('/usr/bin/memcached'),
);
export const rclone: Requirement = requirement('rclone', () => existsSync('/usr/bin/rclone'));

/** Ceph with its administration tool. */
export interface CephStore extends Store {
  readonly administer: (args: readonly string[]) => Promise<void>;
}

/** Starts a server with an S3 interface by a script of `.ci`, and makes the bucket `history`. */
async function startS3(script: string, keys: typeof S3_KEYS, makePublic: (client: S3Client) => Promise<unknown>) {
  const folder = join(mkdtempSync(join(tmpdir(), 'palimpsest-store-')), 'store');
  const port = await freePort();
  await run(at(script), ['up', folder, String(port)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const { S3Client } = await import('@aws-sdk/client-s3');
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = keys;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  await makePublic(client);
  client.destroy();
  const stop = async () => {
    await run(at(script), ['down', folder]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  };
  return { endpoint, stop, folder };
}

/** Starts Ceph's S3 server with a public bucket `history`. */
export async function startCeph(): Promise<CephStore> {
  const { CreateBucketCommand, PutBucketPolicyCommand } = await import('@aws-sdk/client-s3');
  const { endpoint, stop, folder } = await startS3('.ci/object-store', S3_KEYS, async (client) => {
    await client.send(new CreateBucketCommand({ Bucket: 'history' }));
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::history/*' };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await client.send(new PutBucketPolicyCommand({ Bucket: 'history', Policy }));
  });
  const administer = async (args: readonly string[]) => {
    await run('radosgw-admin', ['-n', 'client.admin', '-c', join(folder, 'ceph.conf'), ...args]);
  };
  return { endpoint, stop, administer };
}

/** Starts OpenStack Swift with its S3 interface, which has no conditional writes, and the same bucket. */
async function startSwift(): Promise<Store> {
  const { CreateBucketCommand } = await import('@aws-sdk/client-s3');
  return startS3('.ci/swift-store', SWIFT_KEYS, (client) =>
    client.send(new CreateBucketCommand({ Bucket: 'history', ACL: 'public-read' })),
  );
}

/** The documented account of Microsoft's emulator. */
const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export function azuriteConnection(endpoint: string): string {
  return `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${AZURITE_KEY};BlobEndpoint=${endpoint}/devstoreaccount1;`;
}

/** Starts Microsoft's emulator of Azure Blob Storage with a public container `history`. */
async function startAzurite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-azurite-'));
  const port = await freePort();
  const args = ['--blobPort', String(port), '--inMemoryPersistence', '--silent', '--disableTelemetry', '--skipApiVersionCheck'];
  const child = spawn(
    process.execPath,
    ['--require', at('test/publish/azurite.cjs'), at('node_modules/azurite/dist/src/blob/main.js'), ...args],
    { cwd: folder, stdio: 'ignore' },
  );
  const stop = async () => {
    const ended = child.exitCode === null && new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    for (let left = 1_200; !(await answers(port)); left -= 1) {
      if (left === 0 || child.exitCode !== null) throw new Error('the emulator does not start');
      await setTimeout(50);
    }
    const { BlobServiceClient } = await import('@azure/storage-blob');
    const service = BlobServiceClient.fromConnectionString(azuriteConnection(endpoint));
    await service.getContainerClient('history').create({ access: 'blob' });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

export const CEPH: StoreKind = {
  name: 'Ceph',
  requirement: ceph,
  isConditional: true,
  start: startCeph,
  ...speakingS3(S3_KEYS),
  site: (endpoint, prefix) => `${endpoint}/history/${prefix}`,
};

export const SWIFT: StoreKind = {
  name: 'Swift',
  requirement: swift,
  isConditional: false,
  start: startSwift,
  ...speakingS3({ ...SWIFT_KEYS, PALIMPSEST_SINGLE_PUBLISHER: '1' }),
  site: (endpoint, prefix) => `${endpoint}/v1/AUTH_test/history/${prefix}`,
};

/** The part that all stores with an S3 interface share. */
function speakingS3(keys: typeof S3_KEYS): Pick<StoreKind, 'address' | 'env' | 'keys' | 'access' | 'remote'> {
  return {
    address: (prefix) => `s3://history/${prefix}`,
    env: (endpoint) => ({ ...keys, PALIMPSEST_ENDPOINT: endpoint }),
    keys,
    access: (endpoint) => ({ endpoint }),
    remote: (endpoint) => ({
      RCLONE_CONFIG_STORE_TYPE: 's3',
      RCLONE_CONFIG_STORE_PROVIDER: 'Other',
      RCLONE_CONFIG_STORE_ENDPOINT: endpoint,
      RCLONE_CONFIG_STORE_ACCESS_KEY_ID: keys['AWS_ACCESS_KEY_ID'] ?? '',
      RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: keys['AWS_SECRET_ACCESS_KEY'] ?? '',
    }),
  };
}

export const AZURITE: StoreKind = {
  name: 'Azurite',
  requirement: { skip: false, reason: '' },
  isConditional: true,
  start: startAzurite,
  address: (prefix) => `az://history/${prefix}`,
  env: (endpoint) => ({ AZURE_STORAGE_CONNECTION_STRING: azuriteConnection(endpoint) }),
  keys: {},
  access: (endpoint) => ({ secrets: { azureConnectionString: azuriteConnection(endpoint) } }),
  site: (endpoint, prefix) => `${endpoint}/devstoreaccount1/history/${prefix}`,
  remote: (endpoint) => ({
    RCLONE_CONFIG_STORE_TYPE: 'azureblob',
    RCLONE_CONFIG_STORE_USE_EMULATOR: 'true',
    RCLONE_CONFIG_STORE_ENDPOINT: `${endpoint}/devstoreaccount1`,
    // otherwise rclone decompresses objects and then reports missing bytes
    RCLONE_HEADER: 'Accept-Encoding: identity',
  }),
};

/** All stores of the tests. */
export const STORES: readonly StoreKind[] = [CEPH, AZURITE, SWIFT];

/** Fetches all objects below a prefix of the bucket or container with rclone. */
export async function fetchAll({ remote }: StoreKind, endpoint: string, prefix: string, into: string): Promise<void> {
  const { AWS_CA_BUNDLE: _, ...env } = process.env;
  const args = ['sync', `store:history/${prefix}`, into, '--transfers', '32', '--checkers', '32', '--checksum', '--use-server-modtime'];
  await run('rclone', [...args, '--config', '/dev/null', '--retries', '1'], { env: { ...env, ...remote(endpoint) } });
}

/** Returns the first of five free consecutive ports. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await Promise.all([0, 1, 2, 3, 4].map((more) => isFree(port + more)));
    if (free.every(Boolean)) return port;
  }
}

/** Returns the port on which a server listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
