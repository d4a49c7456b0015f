import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTarget } from '../../../src/storage/address.ts';
import type { Target, Upload } from '../../../src/storage/target.ts';
import { portOf, S3_KEYS } from '../../publish/stores.ts';

const { signal } = new AbortController();

/** A target with scripted responses, for those that no server on this machine returns. */
async function answeredBy(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Target> {
  for (const [name, value] of Object.entries(S3_KEYS)) vi.stubEnv(name, value);
  const server = createServer((request, response) => request.resume().once('end', () => answer(request, response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  const target = await openTarget('s3://history', '', { endpoint, connections: 1, secrets: {} });
  onTestFinished(() => {
    target.close();
    server.close();
    vi.unstubAllEnvs();
  });
  return target;
}

const bytes = Buffer.from('{}');
const upload: Upload = {
  bytes,
  headers: { contentType: 'application/json', cacheControl: '', contentEncoding: '' },
  digest: hash('sha256', bytes),
};

function refusal(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>in words</Message></Error>`);
}

it('reports Amazon’s 409 as transient, and keeps the quotes of the tag in the next attempt', async () => {
  const conditions: unknown[] = [];
  const target = await answeredBy(({ method, headers }, response) => {
    if (method === 'GET') return void response.setHeader('ETag', '"a"').end('old');
    conditions.push(headers['if-match']);
    if (conditions.length === 1) return refusal(response, 409, 'ConditionalRequestConflict');
    response.setHeader('ETag', '"b"').end();
  });
  await expect(target.put('publish.json', upload, signal, { tag: '"a"' })).rejects.toMatchObject({ kind: 'transient' });
  expect(await target.put('publish.json', upload, signal, { tag: '"a"' })).toBe('"b"');
  expect(conditions).toEqual(['"a"', '"a"']);
});

it('omits the quotes of tags after a store has rejected a tag with quotes', async () => {
  const conditions: unknown[] = [];
  const target = await answeredBy(({ method, headers }, response) => {
    if (method === 'GET') return void response.setHeader('ETag', '"a"').end('old');
    conditions.push(headers['if-match']);
    if (headers['if-match'] !== 'a') return refusal(response, 412, 'PreconditionFailed');
    response.setHeader('ETag', '"a"').end();
  });
  for (let times = 0; times < 2; times += 1) expect(await target.put('publish.json', upload, signal, { tag: '"a"' })).toBe('"a"');
  expect(conditions).toEqual(['"a"', 'a', 'a']);
  await expect(target.put('publish.json', upload, signal, { tag: '"c"' })).rejects.toMatchObject({ kind: 'conflict' });
});
