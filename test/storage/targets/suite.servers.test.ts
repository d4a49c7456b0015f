import { hash } from 'node:crypto';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openTarget } from '../../../src/storage/open-target.ts';
import type { Access, Target, Upload } from '../../../src/storage/target.ts';
import { portOf, STORES, type Store } from '../../publish/stores.ts';
import { folderOfFile } from '../../whole/stores.ts';

const folder = folderOfFile();
const { signal } = new AbortController();
const headers = { contentType: 'application/json', cacheControl: 'public, max-age=7', contentEncoding: '' };

function upload(text: string, more: Partial<Upload> = {}): Upload {
  const bytes = Buffer.from(text);
  return { bytes, headers, digest: hash('sha256', bytes), ...more };
}

interface Candidate {
  readonly name: string;
  readonly skip: boolean;
  readonly start?: () => Promise<Store>;
  readonly address: string;
  readonly missing?: string;
  readonly keys?: Readonly<Record<string, string>>;
  /** Whether it supports conditional writes. */
  readonly isConditional: boolean;
  readonly access: (endpoint: string) => Partial<Access>;
}

const candidates: readonly Candidate[] = [
  { name: 'a folder', skip: false, isConditional: true, address: join(folder, 'site'), access: () => ({}) },
  ...STORES.map(({ name, requirement, isConditional, start, address, keys, access }) => ({
    name,
    skip: requirement.skip,
    isConditional,
    start,
    address: address(''),
    missing: address('').replace('history', 'no-such-place'),
    keys,
    access,
  })),
];

