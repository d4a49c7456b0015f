import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { webSource } from '../../src/storage/http-source.ts';
import { openReader } from '../../src/storage/remote.ts';
import { portOf } from '../publish/stores.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${portOf(server)}`;
}

/** Reads a URL as `import` and `observe` do. */
async function textAt(url: string, timeout = 10_000, attempts = 6): Promise<string> {
  const source = webSource(url, 'the URL', 'test');
  onTestFinished(() => source.close());
  const options = { concurrency: 1, retryPolicy: { attempts, timeout }, signal: new AbortController().signal };
  const pieces: Uint8Array[] = [];
  for await (const piece of openReader(source, options).read('')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('asks a busy server again after the time in Retry-After, and not before', async () => {
  const times: number[] = [];
  const server = await serverOf((_, response) => {
    times.push(performance.now());
    if (times.length === 1) response.writeHead(503, { 'Retry-After': '1' }).end();
    else response.end('the file');
  });
  expect(await textAt(`http://${server}/`)).toBe('the file');
  expect(times).toHaveLength(2);
  // timers of Node.js count whole milliseconds
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
});

it('warns of a pause of at least a second before it asks again, without what is secret in the URL', async () => {
  let requests = 0;
  const server = await serverOf((_, response) => {
    requests += 1;
    if (requests <= 2) response.writeHead(503, requests === 2 ? { 'Retry-After': '1' } : {}).end();
    else response.end(JSON.stringify(bioRecord(1)));
  });
  const args = ['import', `http://${server}/history.ndjson?key=secret`, '--store', join(temporaryFolder(), 'store.db')];
  const { code, stderr } = await palimpsestHere(args);
  expect([code, requests]).toEqual([0, 3]);
  expect(stderr).toMatch(new RegExp(`^warning: http://${server}/history.ndjson: .*503.*: retrying in 1.0 s\n$`));
});

it('does not send the credentials in a URL to the host to which it redirects', async () => {
  const seen: (string | undefined)[] = [];
  const other = await serverOf((request, response) => {
    seen.push(request.headers.authorization);
    response.end('the file');
  });
  const first = await serverOf((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { Location: request.url === '/' ? '/here' : `http://${other}/` }).end();
  });
  expect(await textAt(`http://name:secret@${first}/`)).toBe('the file');
  const basic = `Basic ${Buffer.from('name:secret').toString('base64')}`;
  expect(seen).toEqual([basic, basic, undefined]);
});

it.each<[string, answers: readonly (readonly [status: number, sent: string, length: number, headers?: object])[], expected: string]>([
  [
    'the same bytes again, without a validator',
    [
      [200, 'the fi', 8],
      [200, 'the file', 8],
    ],
    'the file',
  ],
  [
    'other bytes, without a validator',
    [
      [200, 'the fi', 8],
      [200, 'THE FILE', 8],
    ],
    'another version',
  ],
  [
    'fewer bytes, without a validator',
    [
      [200, 'the fi', 8],
      [200, 'the', 3],
    ],
    'another version',
  ],
  ['a part at the start, which was not requested', [[206, 'the', 3, { 'Content-Range': 'bytes 0-2/8' }]], '206'],
])('after a broken connection or at the start, %s', async (_, answers, expected) => {
  const ranges: (string | undefined)[] = [];
  const server = await serverOf((request, response) => {
    const [status, sent, length, headers] = answers[ranges.length] ?? [500, '', 0];
    ranges.push(request.headers.range);
    response.writeHead(status, { ...headers, 'Content-Length': length });
    if (sent.length === length) response.end(sent);
    else response.write(sent, () => response.socket?.end());
  });
  const text = await textAt(`http://${server}/`).catch((error: unknown) => (error instanceof Failure ? error.found : error));
  expect(text).toContain(expected);
  expect(ranges).toEqual(answers.map(() => undefined));
});

it.each([
  ['without a validator', {}],
  ['with one, but no ranges', { ETag: '"1"' }],
])('closes a connection that stalls, and reads on %s, although the known bytes take longer than the timeout', async (_, headers) => {
  const states: string[] = [];
  const letters = [...'the file'].map((letter) => letter.repeat(1000));
  const server = await serverOf(async (_request, response) => {
    response.writeHead(200, headers);
    if (states.push('open') === 1) {
      response.once('close', () => states.splice(0, 1, 'closed'));
      return response.write(letters.slice(0, 6).join(''));
    }
    for (const letter of letters) {
      response.write(letter);
      await wait(150);
    }
    return response.end();
  });
  expect(await textAt(`http://${server}/`, 500)).toBe(letters.join(''));
  expect(states).toEqual(['closed', 'open']);
});

it('fails if a server sends fewer than 1,000 bytes in each timeout, without end', async () => {
  let requests = 0;
  const server = await serverOf(async (_request, response) => {
    requests += 1;
    response.writeHead(200, { ETag: '"1"' });
    for (; !response.destroyed; await wait(50)) response.write('x');
  });
  const failed = textAt(`http://${server}/`, 300, 3);
  await expect(failed).rejects.toMatchObject({ code: 'target-failed', found: expect.stringMatching(/^only \d+ bytes within 0\.3 s/) });
  expect(requests).toBe(3);
});
