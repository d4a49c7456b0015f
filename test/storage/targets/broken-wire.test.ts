import { hash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTarget } from '../../../src/storage/open-target.ts';
import type { Access, Upload } from '../../../src/storage/target.ts';
import { portOf, S3_KEYS } from '../../publish/stores.ts';

const { signal } = new AbortController();
const bytes = Buffer.from('{}');
const headers = { contentType: 'application/json', cacheControl: 'public, max-age=7', contentEncoding: '' };
const upload: Upload = { bytes, headers, digest: hash('sha256', bytes) };

/** What a server does with a connection after it has received the first bytes. */
const WIRES: readonly (readonly [name: string, serve: (socket: Socket) => void])[] = [
  ['is reset', (socket) => void socket.resetAndDestroy()],
  ['is closed', (socket) => void socket.end()],
  ['answers with bytes that are not HTTP', (socket) => void socket.end('none of that\r\n\r\n')],
  ['breaks off in the response headers', (socket) => void socket.end('HTTP/1.1 200 O')],
  ['breaks off in the response body', answering('200 OK', 'Content-Length: 100', 'abc')],
  [
    'breaks off in the body of an error response',
    answering('403 Forbidden', 'Content-Type: application/xml\r\nContent-Length: 100', '<Error><Co'),
  ],
  ['answers 503', answering('503 Slow Down', 'Content-Type: application/xml', '<Error><Code>SlowDown</Code></Error>')],
];

function answering(status: string, lines: string, body: string): (socket: Socket) => void {
  const head = `HTTP/1.1 ${status}\r\nETag: "a"\r\nLast-Modified: Fri, 01 Jan 2021 00:00:00 GMT\r\n${lines}\r\n\r\n`;
  return (socket) => void socket.end(head + body);
}

const KINDS: readonly (readonly [address: string, access: (endpoint: string) => Partial<Access>])[] = [
  ['s3://history', (endpoint) => ({ endpoint })],
  ['az://history', (endpoint) => ({ endpoint: `${endpoint}/account`, secrets: { azureAccount: 'account', azureKey: 'c2VjcmV0' } })],
];

describe.each(KINDS)('%s', (address, access) => {
  beforeAll(() => {
    for (const [name, value] of Object.entries(S3_KEYS)) vi.stubEnv(name, value);
  });
  afterAll(() => void vi.unstubAllEnvs());

  async function kinds(endpoint: string): Promise<unknown[]> {
    const target = await openTarget(address, '', { connections: 1, secrets: {}, ...access(endpoint) });
    onTestFinished(() => target.close());
    const requests = [target.get('publish.json', signal), target.put('publish.json', upload, signal)];
    return (await Promise.allSettled(requests)).map((settled) => settled.status === 'rejected' && settled.reason.kind);
  }

  it.each(WIRES)('reports a transient error for a connection that %s', async (_, serve) => {
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => serve(socket)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    expect(await kinds(`http://127.0.0.1:${portOf(server)}`)).toEqual(['transient', 'transient']);
    expect(await kinds(`https://127.0.0.1:${portOf(server)}`)).toEqual(['transient', 'transient']);
  });

  it('reports a transient error for a port without a server', async () => {
    expect(await kinds('http://127.0.0.1:9')).toEqual(['transient', 'transient']);
  });
});
