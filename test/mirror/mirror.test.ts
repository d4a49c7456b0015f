import { readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InputError } from '../../src/sources/source.ts';
import { makeCertificate, openssl } from '../publish/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf, observe } from '../support/snapshots.ts';
import { account, failFrom, listen, record, recordsTo, serve, serviceOf, show, startCannedService, status } from './canned-service.ts';
import { fingerprint, idsIn, mirrored, mirroredAnew } from './mirrored.ts';

/** Collects what a mirror rejects. */
function collected() {
  const errors: InputError[] = [];
  return { errors, onReject: (error: InputError) => void errors.push(error) };
}

describe('a mirror', () => {
  it('reports pages while it reads, and reads only page 1 of both collections if nothing is new', async () => {
    const { service, store } = await serviceOf(30);
    const steps: (readonly [phase: string, done: number, all: number])[] = [];
    const onProgress = (phase: string, done: number, all: number) => void steps.push([phase, done, all]);
    const first = await mirrored(store, service.baseUrl, { onProgress });
    expect(first).toMatchObject({ isComplete: true, records: { added: 30 }, accounts: { added: 1 } });
    expect(steps.filter(([phase]) => phase === 'data' || phase === 'account').slice(0, 4)).toEqual([
      ['data', 1, 3],
      ['data', 2, 3],
      ['data', 3, 3],
      ['account', 1, 1],
    ]);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 0 } });
    expect(service.asked).toEqual(['/build.json', '/rest/data/', '/rest/account/', '/rest/data/']);
  });

  it('ends at a link to another origin, and follows only redirects within the service', async () => {
    const { service, store } = await serviceOf(5);
    const right = service.answers.get('/rest/data/');
    const next = 'https://example.org/rest/data/?page=2';
    service.answers.set('/rest/data/', { count: 20, next, previous: null, results: recordsTo(10) });
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: `another origin: ${next}` });
    service.answers.set('/moved/', right);
    service.answers.set('/rest/data/', status(302, { Location: '/moved/' }));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    service.answers.set('/rest/data/', status(302, { Location: next }));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service', found: next });
  });

  it('resumes at the same page after an outage in which each run fails, and reads no page twice', async () => {
    const { service, store } = await serviceOf(100);
    const kept = new Map(service.answers);
    failFrom(service, '/rest/data/?page=6', status(503));
    for (let run = 1; run <= 3; run += 1) {
      await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({
        code: 'service-failed',
        place: { file: `${service.baseUrl}/rest/data/?page=6` },
      });
    }
    expect(() => fingerprint(store)).toThrow(expect.objectContaining({ code: 'no-store' }));
    // page 1 shows whether the service is away
    expect(new Set(service.asked.slice(7))).toEqual(new Set(['/rest/data/?page=6', '/rest/data/']));
    for (const [target, answer] of kept) service.answers.set(target, answer);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: true, records: { added: 100 } });
    const rest = [6, 7, 8, 9, 10].map((number) => `/rest/data/?page=${number}`);
    expect(service.asked).toEqual([...rest, '/rest/account/', '/rest/data/']);
    expect(fingerprint(store)).toBe(await mirroredAnew(service.baseUrl));
  });

  it.each([
    ['reads what is new', undefined],
    ['imports what it has, with a gap at page 1, if the service no longer answers', 503],
    ['imports what it has, with a gap at page 1, if the service is no longer there', 404],
  ])('that stopped after its last request %s', async (_, code) => {
    const { service, store } = await serviceOf(25);
    const beforeCommit = async () => Promise.reject(new Error('killed'));
    await expect(mirrored(store, service.baseUrl, { beforeCommit })).rejects.toThrow('killed');
    serve(service, recordsTo(27));
    if (code !== undefined) failFrom(service, '/rest/data/', status(code));
    service.asked.length = 0;
    const isComplete = code === undefined;
    const gaps = isComplete ? [] : [{ page: 1, reason: expect.stringContaining(`status ${code}`), newer: null, older: 25 }];
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete, isResumed: true, missing: { gaps } });
    expect(idsIn(store)).toHaveLength(isComplete ? 27 : 25);
    if (isComplete) expect(service.asked).toEqual(['/rest/data/', '/rest/account/', '/rest/data/']);
    serve(service, recordsTo(27));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: false });
  });

  it('that stopped after its last request, and again while it read what is new, imports what it has if the service ends', async () => {
    const { service, store } = await serviceOf(25);
    const beforeCommit = async () => Promise.reject(new Error('killed'));
    await expect(mirrored(store, service.baseUrl, { beforeCommit })).rejects.toThrow('killed');
    serve(service, recordsTo(27));
    service.answers.set('/rest/account/', status(503));
    const controller = new AbortController();
    const stop = { onRetry: () => controller.abort(), signal: controller.signal };
    await expect(mirrored(store, service.baseUrl, stop)).rejects.toMatchObject({ code: 'stopped' });
    for (const target of service.answers.keys()) service.answers.set(target, status(503));
    const gaps = [{ page: 1, newer: null, older: 25 }];
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: false, isResumed: true, missing: { gaps } });
    expect(idsIn(store)).toHaveLength(27);
    serve(service, recordsTo(28));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: false, records: { added: 1 } });
  });

  it('stops while it waits, here as long as Retry-After says, and resumes', async () => {
    const { service, store } = await serviceOf(50);
    const right = service.answers.get('/rest/data/?page=3');
    service.answers.set('/rest/data/?page=3', status(429, { 'Retry-After': '100' }));
    const controller = new AbortController();
    const pauses: number[] = [];
    const onRetry = (_: string, pause: number) => {
      pauses.push(pause);
      controller.abort();
    };
    await expect(mirrored(store, service.baseUrl, { onRetry, signal: controller.signal })).rejects.toMatchObject({ code: 'stopped' });
    expect(pauses).toEqual([100_000]);
    service.answers.set('/rest/data/?page=3', right);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: true, records: { added: 50 } });
  });

  it('ends an answer that takes longer than the limit in all, and says meanwhile how much has arrived', async () => {
    const { service, store } = await serviceOf(30);
    show(service, 'account', [account('jack', [])]);
    service.answers.set('/rest/data/?page=2', (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const drip = () => {
        if (response.destroyed) return;
        response.write(' ');
        setTimeout(drip, 10);
      };
      drip();
      setTimeout(() => vi.advanceTimersByTime(30_000), 100);
    });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow: (readonly [url: string, bytes: number, time: number])[] = [];
    const onSlow = (...seen: (typeof slow)[number]) => void slow.push(seen);
    const gap = { page: 2, reason: 'an answer that takes longer than 0.3 s' };
    expect(await mirrored(store, service.baseUrl, { maxTime: 300, onSlow })).toMatchObject({ isComplete: false, missing: { gaps: [gap] } });
    expect(slow[0]).toEqual([`${service.baseUrl}/rest/data/?page=2`, expect.any(Number), expect.any(Number)]);
    expect(slow[0]?.[1]).toBeGreaterThan(0);
  });

  it('does not import the pages of an interrupted run into another store with the same name', async () => {
    const { service, store } = await serviceOf(30);
    await mirrored(store, service.baseUrl);
    serve(service, recordsTo(55));
    service.answers.set('/rest/account/', status(503));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'service-failed' });
    for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
    serve(service, recordsTo(55));
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, isResumed: false, records: { added: 55 } });
    expect(idsIn(store)).toHaveLength(55);
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
  });

  it('does not replace a profile with an older one if the service never had the newest record', async () => {
    const { service, store } = await serviceOf(0);
    const items = [record(50), record(40)];
    show(service, 'data', items);
    show(service, 'account', [account('jack', items, { profile_image_url: 'https://images.example/new.jpg' })]);
    await mirrored(store, service.baseUrl);
    const copy = await startCannedService();
    serve(copy, [record(40)]);
    expect(await mirrored(store, copy.baseUrl)).toMatchObject({ isComplete: true, accounts: { kept: 1 } });
    expect(contentsOf(store).accounts).toMatchObject([{ profile_image_url: 'https://images.example/new.jpg' }]);
  });

  it('gives the records of a renamed account the new handle, and reports the old account as gone', async () => {
    const { service, store } = await serviceOf(5);
    await mirrored(store, service.baseUrl);
    serve(
      service,
      recordsTo(6).map((one) => ({ ...one, account: 'dorsey' })),
    );
    const renamed = await mirrored(store, service.baseUrl, { maxDelete: { most: 1 } });
    expect(renamed).toMatchObject({ isComplete: true, gone: { account: ['jack'] } });
    expect(contentsOf(store).accounts.map(({ screen_name }) => screen_name)).toEqual(['dorsey']);
  });

  it('stores unusual items unchanged, rejects broken items once with the reason, and imports the rest', async () => {
    const { service, store } = await serviceOf(0);
    const link = "\n<del></del><br /><ins><a href='Https://x.example'>x</a></ins>\n";
    const odd = record(5, { data_type: 'Website', diff_html: link, text: 'Https://x.example' });
    const twins = [record(2, { account: 'twin' }), record(1, { account: 'twin' })];
    const { bio: _, ...withoutBio } = account('bare', []);
    show(service, 'data', [odd, record(4, { text: 5 }), record(3), ...twins]);
    const page = JSON.stringify(service.answers.get('/rest/data/')).replace('"text":"text 3"', '"text":"text 3","text":"other"');
    service.answers.set('/rest/data/', page);
    show(service, 'account', [
      account('twin', [twins[1] ?? {}], { account_creation_date: '2010-01-01T00:00:00Z' }),
      account('jack', [odd]),
      account('twin', [twins[0] ?? {}], { account_creation_date: '2020-01-01T00:00:00Z' }),
      withoutBio,
    ]);
    const { errors, onReject } = collected();
    expect(await mirrored(store, service.baseUrl, { onReject })).toMatchObject({ isRead: true, rejected: 4 });
    const file = `${service.baseUrl}/rest/data/`;
    expect(errors).toMatchObject([
      { code: 'bad-field', place: { file, field: 'results[1].text' }, item: { id: 4 } },
      { code: 'bad-json', place: { file, field: 'results[2].text' }, item: expect.stringContaining('"id":3') },
      {
        code: 'conflict',
        found: 'a second account twin, created 2010-01-01T00:00:00Z',
        item: { screen_name: 'twin', account_creation_date: '2010-01-01T00:00:00Z' },
      },
      { code: 'bad-field', place: { field: 'results[3].bio' }, item: { screen_name: 'bare' } },
    ]);
    const { feed, accounts } = contentsOf(store);
    expect(feed.map(({ id }) => id)).toEqual([5, 2, 1]);
    expect(feed[0]).toEqual(odd);
    expect(accounts).toMatchObject([{ screen_name: 'twin', account_creation_date: '2020-01-01T00:00:00Z' }, { screen_name: 'jack' }]);
    for (const isFull of [true, false]) {
      expect(await mirrored(store, service.baseUrl, { isFull })).toMatchObject({ isComplete: false, rejected: 0, rejectedInAll: 4 });
    }
  });

  it('rejects a known item once for each version that is invalid, and keeps what the store has', async () => {
    const { service, store } = await serviceOf(10);
    await mirrored(store, service.baseUrl);
    const { errors, onReject } = collected();
    const rejectedIn = async (text: unknown, data_page_count: unknown) => {
      const items = recordsTo(10).map((one) => (one.id === 9 ? { ...one, text } : one));
      show(service, 'data', items);
      show(service, 'account', [account('jack', items, { data_page_count })]);
      const { rejected, isRead } = await mirrored(store, service.baseUrl, { onReject, isFull: true });
      expect(isRead).toBe(true);
      return rejected;
    };
    expect(await rejectedIn(5, 1)).toBe(1);
    expect(errors).toMatchObject([{ code: 'bad-field', place: { field: 'results[1].text' }, item: { id: 9, text: 5 } }]);
    expect(contentsOf(store).feed[1]).toEqual(record(9));
    expect(await rejectedIn(5, 1)).toBe(0);
    expect(await rejectedIn(6, 1)).toBe(1);
    expect(await rejectedIn('text 9', -1)).toBe(1);
    expect(errors[2]).toMatchObject({ item: { screen_name: 'jack' } });
    expect(await rejectedIn('text 9', -1)).toBe(0);
    expect(await rejectedIn(5, 1)).toBe(0);
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

  it('keeps the renames that snapshots showed, takes corrections, and reports a new record with the former handle', async () => {
    const { service, store } = await serviceOf(2);
    await mirrored(store, service.baseUrl);
    const night = (day: number, screen_name: string) => ({ observed_at: `2026-01-0${day}T00:00:00Z`, id: '7', screen_name, bio: 'text 2' });
    await observe(store, [night(1, 'jack'), night(2, 'dorsey')]);
    const before = contentsOf(store);
    expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({
      isComplete: true,
      records: { added: 0 },
      changed: [],
    });
    expect(contentsOf(store)).toEqual(before);
    const corrected = [record(2), record(1, { text: 'corrected' })];
    serve(service, corrected);
    expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ isComplete: true, changed: [1] });
    expect(contentsOf(store).feed).toMatchObject(['dorsey', 'dorsey'].map((account) => ({ account })));
    serve(service, [record(3, { previous: 2 }), ...corrected]);
    for (const onConflict of ['replace', 'fail'] as const) {
      await expect(mirrored(store, service.baseUrl, { onConflict })).rejects.toMatchObject({
        code: 'conflict',
        expected: 'a new record of @dorsey, which was @jack until it was renamed',
        hint: expect.stringMatching(/use --on-conflict keep.*; the next run into this store reads only what is new$/),
      });
    }
    expect(await mirrored(store, service.baseUrl, { onConflict: 'keep' })).toMatchObject({ isComplete: true, records: { added: 1 } });
    expect(contentsOf(store).feed).toMatchObject(['jack', 'dorsey', 'dorsey'].map((account) => ({ account })));
  });

  it('makes the same store with several connections', async () => {
    const { service, store } = await serviceOf(100);
    await mirrored(store, service.baseUrl, { concurrency: 4 });
    expect(fingerprint(store)).toBe(await mirroredAnew(service.baseUrl));
  });
});

