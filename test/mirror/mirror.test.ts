import { readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../src/mirror/exchange.ts';
import { retryAfter } from '../../src/mirror/retry-after.ts';
import type { InputError } from '../../src/sources/source.ts';
import { makeCertificate, openssl } from '../publish/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf } from '../support/snapshots.ts';
import { account, type CannedService, failFrom, record, show, startCannedService, status } from './canned-service.ts';
import { fingerprint, idsIn, mirrored } from './mirrored.ts';

const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => record(from - index));

/** A service with so many records of one account, and a store that does not exist yet. */
async function serviceOf(records: number, size = 10): Promise<{ service: CannedService; store: string; folder: string }> {
  const service = await startCannedService();
  const all = descending(records, 1);
  show(service, 'data', all, size);
  show(service, 'account', [account('jack', all)]);
  const folder = temporaryFolder();
  return { service, folder, store: join(folder, 'store.db') };
}

describe('a mirror', () => {
  it('reads only page 1 of both collections if nothing is new', async () => {
    const { service, store } = await serviceOf(50);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 50 }, accounts: { added: 1 } });
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 0 } });
    expect(service.asked).toEqual(['/build.json', '/rest/data/', '/rest/account/', '/rest/data/']);
  });

  it('reports the page and the number of pages of each collection while it reads', async () => {
    const { service, store } = await serviceOf(30);
    const steps: (readonly [phase: string, done: number, all: number])[] = [];
    await mirrored(store, service.baseUrl, { onProgress: (phase, done, all) => void steps.push([phase, done, all]) });
    expect(steps.filter(([phase]) => phase === 'data' || phase === 'account')).toEqual([
      ['data', 1, 3],
      ['data', 2, 3],
      ['data', 3, 3],
      ['account', 1, 1],
      // page 1 of the feed once more
      ['data', expect.any(Number), expect.any(Number)],
    ]);
  });

  it.each([
    [
      'leaves the origin',
      (service: CannedService) => `${service.baseUrl.replace('127.0.0.1', 'localhost')}/rest/data/?page=2`,
      'another origin',
    ],
    ['leaves the base path', (service: CannedService) => `${service.baseUrl}/other/rest/data/?page=2`, 'another path'],
    ['loops', (service: CannedService) => `${service.baseUrl}/rest/data/?page=1`, 'page 1: a loop'],
    ['skips pages', (service: CannedService) => `${service.baseUrl}/rest/data/?page=9`, 'page 9'],
  ])('rejects a next that %s, and reports its address', async (_, next, found) => {
    const { service, store } = await serviceOf(20);
    service.answers.set('/rest/data/', { count: 20, next: next(service), previous: null, results: descending(20, 11) });
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', place: { file: next(service) }, found });
  });

  it('rejects a next that continues after as many items as count', async () => {
    const { service, store } = await serviceOf(20);
    for (let page = 2; page < 9; page += 1) {
      const next = `${service.baseUrl}/rest/data/?page=${page + 1}`;
      service.answers.set(`/rest/data/?page=${page}`, { count: 20, next, previous: null, results: descending(10, 1) });
    }
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
      code: 'bad-service',
      expected: 'no page after 20 items, the count',
      place: { file: `${service.baseUrl}/rest/data/?page=4` },
    });
  });

  it('follows only redirects within the service', async () => {
    const { service, store } = await serviceOf(5);
    service.answers.set('/moved/', service.answers.get('/rest/data/'));
    service.answers.set('/rest/data/', status(302, { Location: '/moved/' }));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    service.answers.set('/rest/data/', status(302, { Location: 'https://example.org/rest/data/' }));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: 'https://example.org/rest/data/' });
  });

  it('skips a page that fails on every attempt, reports it, imports the rest, and reads it in the next run', async () => {
    const { service, store } = await serviceOf(100);
    const right = service.answers.get('/rest/data/?page=4');
    service.answers.set('/rest/data/?page=4', '<!DOCTYPE html><title>no</title>');
    const first = await mirrored(store, service.baseUrl);
    // what the account shows of its records is not lost, but the page has to be read all the same
    expect(first).toMatchObject({
      isComplete: false,
      missing: {
        gaps: [{ page: 4, newer: 71, older: 60, url: `${service.baseUrl}/rest/data/?page=4`, reason: expect.stringContaining('HTML') }],
      },
    });
    expect(idsIn(store)).toContain(1);
    service.answers.set('/rest/data/?page=4', right);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(idsIn(store)).toHaveLength(100);
    expect(service.asked.filter((target) => target.startsWith('/rest/data/'))).toHaveLength(6);
  });

  it('stops if the service sends no page at all, and resumes at the same page', async () => {
    const { service, store } = await serviceOf(100);
    const down = status(503, { 'Retry-After': '0' });
    const kept = new Map(service.answers);
    failFrom(service, '/rest/data/?page=6', down);
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
      code: 'service-failed',
      place: { file: `${service.baseUrl}/rest/data/?page=6` },
    });
    expect(() => fingerprint(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
    for (const [target, answer] of kept) service.answers.set(target, answer);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: true, records: { added: 100 } });
    expect(service.asked[0]).toBe('/rest/data/?page=6');
    const whole = join(temporaryFolder(), 'whole.db');
    await mirrored(whole, service.baseUrl);
    expect(fingerprint(store)).toBe(fingerprint(whole));
  });

  it('resumes at the same page after an outage of hours, in which each run fails, and reads no page twice', async () => {
    const { service, store } = await serviceOf(100);
    const kept = new Map(service.answers);
    failFrom(service, '/rest/data/?page=6', status(503));
    // a run waits minutes with the pauses of the program, so these are the runs of hours
    for (let run = 1; run <= 20; run += 1) {
      await expect(mirrored(store, service.baseUrl, { firstPause: 0.01 })).rejects.toMatchObject({ code: 'service-failed' });
    }
    // page 1 shows whether the service is away
    expect(new Set(service.asked.slice(7))).toEqual(new Set(['/rest/data/?page=6', '/rest/data/']));
    for (const [target, answer] of kept) service.answers.set(target, answer);
    const before = service.asked.length;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: true, records: { added: 100 } });
    const rest = [7, 8, 9, 10].map((number) => `/rest/data/?page=${number}`);
    expect(service.asked.slice(before)).toEqual(['/rest/data/?page=6', ...rest, '/rest/account/', '/rest/data/']);
  });

  it('waits for the time in Retry-After if it is longer than its own pause', async () => {
    const { service, store } = await serviceOf(5);
    const right = JSON.stringify(service.answers.get('/rest/data/'));
    let calls = 0;
    service.answers.set('/rest/data/', (response: ServerResponse) => {
      calls += 1;
      if (calls === 1) response.writeHead(429, { 'Retry-After': '1' }).end();
      else response.writeHead(200).end(right);
    });
    const pauses: number[] = [];
    await mirrored(store, service.baseUrl, { onRetry: (_, pause) => void pauses.push(pause) });
    expect(pauses).toEqual([1000]);
  });

  it('does not import the pages of an interrupted run into another store with the same name', async () => {
    const { service, store } = await serviceOf(30);
    await mirrored(store, service.baseUrl);
    const more = descending(55, 1);
    show(service, 'data', more, 10);
    show(service, 'account', [account('jack', more)]);
    service.answers.set('/rest/account/', status(503, { 'Retry-After': '0' }));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'service-failed' });
    for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
    show(service, 'account', [account('jack', more)]);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: false, records: { added: 55 } });
    expect(idsIn(store)).toHaveLength(55);
  });

  it('mirrors a service without items', async () => {
    const service = await startCannedService();
    show(service, 'data', []);
    show(service, 'account', []);
    const store = join(temporaryFolder(), 'store.db');
    for (let night = 0; night < 2; night += 1) expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(idsIn(store)).toEqual([]);
    expect(fingerprint(store)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reports how many records are missing if the count never agrees, and does not read all pages in every run', async () => {
    const { service, store } = await serviceOf(100);
    for (const [target, answer] of service.answers) {
      if (target.startsWith('/rest/data/')) service.answers.set(target, { ...(answer as object), count: 103 });
    }
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: false, missing: { records: 3 } });
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: false, missing: { records: 3 } });
    expect(service.asked).toHaveLength(4);
  });

  it('replaces changed records, reports removed ones, and deletes them only with maxDelete', async () => {
    const { service, store } = await serviceOf(50);
    await mirrored(store, service.baseUrl);
    const now = descending(50, 1)
      .filter(({ id }) => id !== 7)
      .map((one) => (one.id === 9 ? { ...one, text: 'corrected' } : one));
    show(service, 'data', now, 10);
    show(service, 'account', [account('jack', now)]);
    const full = await mirrored(store, service.baseUrl, { isFull: true });
    expect(full).toMatchObject({ isComplete: true, changed: [9], gone: { data: [7], account: [] }, deleted: { records: 0 } });
    expect(idsIn(store)).toContain(7);
    await expect(mirrored(store, service.baseUrl, { isFull: true, maxDelete: { most: 0 } })).rejects.toMatchObject({
      code: 'too-many-deletes',
    });
    expect(await mirrored(store, service.baseUrl, { isFull: true, maxDelete: { most: 1 } })).toMatchObject({ deleted: { records: 1 } });
    expect(idsIn(store)).not.toContain(7);
    const whole = join(temporaryFolder(), 'whole.db');
    await mirrored(whole, service.baseUrl);
    expect(fingerprint(store)).toBe(fingerprint(whole));
  });

  it.each([
    ['in one run', [{ isFull: true, maxDelete: { most: 1 } }]],
    ['after a run that kept the record', [{ isFull: true }, { isFull: true, maxDelete: { most: 1 } }]],
    ['after a run that did not read the account', [{ maxDelete: { most: 1 } }, { isFull: true }]],
  ])('publishes no text of a removed record if --delete deletes it, %s', async (_, runs) => {
    const { service, store } = await serviceOf(0);
    const showAll = (items: readonly { readonly id: number }[], bio: string) => {
      show(service, 'data', [record(60, { account: 'nina' }), ...items], 2);
      show(service, 'account', [account('nina', [record(60, { account: 'nina' })]), account('jack', items, { bio })], 1);
    };
    showAll([record(50, { text: 'a secret' }), record(40, { text: 'hello' })], 'a secret');
    await mirrored(store, service.baseUrl);
    showAll([record(40, { text: 'hello' })], 'hello');
    for (const options of runs) expect(await mirrored(store, service.baseUrl, options)).toMatchObject({ isComplete: true });
    const whole = join(temporaryFolder(), 'whole.db');
    await mirrored(whole, service.baseUrl);
    expect(contentsOf(store)).toEqual(contentsOf(whole));
    expect(fingerprint(store)).toBe(fingerprint(whole));
  });

  it('does not replace a profile with an older one if the service never had the newest record', async () => {
    const { service, store } = await serviceOf(0);
    const items = [record(50), record(40)];
    show(service, 'data', items);
    show(service, 'account', [account('jack', items, { profile_image_url: 'https://images.example/new.jpg' })]);
    await mirrored(store, service.baseUrl);
    const copy = await startCannedService();
    show(copy, 'data', [record(40)]);
    show(copy, 'account', [account('jack', [record(40)])]);
    expect(await mirrored(store, copy.baseUrl)).toMatchObject({ isComplete: true, accounts: { kept: 1 } });
    expect(contentsOf(store).accounts).toMatchObject([{ profile_image_url: 'https://images.example/new.jpg' }]);
  });

  it('gives the records of a renamed account the new handle, and reports the old account as gone', async () => {
    const { service, store } = await serviceOf(5);
    await mirrored(store, service.baseUrl);
    const now = descending(6, 1).map((one) => ({ ...one, account: 'dorsey' }));
    show(service, 'data', now, 10);
    show(service, 'account', [account('dorsey', now)]);
    expect(await mirrored(store, service.baseUrl, { maxDelete: { most: 1 } })).toMatchObject({
      isComplete: true,
      gone: { account: ['jack'] },
    });
    expect(contentsOf(store).accounts.map(({ screen_name }) => screen_name)).toEqual(['dorsey']);
  });

  it('stores unusual items unchanged, rejects broken items once with the reason, and imports the rest', async () => {
    const service = await startCannedService();
    const odd = {
      ...record(4),
      data_type: 'Website',
      diff_html: "\n<del></del><br /><ins><a href='Https://x.example'>x</a></ins>\n",
      text: 'Https://x.example',
    };
    const broken = { ...record(3), text: 5 };
    const all = [odd, broken, record(2, { account: 'twin' }), record(1, { account: 'twin' })];
    const { bio: _, ...withoutBio } = account('bare', []);
    show(service, 'data', all);
    show(service, 'account', [
      account('twin', [record(1, { account: 'twin' })], { account_creation_date: '2010-01-01T00:00:00Z' }),
      account('jack', [odd]),
      account('twin', [record(2, { account: 'twin' })], { account_creation_date: '2020-01-01T00:00:00Z' }),
      withoutBio,
    ]);
    const store = join(temporaryFolder(), 'store.db');
    const inputErrors: InputError[] = [];
    const onReject = (inputError: InputError) => void inputErrors.push(inputError);
    expect(await mirrored(store, service.baseUrl, { onReject })).toMatchObject({ isComplete: true, rejected: 3 });
    expect(inputErrors).toMatchObject([
      { code: 'bad-field', place: { field: 'results[1].text' }, item: { id: 3 } },
      {
        code: 'conflict',
        found: 'a second account twin, created 2010-01-01T00:00:00Z',
        item: { screen_name: 'twin', account_creation_date: '2010-01-01T00:00:00Z' },
      },
      { code: 'bad-field', place: { field: 'results[3].bio' }, item: { screen_name: 'bare' } },
    ]);
    const { feed, accounts } = contentsOf(store);
    expect(feed.map(({ id }) => id)).toEqual([4, 2, 1]);
    expect(feed[0]).toEqual(odd);
    expect(accounts).toMatchObject([{ screen_name: 'twin', account_creation_date: '2020-01-01T00:00:00Z' }, { screen_name: 'jack' }]);
    inputErrors.length = 0;
    expect(await mirrored(store, service.baseUrl, { onReject, isFull: true })).toMatchObject({ isComplete: true, rejected: 0 });
    expect(inputErrors).toEqual([]);
  });

  it('rejects a known item once for each version that is invalid, and keeps what the store has', async () => {
    const { service, store } = await serviceOf(10);
    await mirrored(store, service.baseUrl);
    const inputErrors: InputError[] = [];
    const onReject = (inputError: InputError) => void inputErrors.push(inputError);
    const rejectedIn = async (text: unknown, data_page_count: unknown) => {
      const items = descending(10, 1).map((one) => (one.id === 9 ? { ...one, text } : one));
      show(service, 'data', items, 10);
      show(service, 'account', [account('jack', items, { data_page_count })]);
      const { rejected, isComplete } = await mirrored(store, service.baseUrl, { onReject, isFull: true });
      expect(isComplete).toBe(true);
      return rejected;
    };
    expect(await rejectedIn(5, 1)).toBe(1);
    expect(inputErrors).toMatchObject([{ code: 'bad-field', place: { field: 'results[1].text' }, item: { id: 9, text: 5 } }]);
    expect(contentsOf(store).feed[1]).toEqual(record(9));
    expect(await rejectedIn(5, 1)).toBe(0);
    expect(await rejectedIn(6, 1)).toBe(1);
    expect(await rejectedIn('text 9', -1)).toBe(1);
    expect(inputErrors[2]).toMatchObject({ item: { screen_name: 'jack' } });
    expect(await rejectedIn('text 9', -1)).toBe(0);
    expect(await rejectedIn(5, 1)).toBe(0);
  });

  it('rejects a record with a field twice once, and imports the other records of its page', async () => {
    const { service, store } = await serviceOf(3);
    const page = JSON.stringify(service.answers.get('/rest/data/')).replace('"text":"text 2"', '"text":"text 2","text":"other"');
    service.answers.set('/rest/data/', page);
    show(service, 'account', [account('jack', [record(3)])]);
    const inputErrors: InputError[] = [];
    const onReject = (inputError: InputError) => void inputErrors.push(inputError);
    expect(await mirrored(store, service.baseUrl, { onReject })).toMatchObject({ isComplete: true, rejected: 1 });
    expect(inputErrors).toMatchObject([
      {
        code: 'bad-json',
        place: { file: `${service.baseUrl}/rest/data/`, field: 'results[1].text' },
        item: expect.stringContaining('"id":2'),
      },
    ]);
    expect(idsIn(store)).toEqual([3, 1]);
    expect(await mirrored(store, service.baseUrl, { onReject, isFull: true })).toMatchObject({ isComplete: true, rejected: 0 });
  });

  it('reports the gap if the pages are from two nights, and is complete when they agree', async () => {
    const { service, store } = await serviceOf(50);
    const newer = descending(58, 1);
    // page 1 is of tonight, the others are of last night
    service.answers.set('/rest/data/', {
      count: 58,
      next: `${service.baseUrl}/rest/data/?page=2`,
      previous: null,
      results: newer.slice(0, 10),
    });
    const mixed = await mirrored(store, service.baseUrl);
    expect(mixed).toMatchObject({ isComplete: false, missing: { gaps: [{ page: 2, newer: 49, older: 40 }] } });
    show(service, 'data', newer, 10);
    show(service, 'account', [account('jack', newer)]);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(idsIn(store)).toHaveLength(58);
  });

  it('sends conditional requests, and uses the known page after a 304', async () => {
    const { service, store } = await serviceOf(5);
    for (const target of ['/rest/data/', '/rest/account/']) {
      const body = JSON.stringify(service.answers.get(target));
      service.answers.set(target, (response: ServerResponse, request: IncomingMessage) => {
        const isKnown = request.headers['if-none-match'] === '"one"';
        response.writeHead(isKnown ? 304 : 200, { ETag: '"one"', 'Content-Type': 'application/json' }).end(isKnown ? undefined : body);
      });
    }
    await mirrored(store, service.baseUrl);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, pages: { read: 3, unchanged: 3 } });
    expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ isComplete: true, pages: { unchanged: 3 } });
  });

  it('makes the same store with several connections', async () => {
    const { service, store } = await serviceOf(100);
    await mirrored(store, service.baseUrl, { concurrency: 4 });
    const one = join(temporaryFolder(), 'one.db');
    await mirrored(one, service.baseUrl);
    expect(fingerprint(store)).toBe(fingerprint(one));
  });

  it('records every exchange with its bytes on the wire', async () => {
    const { service, store } = await serviceOf(5);
    const body = JSON.stringify(service.answers.get('/rest/data/'));
    let calls = 0;
    service.answers.set('/rest/data/', (response: ServerResponse) => {
      calls += 1;
      if (calls === 1) return response.writeHead(503, 'Not Now', { 'Retry-After': '0' }).end('later');
      return response.writeHead(200, { 'X-Mixed-Case': 'a', 'Content-Encoding': 'GZip' }).end(gzipSync(body));
    });
    const exchanges: Exchange[] = [];
    await mirrored(store, service.baseUrl, { record: (exchange) => void exchanges.push(exchange) });
    const [missing, refused, given] = exchanges;
    expect(missing?.status).toBe(404);
    expect(refused).toMatchObject({ status: 503, body: Buffer.from('later') });
    // the server does not know the length of what it writes in pieces: it sends chunks
    expect(refused?.response.toString()).toMatch(
      /^HTTP\/1\.1 503 Not Now\r\nRetry-After: 0\r\n[\s\S]*\r\n\r\n(5\r\nlater\r\n0\r\n\r\n|later)$/,
    );
    expect(given?.request.toString()).toMatch(
      /^GET \/rest\/data\/ HTTP\/1\.1\r\n[\s\S]*\r\nUser-Agent: palimpsest-test\r\n[\s\S]*\r\n\r\n$/,
    );
    expect(given?.response.toString('latin1')).toContain('\r\nX-Mixed-Case: a\r\n');
    expect(gunzipSync(given?.body ?? '').toString()).toBe(body);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['seconds', '7', 7000],
    ['an HTTP date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['a date that has passed', 'Thu, 01 Jan 2015 00:00:30 GMT', 0],
    ['years', '99999999', 600_000],
    ['nonsense', 'soon', 0],
    ['nothing', undefined, 0],
  ])('reads %s', (_, value, expected) => {
    expect(retryAfter(value, now)).toBe(expected);
  });
});

