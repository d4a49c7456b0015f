import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Requirement, requirement } from '../support/requirement.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A real store on this machine. */
export interface Store {
  readonly endpoint: string;
  /** Where anybody reads what is in `history`. */
  readonly site: string;
  readonly stop: () => Promise<void>;
}

/** What the S3 server's clients need in their environment; what would lead them elsewhere is taken out. */
export const S3_KEYS: Readonly<Record<string, string>> = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testtest' };

/** The same for Swift, whose names of users have two parts. */
const SWIFT_KEYS: typeof S3_KEYS = { ...S3_KEYS, AWS_ACCESS_KEY_ID: 'test:test' };

export const ceph: Requirement = requirement('Ceph (radosgw, ceph-mon, ceph-osd)', () => existsSync('/usr/bin/radosgw'));
export const swift: Requirement = requirement(
  'OpenStack Swift (python3-swift, memcached)',
  () => existsSync('/usr/lib/python3/dist-packages/swift') && existsSync('/usr/bin/memcached'),
);
export const rclone: Requirement = requirement('rclone', () => existsSync('/usr/bin/rclone'));

/** A real server that speaks S3. */
export interface S3Server {
  readonly name: 'Ceph' | 'Swift';
  readonly skip: boolean;
  readonly keys: typeof S3_KEYS;
  /** Whether it holds writes to their conditions. */
  readonly isConditional: boolean;
  /** Starts it with a bucket `history` that anybody may read. */
  readonly start: () => Promise<Store>;
}

export const S3_SERVERS: readonly S3Server[] = [
  { name: 'Ceph', skip: ceph.skip, keys: S3_KEYS, isConditional: true, start: startCeph },
  { name: 'Swift', skip: swift.skip, keys: SWIFT_KEYS, isConditional: false, start: startSwift },
];

/** Starts Ceph's S3 server with a bucket `history` that anybody may read. */
export async function startCeph(): Promise<Store> {
  const folder = join(mkdtempSync(join(tmpdir(), 'palimpsest-ceph-')), 'store');
  const port = await freePort();
  await run(at('.ci/object-store'), ['up', folder, String(port)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const { S3Client, CreateBucketCommand, PutBucketPolicyCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'testtest' },
  });
  await client.send(new CreateBucketCommand({ Bucket: 'history' }));
  const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::history/*' };
  await client.send(
    new PutBucketPolicyCommand({ Bucket: 'history', Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) }),
  );
  client.destroy();
  const stop = async () => {
    await run(at('.ci/object-store'), ['down', folder]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  };
  return { endpoint, site: `${endpoint}/history`, stop };
}

/** Starts OpenStack's Swift with its S3 interface, which takes no conditional writes, and the same bucket. */
async function startSwift(): Promise<Store> {
  const folder = join(mkdtempSync(join(tmpdir(), 'palimpsest-swift-')), 'store');
  const port = await freePort();
  await run(at('.ci/swift-store'), ['up', folder, String(port)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const credentials = { accessKeyId: 'test:test', secretAccessKey: 'testtest' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: 'history', ACL: 'public-read' }));
  client.destroy();
  const stop = async () => {
    await run(at('.ci/swift-store'), ['down', folder]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  };
  return { endpoint, site: `${endpoint}/v1/AUTH_test/history`, stop };
}

/** The account that Microsoft's emulator knows, as its documentation gives it. */
const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export function azuriteConnection(endpoint: string): string {
  return `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${AZURITE_KEY};BlobEndpoint=${endpoint}/devstoreaccount1;`;
}

/** Starts Microsoft's emulator of Azure Blob Storage with a container `history` that anybody may read. */
export async function startAzurite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-azurite-'));
  const port = await freePort();
  const args = ['--blobPort', String(port), '--inMemoryPersistence', '--silent', '--disableTelemetry', '--skipApiVersionCheck'];
  const child = spawn(process.execPath, [at('node_modules/azurite/dist/src/blob/main.js'), ...args], { cwd: folder, stdio: 'ignore' });
  const stop = async () => {
    const ended = child.exitCode === null && new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    for (let left = 200; !(await answers(port)); left -= 1) {
      if (left === 0 || child.exitCode !== null) throw new Error('the emulator does not start');
      await setTimeout(100);
    }
    const { BlobServiceClient } = await import('@azure/storage-blob');
    const service = BlobServiceClient.fromConnectionString(azuriteConnection(endpoint));
    await service.getContainerClient('history').create({ access: 'blob' });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, site: `${endpoint}/devstoreaccount1/history`, stop };
}

/** Fetches all below a prefix of the bucket with a client that knows nothing of palimpsest. */
export async function fetchAll(endpoint: string, prefix: string, into: string, keys = S3_KEYS): Promise<void> {
  const { AWS_CA_BUNDLE: _, ...env } = process.env;
  const { AWS_ACCESS_KEY_ID: ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY } = keys;
  const config = { TYPE: 's3', PROVIDER: 'Other', ENDPOINT: endpoint, ACCESS_KEY_ID, SECRET_ACCESS_KEY };
  const remote = Object.fromEntries(Object.entries(config).map(([name, value]) => [`RCLONE_CONFIG_STORE_${name}`, value]));
  const args = ['sync', `store:history/${prefix}`, into, '--config', '/dev/null', '--transfers', '32', '--checkers', '32', '--checksum'];
  await run('rclone', [...args, '--retries', '1', '--use-server-modtime'], { env: { ...env, ...remote } });
}

/** Five ports in a row that are free, the first of them. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await Promise.all([0, 1, 2, 3, 4].map((more) => isFree(port + more)));
    if (free.every(Boolean)) return port;
  }
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
