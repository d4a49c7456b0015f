import { expect, it } from 'vitest';
import { retryAfter } from '../../src/http/backoff.ts';
import type { HttpAnswer } from '../../src/http/http-client.ts';
import { RetryingClient } from '../../src/mirror/retrying-client.ts';

const failed = (code: string) => Object.assign(new Error(code), { code });
const ok = { url: '', status: 200, headers: {}, sent: Buffer.alloc(0), body: () => Buffer.alloc(0) };

/** Requests once after these outcomes; the last one stays. Returns the number of requests, and the error. */
async function requestsFor(...outcomes: readonly (Error | HttpAnswer)[]) {
  const left = [...outcomes];
  let requests = 0;
  const get = async () => {
    requests += 1;
    const outcome = left.length > 1 ? left.shift() : left[0];
    if (outcome instanceof Error) throw outcome;
    return outcome ?? ok;
  };
  const client = new RetryingClient({ get }, { firstPause: 0, signal: new AbortController().signal });
  const parse = ({ status }: HttpAnswer) => status;
  const error = await client.get('', {}, parse).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { requests, error, client };
}

it('a connection that is refused is tried three times if the service never answered, and ten times after an answer', async () => {
  const wrongAddress = await requestsFor(failed('ECONNREFUSED'));
  expect(wrongAddress).toMatchObject({ requests: 3, error: { code: 'service-failed', found: 'ECONNREFUSED (tried 3 times)' } });
  const down = await requestsFor({ ...ok, status: 500 }, failed('ECONNREFUSED'));
  expect(down).toMatchObject({ requests: 10, error: { message: 'ECONNREFUSED (tried 10 times)' } });
});

it.each([
  ['a reset connection', failed('ECONNRESET'), 10],
  ['status 503', { ...ok, status: 503 }, 10],
  ['status 500', { ...ok, status: 500 }, 4],
  ['an invalid certificate', failed('CERT_HAS_EXPIRED'), 1],
])('%s is requested so often', async (_, outcome, requests) => {
  expect(await requestsFor(outcome)).toMatchObject({ requests, error: expect.any(Error) });
  if (requests > 1) expect(await requestsFor(outcome, ok)).toMatchObject({ requests: 2, error: undefined, client: { retries: 1 } });
});

it.each([
  ['seconds', '7', 7000],
  ['an HTTP date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['a date that has passed', 'Thu, 01 Jan 2015 00:00:30 GMT', 0],
  ['years', '99999999', 600_000],
  ['nonsense', 'soon', 0],
  ['nothing', undefined, 0],
])('reads %s in Retry-After', (_, value, expected) => {
  expect(retryAfter(value, Date.parse('2026-01-01T00:00:00Z'))).toBe(expected);
});