describe('palimpsest mirror', () => {
  it('sends a User-Agent with the release, and with the homepage if package.json has one', async () => {
    const { service, store } = await serviceOf(5);
    await palimpsestJson(['mirror', service.baseUrl, '--store', store, '--delay', '0ms']);
    const { version, homepage } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(service.headers['user-agent']).toBe(homepage === undefined ? `palimpsest/${version}` : `palimpsest/${version} (+${homepage})`);
  });

  it('creates the folder of the store', async () => {
    const { service, folder } = await serviceOf(5);
    const store = join(folder, 'data', 'new', 'store.db');
    expect(await palimpsestJson(['mirror', service.baseUrl, '--store', store, '--delay', '0ms'])).toMatchObject({ complete: true });
    const { stdout } = await palimpsest(['mirror', service.baseUrl, '--store', join(store, 'a', 'store.db'), '--json']);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'file-system' });
  });

  it('writes rejected items to the rejects file, once', async () => {
    const { service, store } = await serviceOf(3);
    const page = JSON.stringify(service.answers.get('/rest/data/')).replace('"text":"text 2"', '"text":5');
    service.answers.set('/rest/data/', page);
    show(service, 'account', [account('jack', [record(3)])]);
    for (const rejected of [1, 0]) {
      expect(await palimpsestJson(['mirror', service.baseUrl, '--store', store, '--delay', '0ms', '--full'])).toMatchObject({ rejected });
      expect(readFileSync(`${store}-rejects.ndjson`, 'utf8').trim().split('\n')).toHaveLength(1);
    }
  });

  it('exits with 1 if items are missing, and reports how many', async () => {
    const { service, store } = await serviceOf(30);
    service.answers.set('/rest/data/', {
      count: 33,
      next: `${service.baseUrl}/rest/data/?page=2`,
      previous: null,
      results: descending(30, 21),
    });
    service.answers.set('/rest/data/?page=2', {
      count: 33,
      next: `${service.baseUrl}/rest/data/?page=3`,
      previous: null,
      results: descending(20, 11),
    });
    service.answers.set('/rest/data/?page=3', { count: 33, next: null, previous: null, results: descending(10, 1) });
    const { code, stdout, stderr } = await palimpsest(['mirror', service.baseUrl, '--store', store, '--delay', '0ms', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, missing: { records: 3, accounts: 0 }, records: { added: 30 } });
    expect(stderr).toContain('3 records');
  });

  it('stops after a signal, and resumes', async () => {
    const { service, store } = await serviceOf(50);
    const kept = service.answers.get('/rest/data/?page=3');
    let stop = () => {};
    service.answers.set('/rest/data/?page=3', () => stop());
    const args = ['mirror', service.baseUrl, '--store', store, '--delay', '0ms', '--json'];
    const stopped = await palimpsest(args, {
      onStart: (child) => {
        stop = () => void child.kill('SIGINT');
      },
    });
    expect(stopped.code).toBe(130);
    expect(JSON.parse(stopped.stdout).error).toMatchObject({ code: 'stopped', file: `${service.baseUrl}/rest/data/?page=3` });
    service.answers.set('/rest/data/?page=3', kept);
    expect(await palimpsestJson(args.slice(0, -1))).toMatchObject({ complete: true, resumed: true, records: { added: 50 } });
  });

  it.skipIf(openssl.skip)(
    'supports TLS, follows next with http behind a proxy, and does not retry after an invalid certificate',
    async () => {
      const folder = temporaryFolder();
      const certificate = makeCertificate(folder);
      const { service } = await serviceOf(50);
      const server = createServer(certificate, (request, response) => {
        const answer = service.answers.get(request.url ?? '');
        const body = JSON.stringify(answer)?.replaceAll(service.baseUrl, `http://${request.headers.host}`);
        response.writeHead(body === undefined ? 404 : 200).end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const address = server.address();
      const baseUrl = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const args = ['mirror', baseUrl, '--store', join(folder, 'store.db'), '--delay', '0ms'];
      const refused = await palimpsest([...args, '--json']);
      expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'service-failed', found: expect.not.stringContaining('tried') });
      expect(await palimpsestJson(args, { env: { NODE_EXTRA_CA_CERTS: certificate.path } })).toMatchObject({
        complete: true,
        records: { added: 50 },
      });
    },
  );

  it('reports an address without a service, and rejects invalid options', async () => {
    const service = await startCannedService();
    const store = join(temporaryFolder(), 'store.db');
    const { code, stdout } = await palimpsest(['mirror', service.baseUrl, '--store', store, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'bad-service', file: `${service.baseUrl}/rest/data/`, found: 'status 404' });
    expect(await palimpsest(['mirror', 'example.org', '--store', store])).toMatchObject({ code: 2 });
    expect(await palimpsest(['mirror', service.baseUrl, '--delay', 'soon'])).toMatchObject({ code: 2 });
  });
});
