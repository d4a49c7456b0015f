import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { host } from '../../../src/rewrite/hosts/nginx.ts';
import { nginxOrigin as atOrigin } from '../../../src/rewrite/hosts/nginx-origin.ts';
import { publishArgs, publishJson } from '../../publish/growing.ts';
import { CEPH, ceph, S3_KEYS, type Store, startCeph } from '../../publish/stores.ts';
import { byName, freePort, listening, program, releaseFrom } from '../child.ts';
import type { Published, Running, Subject, Trial } from '../subject.ts';
import { startDebianNginx } from './nginx-machine.ts';

const server = program('nginx', 'nginx-light');

/** nginx in front of a bucket. With a base path, the pages in the bucket are compressed. */
export const nginxOrigin: Subject = {
  host: { ...host, ...atOrigin, render: host.render },
  needs: server.skip ? server : ceph,
  release: () => {
    const store = releaseFrom('radosgw', ['--version'], /ceph version ([\d.]+)/);
    return `${releaseFrom('nginx', ['-v'], /nginx\/([\d.]+)/)}, Ceph ${store}`;
  },
  publish: ({ tree, base }) => publishToCeph(tree, base === '' ? [] : ['--gzip']),
  start: (trial) => startNginx(trial),
};

/** A running nginx and its address. */
export interface RunningNginx extends Running {
  readonly url: string;
}

/** Starts nginx with its files from `palimpsest rewrite`, with optional changes. */
export async function startNginx(
  { files, work }: Pick<Trial, 'files' | 'work'>,
  changes: Readonly<Record<string, string>> = {},
): Promise<RunningNginx> {
  const port = await freePort();
  const running = byName(await listening(port, startDebianNginx({ files, work, tree: work }, atOrigin.steps, port, changes)));
  return { ...running, url: `http://127.0.0.1:${port}` };
}

let store: Promise<Store> | undefined;
let trees = 0;

/** Publishes a tree below a separate prefix. All trees of a test file share one store, which the file stops with `stopCeph`. */
export async function publishToCeph(tree: string, more: readonly string[] = []): Promise<Required<Published>> {
  store ??= startCeph();
  const { endpoint } = await store;
  trees += 1;
  const prefix = `some/where-${trees}`;
  const credentials = { accessKeyId: S3_KEYS['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: S3_KEYS['AWS_SECRET_ACCESS_KEY'] ?? '' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const deploy = async () => void (await publishJson(publishArgs(tree, CEPH.address(prefix), more), CEPH.env(endpoint)));
  const withdraw = async (path: string) => {
    await client.send(new DeleteObjectCommand({ Bucket: 'history', Key: `${prefix}/${path}` }));
  };
  await deploy();
  return { url: CEPH.site(endpoint, prefix), deploy, withdraw, stop: async () => client.destroy() };
}

/** Stops the store of `publishToCeph`; the next test file in this process starts another one. */
export async function stopCeph(): Promise<void> {
  const running = store;
  store = undefined;
  await (await running)?.stop();
}
