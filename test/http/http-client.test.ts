import { createServer, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { HttpClient } from '../../src/http/http-client.ts';
import { listen } from '../mirror/canned-service.ts';

const LIMIT = 1 << 27;
const PIECE = Buffer.alloc(1 << 16, '{"id":1},');

function sendForever(response: ServerResponse): void {
  while (!response.destroyed && response.write(PIECE));
  response.once('drain', () => sendForever(response));
}

it('stops an answer that never ends at a limit, and has its bytes in memory only once', async () => {
  const port = await listen(createServer((_, response) => sendForever(response)));
  const client = new HttpClient({ headers: {}, redirect: ({ from }) => from });
  const memory = () => process.memoryUsage().arrayBuffers;
  const before = memory();
  let bytes = Number.NaN;
  const answer = client.get(`http://127.0.0.1:${port}/`, {}, new AbortController().signal).catch((error: unknown) => {
    bytes = memory() - before;
    throw error;
  });
  await expect(answer).rejects.toThrow(`an answer of more than ${LIMIT} bytes`);
  client.close();
  expect(client.received).toBeLessThan(1.1 * LIMIT);
  expect(bytes).toBeLessThan(1.5 * LIMIT);
});
