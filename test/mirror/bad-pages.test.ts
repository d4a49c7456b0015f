import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { account, type CannedService, failFrom, record, show, startCannedService, status } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

const RECORDS = Array.from({ length: 200 }, (_, index) => record(200 - index));
const feed = (page: number) => `/rest/data/?page=${page}`;

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
  show(service, 'data', RECORDS, 10);
  // the records are on the pages of the feed alone
  show(
    service,
    'account',
    ['jack', 'ann', 'bob', 'cyd', 'dan'].map((name) => account(name, [])),
    2,
  );
});

describe('a page of the feed that cannot be read', () => {
  it.each([404, 403, 410, 451, 500, 502, 504])('does not block the others if its status is always %s', async (code) => {
    const right = service.answers.get(feed(4));
    service.answers.set(feed(4), status(code));
    const first = await mirrored(store, service.baseUrl);
    expect(first).toMatchObject({
      isComplete: false,
      missing: {
        records: 10,
        isCountUnstable: false,
        gaps: [{ page: 4, newer: 171, older: 160, reason: expect.stringContaining(`status ${code}`) }],
      },
    });
    expect(idsIn(store)).toEqual(RECORDS.map(({ id }) => id).filter((id) => id > 170 || id <= 160));
    service.answers.set(feed(4), right);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 10 } });
  });

  it('does not block the others if the next ones cannot be read either', async () => {
    for (const page of [4, 5, 6]) service.answers.set(feed(page), status(page === 5 ? 404 : 500));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({
      isComplete: false,
      missing: { records: 30, gaps: [4, 5, 6].map((page) => ({ page, newer: 171, older: 140 })) },
    });
    expect(idsIn(store)).toHaveLength(170);
  });

  it('does not block the others if it is the last one', async () => {
    service.answers.set(feed(20), status(404));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: false, missing: { records: 10, gaps: [{ page: 20 }] } });
    expect(idsIn(store)).toHaveLength(190);
  });

  it('is asked for once more at the end, and the mirror is complete if it can be read by then', async () => {
    for (const target of [feed(4), feed(5), '/rest/account/?page=2']) answerFirst(target, 4, status(500));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, accounts: { added: 5 } });
    expect(idsIn(store)).toHaveLength(200);
    expect(service.asked.filter((target) => target === feed(12))).toHaveLength(1);
  });

  it('is asked for until it can be read, if a gateway answers in its place', async () => {
    answerFirst(feed(4), 4, status(502));
    answerFirst(feed(5), 6, status(504));
    const reasons: string[] = [];
    expect(await mirrored(store, service.baseUrl, { onRetry: (reason) => void reasons.push(reason) })).toMatchObject({ isComplete: true });
    expect(reasons).toHaveLength(10);
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

describe('a page of the accounts that cannot be read', () => {
  it.each([404, 500])('does not block the others, and makes no account gone, if its status is always %s', async (code) => {
    const right = service.answers.get('/rest/account/?page=2');
    service.answers.set('/rest/account/?page=2', status(code));
    for (const isFull of [false, true]) {
      expect(await mirrored(store, service.baseUrl, { isFull, maxDelete: { share: 1 } })).toMatchObject({
        isComplete: false,
        gone: { account: [] },
        missing: { accounts: 2, pages: [{ page: 2, reason: `status ${code}` }] },
      });
    }
    service.answers.set('/rest/account/?page=2', right);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, accounts: { added: 2 } });
  });
});

describe('a service that refuses', () => {
  it('everything from some page on ends the run, which resumes at that page', async () => {
    const kept = new Map(service.answers);
    failFrom(service, feed(4), status(403));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: 'status 403' });
    for (const [target, answer] of kept) service.answers.set(target, answer);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: true });
    expect(service.asked[0]).toBe(feed(4));
  });

  it('everything ends the run with one error', async () => {
    failFrom(service, '/rest/data/', status(403));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
      code: 'bad-service',
      found: 'status 403',
      place: { file: `${service.baseUrl}/rest/data/` },
    });
  });
});

describe('a feed that counts no records', () => {
  it('and links to a next page is refused', async () => {
    for (let page = 1; page < 9; page += 1) {
      const next = service.baseUrl + feed(page + 1);
      service.answers.set(page === 1 ? '/rest/data/' : feed(page), { count: 0, next, previous: null, results: [] });
    }
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: 'one more page' });
    expect(service.asked).toEqual(['/head.json', '/build.json', '/rest/data/']);
  });
});