describe.each(candidates)('$name', ({ skip, start, address, missing, keys, isConditional, access }) => {
  let store: Store | undefined;
  let target: Target;
  const open = (text: string, endpoint: string) => openTarget(text, 'some/where', { connections: 4, secrets: {}, ...access(endpoint) });

  beforeAll(async () => {
    if (skip) return;
    Object.assign(process.env, keys);
    store = await start?.();
    target = await open(address, store?.endpoint ?? '');
  });
  afterAll(async () => {
    target?.close();
    await store?.stop();
  });

  it.skipIf(skip)('returns the bytes and metadata that were written', async () => {
    const given = upload('{"ä":"\u2028"}');
    const tag = await target.put('rest/data/page/7/index.json', given, signal);
    expect(await target.get('rest/data/page/7/index.json', signal)).toEqual({ bytes: given.bytes, contentEncoding: '', tag });
    const head = await target.head('rest/data/page/7/index.json', signal);
    expect(head?.digest).toBe(given.digest);
    if (target.keepsHeaders) expect(head).toEqual({ digest: given.digest, headers });
  });

  it.skipIf(skip)('returns undefined for a missing object', async () => {
    expect(await target.get('rest/nothing.json', signal)).toBeUndefined();
    expect(await target.head('rest/nothing.json', signal)).toBeUndefined();
    await target.remove('rest/nothing/index.json', signal);
  });

  it.skipIf(skip)('overwrites an object, which gets another tag, and removes it', async () => {
    const path = 'rest/data/page/8/index.json';
    const first = await target.put(path, upload('one'), signal);
    const second = await target.put(path, upload('two'), signal);
    expect(second).not.toBe(first);
    expect((await target.get(path, signal))?.bytes.toString()).toBe('two');
    await target.remove(path, signal);
    expect(await target.head(path, signal)).toBeUndefined();
  });

  it.skipIf(skip)('lists the objects with a prefix that come after a path, in order', async () => {
    for (const name of ['b.json', 'a.json', 'a-1.zip', 'c.json']) await target.put(`listed/${name}`, upload(name), signal);
    await target.put('list.json', upload('beside'), signal);
    const paths = async (after: string) => (await target.list('listed/', after, undefined, signal)).objects.map(({ path }) => path);
    expect(await paths('')).toEqual(['listed/a-1.zip', 'listed/a.json', 'listed/b.json', 'listed/c.json']);
    expect(await paths('listed/a.json')).toEqual(['listed/b.json', 'listed/c.json']);
    expect((await target.list('nothing/', '', undefined, signal)).objects).toEqual([]);
    expect((await target.list('listed/', '', undefined, signal)).objects[0]?.size).toBe(7);
  });

  it.skipIf(skip)('reads a range of bytes', async () => {
    await target.put('ranged.bin', upload('0123456789'), signal);
    expect((await target.get('ranged.bin', signal, { from: 2, to: 5 }))?.bytes.toString()).toBe('234');
    expect(await target.get('nothing.bin', signal, { from: 2, to: 5 })).toBeUndefined();
  });

  it.skipIf(skip)(
    'writes an object in parts, which appears when it is complete, and deletes those of an upload that ended early',
    async () => {
      const first = Buffer.alloc(5 << 20, 'a');
      const digest = hash('sha256', first);
      const parts = await target.beginParts('parts/one.zip', { headers, digest }, signal);
      const tags = [await parts.put({ number: 1, offset: 0 }, first, signal)];
      const last = await parts.put({ number: 2, offset: first.length }, Buffer.from('gone'), signal);
      expect(await target.get('parts/one.zip', signal)).toBeUndefined();
      tags.push(await parts.put({ number: 2, offset: first.length }, Buffer.from('last'), signal));
      if (target.keepsHeaders) expect(last).not.toBe('');
      await parts.complete(tags, signal);
      const whole = await target.get('parts/one.zip', signal);
      expect(whole?.bytes.subarray((5 << 20) - 1, (5 << 20) + 4).toString()).toBe('alast');

      const left = await target.beginParts('parts/two.zip', { headers, digest }, signal);
      await left.put({ number: 1, offset: 0 }, first, signal);
      const open = await target.openUploads?.('parts/', signal);
      if (open !== undefined) expect(open.map(({ path }) => path)).toEqual(['parts/two.zip']);
      for (const one of open ?? []) await target.abortUpload?.(one, signal);
      if (open === undefined) await left.abort(signal);
      expect((await target.openUploads?.('parts/', signal)) ?? []).toEqual([]);
      expect((await target.list('parts/', '', undefined, signal)).objects.map(({ path }) => path)).toEqual(['parts/one.zip']);
    },
  );

  const path = 'publish.json';
  if (isConditional) {
    it.skipIf(skip)('writes only if the condition is met', async () => {
      const first = await target.put(path, upload('one'), signal, 'absent');
      await expect(target.put(path, upload('two'), signal, 'absent')).rejects.toMatchObject({ kind: 'conflict' });
      const second = await target.put(path, upload('three'), signal, { tag: first });
      await expect(target.put(path, upload('four'), signal, { tag: first })).rejects.toMatchObject({ kind: 'conflict' });
      await target.put(path, upload('five'), signal, { tag: second });
      expect((await target.get(path, signal))?.bytes.toString()).toBe('five');
    });

    it.skipIf(skip)('lets exactly one of many concurrent writes create an object', async () => {
      const tries = Array.from({ length: 8 }, (_, index) => target.put('publish.race', upload(`run ${index}`), signal, 'absent'));
      const won = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
    });
  } else {
    it.skipIf(skip)('reports that it does not support conditional writes, and writes nothing', async () => {
      await expect(target.put(path, upload('one'), signal, 'absent')).rejects.toMatchObject({ kind: 'unsupported' });
      expect(await target.get(path, signal)).toBeUndefined();
      const tag = await target.put(path, upload('two'), signal);
      await expect(target.put(path, upload('three'), signal, { tag })).rejects.toMatchObject({ kind: 'unsupported' });
      expect((await target.get(path, signal))?.bytes.toString()).toBe('two');
    });
  }

  it.skipIf(skip || start === undefined)('stores compressed bytes and returns them with their encoding', async () => {
    const { gzipSync } = await import('node:zlib');
    const plain = Buffer.from('{"count":0}');
    const packed = { bytes: gzipSync(plain), headers: { ...headers, contentEncoding: 'gzip' }, digest: hash('sha256', plain) };
    await target.put('rest/packed.json', packed, signal);
    expect(await target.get('rest/packed.json', signal)).toMatchObject({ bytes: packed.bytes, contentEncoding: 'gzip' });
    expect((await target.head('rest/packed.json', signal))?.headers?.contentEncoding).toBe('gzip');
  });

  it.skipIf(skip || start === undefined)('rejects bytes that were corrupted in transit, and keeps the old object', async () => {
    const through = await open(address, await corrupting(store?.endpoint ?? ''));
    await target.put('rest/kept.json', upload('as it was'), signal);
    await expect(through.put('rest/kept.json', upload('{"count":1}'), signal)).rejects.toMatchObject({ name: 'StorageError' });
    expect((await target.get('rest/kept.json', signal))?.bytes.toString()).toBe('as it was');
    through.close();
  });

  it.skipIf(skip || missing === undefined)('reports a missing bucket or container', async () => {
    const nowhere = await open(missing ?? '', store?.endpoint ?? '');
    await expect(nowhere.get('publish.json', signal)).rejects.toMatchObject({ kind: 'missing' });
    await expect(nowhere.put('publish.json', upload('x'), signal)).rejects.toMatchObject({ kind: 'missing' });
  });
});

/** Starts a proxy, which changes the first byte of each body, until the end of the test. Returns its address. */
async function corrupting(upstream: string): Promise<string> {
  const { hostname, port } = new URL(upstream);
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    if (body.length > 0) body.writeUInt8((body.readUInt8(0) + 1) % 256, 0);
    const { method = 'GET', url, headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    onward.once('error', () => outgoing.destroy()).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}