describe('palimpsest mirror', () => {
  const argsOf = (baseUrl: string, store: string) => ['mirror', baseUrl, '--store', store, '--delay', '0ms'];

  it('creates the folder of the store, and sends a User-Agent with the release, and with the homepage if package.json has one', async () => {
    const { service, store } = await serviceOf(5);
    const below = join(store, '../data/new/store.db');
    expect(await palimpsestJson(argsOf(service.baseUrl, below))).toMatchObject({ complete: true });
    const { version, homepage } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(service.headers['user-agent']).toBe(homepage === undefined ? `palimpsest/${version}` : `palimpsest/${version} (+${homepage})`);
    const { stdout } = await palimpsestHere([...argsOf(service.baseUrl, join(below, 'a/store.db')), '--json']);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'file-system' });
  });

  it('exits with 1 if items are missing, reports how many, and does not read all pages in every run', async () => {
    const { service, store } = await serviceOf(100);
    for (const [target, answer] of service.answers) {
      if (target.startsWith('/rest/data/')) service.answers.set(target, { ...(answer as object), count: 103 });
    }
    for (const added of [100, 0]) {
      service.asked.length = 0;
      const { code, stdout, stderr } = await palimpsestHere([...argsOf(service.baseUrl, store), '--json']);
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ complete: false, missing: { records: 3, accounts: 0 }, records_by_outcome: { added } });
      expect(stderr).toContain('3 records');
    }
    expect(service.asked).toHaveLength(4);
  });

  it('replaces changed records, deletes removed ones only with --delete, and leaves a store that passes store check', async () => {
    const { service, store } = await serviceOf(0);
    const args = argsOf(service.baseUrl, store);
    const nameOf = (id: number) => ['jack', 'biz', 'ev'][id % 3] ?? '';
    // more than two blocks of the feed
    const all = recordsTo(700).map((one) => ({ ...one, account: nameOf(one.id) }));
    serve(service, all, 100);
    expect(await palimpsestJson(args)).toMatchObject({ complete: true, records_by_outcome: { added: 700 } });
    expect(await palimpsestJson(['store', 'check', '--store', store])).toMatchObject({ records: 700, finding_count: 0 });
    const isGone = (id: number) => id === 10 || (id > 300 && id < 320) || nameOf(id) === 'ev';
    const left = all.filter(({ id }) => !isGone(id)).map((one) => (one.id === 601 ? { ...one, text: 'corrected' } : one));
    serve(service, left, 100);
    const kept = { complete: true, changed_ids: [601], deleted_from_store: { records: 0, accounts: 0 } };
    expect(await palimpsestJson([...args, '--full'])).toMatchObject(kept);
    expect(idsIn(store)).toHaveLength(700);
    const tooMany = await palimpsestHere([...args, '--full', '--delete', '--max-delete', '0', '--json']);
    expect(JSON.parse(tooMany.stdout).error).toMatchObject({ code: 'too-many-deletes' });
    const deleted = { records: 700 - left.length, accounts: 1 };
    expect(await palimpsestJson([...args, '--full', '--delete', '--max-delete', '100%'])).toMatchObject({
      complete: true,
      deleted_from_store: deleted,
    });
    expect(idsIn(store)).toEqual(left.map(({ id }) => id));
    expect(fingerprint(store)).toBe(await mirroredAnew(service.baseUrl));
    const checked = await palimpsestJson(['store', 'check', '--store', store]);
    expect(checked).toMatchObject({ records: left.length, accounts: 2, finding_count: 0 });
  });

  it.skipIf(openssl.skip)('supports TLS, and does not retry after an invalid certificate', async () => {
    const folder = temporaryFolder();
    const certificate = makeCertificate(folder);
    const { service } = await serviceOf(50);
    const server = createServer(certificate, (request, response) => {
      const answer = service.answers.get(request.url ?? '');
      const body = JSON.stringify(answer)?.replaceAll(service.baseUrl, `http://${request.headers.host}`);
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    const args = argsOf(`https://127.0.0.1:${await listen(server)}`, join(folder, 'store.db'));
    const refused = await palimpsestHere([...args, '--json']);
    expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'service-failed', found: expect.not.stringContaining('tried') });
    const trusted = await palimpsestJson(args, { env: { NODE_EXTRA_CA_CERTS: certificate.path } });
    expect(trusted).toMatchObject({ complete: true, records_by_outcome: { added: 50 } });
  });
});
