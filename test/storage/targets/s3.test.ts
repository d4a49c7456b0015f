import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTarget } from '../../../src/storage/open-target.ts';
import { openRemote } from '../../../src/storage/remote.ts';
import type { Target, Upload } from '../../../src/storage/target.ts';
import { portOf, S3_KEYS } from '../../publish/stores.ts';
import { temporaryFolder } from '../../support/folder.ts';

const { signal } = new AbortController();

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server with scripted responses, for those that no server on this machine returns. Returns its address. */
async function serverOf(answer: Answer): Promise<string> {
  const server = createServer((request, response) => request.resume().once('end', () => answer(request, response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

async function answeredBy(answer: Answer, env: Readonly<Record<string, string | undefined>> = S3_KEYS): Promise<Target> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const target = await openTarget('s3://history', '', { endpoint: await serverOf(answer), connections: 4, secrets: {} });
  onTestFinished(() => {
    target.close();
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

it('looks for a new session in the credentials file when the store no longer accepts the present one', async () => {
  const file = join(temporaryFolder(), 'credentials');
  const env = { AWS_PROFILE: 'kept', AWS_SHARED_CREDENTIALS_FILE: file };
  const give = (token: string) =>
    writeFileSync(file, `[kept]\naws_access_key_id=key\naws_secret_access_key=secret\naws_session_token=${token}\n`);
  let accepted = 'one';
  const asked: unknown[] = [];
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_REGION: 'us-east-1' };
  const target = await answeredBy(
    ({ method, headers }, response) => {
      asked.push(headers['x-amz-security-token']);
      if (headers['x-amz-security-token'] === accepted) response.setHeader('ETag', '"a"').end();
      // a response to HEAD has no body with the reason
      else if (method === 'HEAD') response.writeHead(400).end();
      else refusal(response, 400, 'ExpiredToken');
    },
    { ...none, ...env },
  );
  const remote = openRemote(target, { concurrency: 4, retryPolicy: { attempts: 1, timeout: 10_000 }, signal });
  give('one');
  await remote.get('a');
  accepted = 'two';
  give('two');
  await remote.head('a');
  accepted = 'three';
  give('three');
  await remote.get('a');
  expect(asked).toEqual(['one', 'one', 'two', 'two', 'three']);
  // there is no other session
  accepted = 'four';
  await expect(remote.get('a')).rejects.toMatchObject({ code: 'target-denied' });
  expect(asked.length).toBeLessThanOrEqual(5 + 4);
});
