import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { account, type CannedService, failFrom, recordsTo, show, startCannedService, status } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

const feed = (page: number) => `/rest/data/?page=${page}`;
/** Their records are on the pages of the feed alone. */
const ACCOUNTS = ['jack', 'ann', 'bob', 'cyd', 'dan'].map((name) => account(name, []));

let service: CannedService;
let store: string;

/** Answers a target so for some times, and then as before. */
function answerFirst(target: string, times: number, answer: (response: ServerResponse) => unknown): void {
  const right = JSON.stringify(service.answers.get(target));
  let left = times;
  service.answers.set(target, (response: ServerResponse) => {
    left -= 1;
    return left >= 0 ? answer(response) : response.writeHead(200).end(right);
  });
}

beforeEach(async () => {
  service = await startCannedService();
  store = join(temporaryFolder(), 'store.db');
  show(service, 'data', recordsTo(200), 10);
  show(service, 'account', ACCOUNTS, 2);
});

describe('a page of the feed that cannot be read', () => {
  it.each([
    ['404', status(404), 'status 404'],
    ['500', status(500), 'status 500'],
    ['200 with HTML', '<!DOCTYPE html><title>no</title>', 'HTML'],
    ['page 3 from a stale cache', feed(3), 'next leads to page 4, expected page 5'],
    ['page 1 from a stale cache', '/rest/data/', 'next leads to page 2, expected page 5'],
    ['the last page from a stale cache', feed(20), 'previous leads to page 19, expected page 3'],
    ['a page of accounts', '/rest/account/', 'next leads to another path'],
    [
      'a page with a link to another host',
      { count: 200, next: 'http://127.0.0.1:1/rest/data/?page=5', previous: null, results: [] },
      'next leads to another origin',
    ],
  ])('does not block the others if its answer is always %s, and is read in the next run', async (_, answer, reason) => {
    const right = service.answers.get(feed(4));
    service.answers.set(feed(4), service.answers.get(String(answer)) ?? answer);
    const gap = { page: 4, newer: 171, older: 160, url: service.baseUrl + feed(4), reason: expect.stringContaining(reason) };
    expect(await mirrored(store, service.baseUrl)).toMatchObject({
      isComplete: false,
      missing: { records: 10, isCountUnstable: false, gaps: [gap] },
    });
    expect(idsIn(store)).toEqual(recordsTo(200).flatMap(({ id }) => (id > 170 || id <= 160 ? [id] : [])));
    service.answers.set(feed(4), right);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 10 } });
    expect(service.asked.filter((target) => target.startsWith('/rest/data/'))).toHaveLength(6);
  });

  it('is asked for once more at the end, and the mirror is complete if it can be read by then', async () => {
    for (const target of [feed(4), feed(5), '/rest/account/?page=2']) answerFirst(target, 4, status(500));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, accounts: { added: 5 } });
    expect(idsIn(store)).toHaveLength(200);
    expect(service.asked.filter((target) => target === feed(12))).toHaveLength(1);
  });

  it('ends the run if many before it could not be read either, and the next run goes on behind them', async () => {
    for (let page = 4; page < 16; page += 1) service.answers.set(feed(page), status(500));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
      code: 'service-failed',
      place: { file: service.baseUrl + feed(14) },
      found: 'status 500',
    });
    service.asked.length = 0;
    const second = await mirrored(store, service.baseUrl);
    expect(second).toMatchObject({ isComplete: false, isResumed: true, missing: { records: 120 } });
    expect(second.missing.gaps).toHaveLength(12);
    expect(service.asked[0]).toBe(feed(14));
    expect(idsIn(store)).toHaveLength(80);
  });

  it('is read although the page before it has no link to it, if the count has more records', async () => {
    service.answers.set(feed(4), { ...(service.answers.get(feed(4)) as object), next: null });
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(idsIn(store)).toHaveLength(200);
  });
});

it.each([
  [404, 2, 5, 2],
  [500, 2, 5, 2],
  [404, 3, 5, 1],
  [500, 3, 5, 1],
  [404, 2, 4, 2],
])('the status %d of page %d of %d accounts does not block the others, and makes no account gone', async (code, page, all, accounts) => {
  const target = `/rest/account/?page=${page}`;
  show(service, 'account', ACCOUNTS.slice(0, all), 2);
  if (all === 4) service.answers.delete('/rest/account/?page=3');
  const right = service.answers.get(target);
  service.answers.set(target, status(code));
  for (const isFull of [false, false, true, false]) {
    expect(await mirrored(store, service.baseUrl, { isFull, maxDelete: { share: 1 } })).toMatchObject({
      isComplete: false,
      gone: { account: [] },
      missing: { accounts, pages: [{ page, reason: `status ${code}` }] },
    });
  }
  service.answers.set(target, right);
  expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, accounts: { added: accounts } });
});

it('a service that answers every page with page 1 ends the run', async () => {
  for (let page = 2; page <= 20; page += 1) service.answers.set(feed(page), service.answers.get('/rest/data/'));
  await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
    code: 'service-failed',
    place: { file: service.baseUrl + feed(12) },
    found: 'next leads to page 2, expected page 13',
  });
  expect(service.asked.length).toBeLessThan(60);
});

it.each(['/rest/data/', feed(4)])('a service that refuses everything from %s on ends the run with one error', async (target) => {
  failFrom(service, target, status(403));
  const file = `${service.baseUrl}/rest/data/`;
  await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: 'status 403', place: { file } });
});
