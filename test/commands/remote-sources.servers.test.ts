import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ceph, S3_KEYS, type Store, startCeph } from '../publish/stores.ts';
import { bzip2, programs, tarOf, zipOf } from '../support/archives.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson, type RunOptions } from '../support/palimpsest.ts';

const LINES = [1, 2, 3].map((day) =>
  JSON.stringify({ observed_at: `2023-01-0${day}T00:00:00Z`, screen_name: 'nina_k', bio: `day ${day}` }),
);
const [FIRST = '', SECOND = '', THIRD = ''] = LINES;

/** Observes sources into a new store, and returns the summary and the bytes of the store. */
async function observed(sources: readonly string[], options: RunOptions = {}, ...more: readonly string[]) {
  const store = join(temporaryFolder(), 'store.db');
  const summary = await palimpsestJson(['observe', ...sources, '--store', store, ...more], options);
  return { summary, bytes: readFileSync(store) };
}

describe.skipIf(programs.skip)('a source with an https or http address', () => {
  /** What the server answered so far: the path and the range of each request. */
  const requests: string[] = [];
  let archive: Buffer = Buffer.of();
  let plain: Buffer = Buffer.of();
  let base = '';
  const answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
    '/grab.tar': (response) => response.end(archive),
    '/grab.zip': async (response) => response.end(await zipOf({ 'a.json': FIRST, 'b.json': `${SECOND}\n${THIRD}` })),
    '/moved': (response) => response.writeHead(302, { Location: '/grab.tar' }).end(),
    '/loop': (response) => response.writeHead(302, { Location: '/loop' }).end(),
    '/busy': (response) => response.writeHead(requests.filter((one) => one.startsWith('/busy')).length < 3 ? 503 : 200).end(archive),
    '/page': (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><p>Log in'),
    '/brotli': (response) => response.writeHead(200, { 'Content-Encoding': 'br' }).end(brotliCompressSync(FIRST)),
    '/denied': (response) => response.writeHead(403).end(),
    // each connection breaks after a third of the file
    '/breaks': (response, { headers }) => {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = { 'Content-Range': `bytes ${from}-${plain.length - 1}/${plain.length}` };
      response.writeHead(from === 0 ? 200 : 206, { 'Content-Length': plain.length - from, ETag: '"1"', ...(from === 0 ? {} : range) });
      response.write(plain.subarray(from, from + Math.ceil(plain.length / 3)), () => response.socket?.end());
    },
    // the same, and the server always sends the file from its start, as another version
    '/changes': (response) => {
      response.writeHead(200, { 'Content-Length': plain.length, ETag: `"${requests.length}"` });
      response.write(plain.subarray(0, plain.length / 3), () => response.socket?.end());
    },
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', base);
    requests.push(`${pathname} ${request.headers.range ?? ''}`);
    const answer = answers[pathname];
    if (answer === undefined) response.writeHead(404).end('<html>');
    else answer(response, request);
  });

  beforeAll(async () => {
    archive = await tarOf({ 'a.json.bz2': bzip2(FIRST), 'b.json.bz2': bzip2(`${SECOND}\n${THIRD}`) });
    plain = Buffer.from(LINES.join('\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => void server.close());

  it('is read like the file: an archive, after a redirect, and after the server was busy', async () => {
    const file = join(temporaryFolder(), 'grab.tar');
    writeFileSync(file, archive);
    const { bytes } = await observed([file]);
    for (const path of ['/moved?signature=secret', '/grab.zip', '/busy'])
      expect((await observed([base + path])).bytes.equals(bytes), path).toBe(true);
  });

  it('continues at the same byte after the connection breaks', async () => {
    expect((await observed([`${base}/breaks`])).summary).toMatchObject({ snapshots: 3 });
    const third = Math.ceil(plain.length / 3);
    expect(requests.filter((one) => one.startsWith('/breaks'))).toEqual([
      '/breaks ',
      `/breaks bytes=${third}-`,
      `/breaks bytes=${2 * third}-`,
    ]);
  });

  it.each([
    ['/none?key=secret', 'target-failed', '404', 'check the address'],
    ['/denied', 'target-denied', '403', 'download the file with a browser'],
    ['/loop', 'target-failed', 'more than 5 redirects', 'check the address'],
    ['/brotli', 'target-failed', 'the Content-Encoding br', 'check the address'],
    ['/changes', 'target-failed', 'another version', 'run the same command again'],
    ['/page', 'bad-json', 'HTML or XML', 'open the address in a browser'],
  ])('fails for %s, and the store does not change', async (path, code, found, hint) => {
    const folder = temporaryFolder();
    const args = ['observe', base + path, '--store', join(folder, 'store.db'), '--json'];
    const { stdout, stderr, code: exit } = await palimpsestHere(args);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code, file: base + path.replace(/\?.*/, ''), found: expect.stringContaining(found), hint: expect.stringContaining(hint) },
    });
    expect(stdout + stderr).not.toContain('secret');
  });
});

describe.skipIf(ceph.skip || programs.skip)('a source in an object store', () => {
  let store: Store | undefined;
  const options: RunOptions = { env: S3_KEYS };
  const at = () => ['--endpoint', store?.endpoint ?? ''];

  beforeAll(async () => {
    store = await startCeph();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
    const client = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    const put = (key: string, body: string | Buffer) => client.send(new PutObjectCommand({ Bucket: 'history', Key: key, Body: body }));
    await put('grabs/1.tar', await tarOf({ 'a.json.bz2': bzip2(FIRST) }));
    await put('grabs/2/b.json.bz2', bzip2(SECOND));
    await put('grabs/3.json', THIRD);
    await put('grabs/.hidden/x', 'not read');
    await put('grabs/4/', '');
    await put('grabs-other', 'not read');
    client.destroy();
  }, 120_000);
  afterAll(async () => await store?.stop());

  it('is read like a folder: all objects of a prefix, or one object', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'all.json'), LINES.join('\n'));
    const { bytes } = await observed([folder]);
    expect((await observed(['s3://history/grabs'], options, ...at())).bytes.equals(bytes)).toBe(true);
    expect((await observed(['s3://history/grabs/1.tar', 's3://history/grabs/2'], options, ...at())).summary).toMatchObject({
      snapshots: 2,
    });
    expect((await observed(['s3://history/grabs'], options, ...at(), '--include', '?.json.bz2')).summary).toMatchObject({
      snapshots: 2,
    });
  });

  it.each([
    ['s3://history/none', S3_KEYS, 'no-source'],
    ['s3://missing/none', S3_KEYS, 'target-failed'],
    ['s3://history/grabs', { ...S3_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' }, 'target-denied'],
  ])('fails for %s with %j', async (source, env, code) => {
    const args = ['observe', source, ...at(), '--store', join(temporaryFolder(), 'store.db'), '--json'];
    const { stdout, code: exit } = await palimpsestHere(args, { env });
    expect([exit, JSON.parse(stdout)]).toMatchObject([1, { error: { code, file: source } }]);
  });
});
