import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { COLLECTIONS } from '../../src/contract/collection.ts';
import { Failure } from '../../src/contract/failure.ts';
import { parseBaseUrl } from '../../src/contract/site.ts';
import { type RunningServer, type ServeOptions, serve } from '../../src/serve/server.ts';
import { addBrowseFiles, BROWSE_FILES } from '../conformance/browse-files.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import type { History } from '../support/histories.ts';
import { buildTree, goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { ask, parseRaw, sendRaw } from './exchange.ts';
import { malformed, requestFor, traversals } from './hostile-requests.ts';

/** The path of the tree's base URL. The server answers below it. */
const BASE = new URL(SITE.base_url).pathname;

/** A text that looks like the links of a page. It is in a record and in an account, and must stay unchanged there. */
const LOOKALIKE = `","next":"${SITE.base_url}/rest/data/?page=2","results":[`;

let home = '';
let out = '';
let plain: RunningServer;
let rebased: RunningServer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-serve-'));
  out = join(home, 'tree');
  await importHistory(join(home, 'store.db'), historyWith(LOOKALIKE));
  await buildTree(join(home, 'store.db'), out);
  // as build --compress does
  const page = join(out, 'rest/data/page/2/index.json');
  writeFileSync(`${page}.gz`, gzipSync(readFileSync(page)));
  plain = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
  rebased = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
});

afterAll(async () => {
  await Promise.all([plain.close(), rebased.close()]);
  rmSync(home, { recursive: true, force: true });
});

/** The good history with this text in the newest record and in all accounts. */
function historyWith(text: string): History {
  const { records, accounts } = goodHistory();
  const edited = records.map((record, index) => (index === 0 ? { ...record, text } : record));
  const data = (name: string) => edited.filter((record) => record.account === name);
  return { records: edited, accounts: accounts.map((account) => ({ ...account, bio: text, data: data(account.screen_name) })) };
}

/** A separate tree with a server, for a test that changes the tree. */
async function ownServer(
  options: Partial<ServeOptions> = {},
  base_url = SITE.base_url,
): Promise<{ readonly folder: string; readonly server: RunningServer }> {
  const folder = temporaryFolder();
  await importHistory(join(folder, 'store.db'), goodHistory(30));
  await buildTree(join(folder, 'store.db'), join(folder, 'out'), { ...SITE, base_url });
  const server = await serve({ out: join(folder, 'out'), host: '127.0.0.1', port: 0, rebase: false, ...options });
  onTestFinished(() => server.close());
  return { folder, server };
}

interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly { readonly id?: number; readonly screen_name?: string }[];
}

const parse = (body: Buffer): Page => JSON.parse(body.toString());
const fileOf = (path: string) => readFileSync(join(out, path));

describe.each(COLLECTIONS)('/rest/%s/', (collection) => {
  const path = `${BASE}/rest/${collection}/`;

  test.each([
    ['GET', '', 200],
    ['GET', '?page=2', 200],
    ['GET', '?page=last', 200],
    ['GET', '?page=99', 404],
    ['GET', '?page=abc', 404],
    ['GET', '?page=..%2F..%2Fbuild.json', 404],
    ['HEAD', '', 200],
    ['HEAD', '?page=2', 200],
    ['HEAD', '?page=0', 404],
    ['OPTIONS', '', 200],
    ['OPTIONS', '?page=99', 200],
    ['POST', '', 405],
    ['PUT', '', 405],
    ['PATCH', '?page=2', 405],
    ['DELETE', '?page=99', 405],
  ])('answers %s %s with %i and the headers of the API', async (method, query, status) => {
    for (const server of [plain, rebased]) {
      const { headers, ...answer } = await ask(server.url, path + query, method);
      expect(answer.status).toBe(status);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['allow']).toBe('GET, POST, OPTIONS');
      expect(headers['vary']?.split(', ')[0]).toBe('Accept');
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['cache-control']).toContain('must-revalidate');
      expect(headers['accept-ranges']).toBeUndefined();
      if (method !== 'HEAD') expect(headers['content-length']).toBe(String(answer.body.length));
    }
  });

  test.each(['', '?page=2', '?page=last', '?page=99', '?page=0_2'])('answers HEAD %s like GET, but without a body', async (query) => {
    for (const encoding of ['identity', 'gzip']) {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => ask(rebased.url, path + query, method, { 'Accept-Encoding': encoding })),
      );
      expect(head?.body.length).toBe(0);
      expect({ ...head, body: get?.body }).toEqual({ ...get, headers: { ...get?.headers, date: head?.headers.date } });
      expect(head?.headers['content-length']).toBe(String(get?.body.length));
    }
  });

  test('answers OPTIONS with a description in JSON', async () => {
    const { body } = await ask(plain.url, path, 'OPTIONS');
    const name = collection === 'data' ? 'Data List' : 'Account List';
    expect(JSON.parse(body.toString())).toEqual({ name, description: expect.any(String), renders: ['application/json'], parses: [] });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('answers %s with "not allowed"', async (method) => {
    const { status, body } = await ask(plain.url, path, method);
    expect([status, body.toString()]).toEqual([405, `{"detail":"Method \\"${method}\\" not allowed."}`]);
  });

  test('ignores the body of a request', async () => {
    const request = `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}GET ${path}?page=0 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
    const answers = (await sendRaw(plain.url, request)).toString();
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 405', 'HTTP/1.1 404']);
  });

  test('answers a request for a missing page like DRF', async () => {
    for (const query of ['?page=0', '?page=99', '?page=2.0']) {
      const { status, body, headers } = await ask(plain.url, path + query);
      expect([status, body.toString(), headers.etag]).toEqual([404, '{"detail":"Invalid page."}', undefined]);
    }
  });

  test.each(['', '?page=2', '?a=%2F&page=2&b', '?page=2?x'])(
    'redirects a request without the final slash and keeps the query %j',
    async (query) => {
      const { status, headers, body } = await ask(rebased.url, `${BASE}/rest/${collection}${query}`);
      expect([status, headers.location, body.length]).toEqual([301, `${path}${query}`, 0]);
    },
  );

  test('sends the bytes of the files if it keeps the links', async () => {
    const pages = collection === 'data' ? 9 : 3;
    for (let number = 1; number <= pages; number += 1) {
      const file = fileOf(`rest/${collection}/page/${number}/index.json`);
      expect((await ask(plain.url, `${path}?page=${number}`)).body.equals(file), `page ${number}`).toBe(true);
    }
    expect((await ask(plain.url, path)).body.equals(fileOf(`rest/${collection}/page/1/index.json`))).toBe(true);
    expect((await ask(plain.url, `${path}?page=last`)).body.equals(fileOf(`rest/${collection}/page/${pages}/index.json`))).toBe(true);
  });
});

test('the server answers 404 for the paths of files and for paths outside of the base URL', async () => {
  const files = [...filesIn(out).keys()].map((path) => `${BASE}/${path}`);
  expect(files).toContain(`${BASE}/build.json`);
  const others = ['/', '/rest/', '/rest/other/', '/rest/data/1/', '/favicon.ico', '/rest/data/page/2/'].map((path) => BASE + path);
  for (const path of [...files, ...others, '/', '/rest/data/', '/rest/account/', `${BASE}${BASE}/rest/data/`, `${BASE}.x/rest/data/`]) {
    for (const server of [plain, rebased]) {
      const { status, headers, body } = await ask(server.url, path);
      expect([path, status, headers['content-type'], body.toString()]).toEqual([path, 404, 'application/json', '{"detail":"Not found."}']);
    }
  }
});

describe('an ETag', () => {
  test.each(['', '?page=2', '?page=last'])('of %j leads to 304 without a body', async (query) => {
    const path = `${BASE}/rest/data/${query}`;
    const { headers } = await ask(plain.url, path);
    const etag = headers.etag ?? '';
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, `${etag},"other"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(plain.url, path, method, { 'If-None-Match': known });
        expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
        expect(again.headers).toMatchObject({ vary: headers.vary, allow: headers.allow, 'cache-control': headers['cache-control'] });
      }
    }
    for (const known of ['"other"', etag.slice(3, -1), `"${etag}"`, '']) {
      expect((await ask(plain.url, path, 'GET', { 'If-None-Match': known })).status, known).toBe(200);
    }
  });

  test('differs by page, by links and by encoding', async () => {
    const etags = [
      await ask(plain.url, `${BASE}/rest/data/`),
      await ask(plain.url, `${BASE}/rest/data/?page=2`),
      await ask(rebased.url, `${BASE}/rest/data/`),
      await ask(rebased.url, `${BASE}/rest/data/`, 'GET', { Host: 'other.example' }),
      await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', { 'Accept-Encoding': 'gzip' }),
    ].map(({ headers }) => headers.etag);
    expect(new Set(etags).size).toBe(etags.length);
    expect((await ask(plain.url, `${BASE}/rest/data/?page=1`)).headers.etag).toBe(etags[0]);
    expect((await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', { 'If-None-Match': etags[4] ?? '' })).status).toBe(200);
  });

  test('of a page with changed links changes with its bytes, even if size and time of the file stay the same', async () => {
    const { folder, server } = await ownServer({ rebase: true });
    const file = join(folder, 'out/rest/data/page/2/index.json');
    const long = new Date('2020-01-01T00:00:00Z');
    utimesSync(file, long, long);
    const { headers } = await ask(server.url, `${BASE}/rest/data/?page=2`);
    const [before, { size }] = [readFileSync(file, 'utf8'), statSync(file)];
    const after = before.replace('"count":30', '"count":31');
    writeFileSync(file, after);
    utimesSync(file, long, long);
    expect([statSync(file).size, statSync(file).mtimeMs]).toEqual([size, long.getTime()]);
    const again = await ask(server.url, `${BASE}/rest/data/?page=2`, 'GET', { 'If-None-Match': headers.etag ?? '' });
    expect([again.status, parse(again.body).count]).toEqual([200, 31]);
    expect(again.headers.etag).not.toBe(headers.etag);
    expect((await ask(server.url, `${BASE}/rest/data/?page=2`, 'GET', { 'If-None-Match': again.headers.etag ?? '' })).status).toBe(304);
  });
});

describe('gzip compression', () => {
  test.each([
    'gzip',
    'GZIP',
    'gzip, deflate, br',
    'deflate,gzip',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    'gzip;q=0.001',
    'gzip; q=1',
    'gzip ; q=0.5',
  ])('is used for Accept-Encoding %j', async (accepted) => {
    const [packed, unpacked] = [
      await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', { 'Accept-Encoding': accepted }),
      await ask(plain.url, `${BASE}/rest/data/?page=2`),
    ];
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(gunzipSync(packed.body).equals(unpacked.body)).toBe(true);
    expect(unpacked.headers.vary).toBe('Accept, Accept-Encoding');
    const again = await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', {
      'Accept-Encoding': accepted,
      'If-None-Match': packed.headers.etag ?? '',
    });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test.each([
    '',
    'identity',
    'br',
    'deflate',
    'gzip;q=0',
    'gzip; q=0',
    'gzip;q=0.0',
    'gzip;q=0.000',
    'gzip;q=0, identity',
    'gzipped',
    'x-gzip-2',
    'gzi p',
  ])('is not used for Accept-Encoding %j', async (accepted) => {
    const { headers, body } = await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.equals(fileOf('rest/data/page/2/index.json'))).toBe(true);
  });

  test('is not used for responses other than pages', async () => {
    for (const [method, path] of [
      ['GET', '/rest/data/?page=99'],
      ['OPTIONS', '/rest/data/'],
      ['POST', '/rest/data/'],
      ['GET', '/'],
    ] as const) {
      const { headers, body } = await ask(plain.url, path, method, { 'Accept-Encoding': 'gzip' });
      expect(headers['content-encoding']).toBeUndefined();
      expect(() => JSON.parse(body.toString())).not.toThrow();
    }
  });
});

describe('links in pages', () => {
  async function walk(start: string, link: 'next' | 'previous'): Promise<{ readonly urls: string[]; readonly pages: Page[] }> {
    const [urls, pages]: [string[], Page[]] = [[], []];
    for (let url: string | null = start; url !== null && urls.length < 20; url = pages.at(-1)?.[link] ?? null) {
      const { origin, pathname, search } = new URL(url);
      urls.push(url);
      pages.push(parse((await ask(origin, pathname + search)).body));
    }
    return { urls, pages };
  }

  test.each([
    ['data', 9, 60],
    ['account', 3, 8],
  ] as const)('lead through the whole collection %s on this server, forward and back', async (collection, count, items) => {
    const start = `${rebased.url}/rest/${collection}/`;
    const there = await walk(start, 'next');
    expect(there.urls).toEqual([start, ...Array.from({ length: count - 1 }, (_, index) => `${start}?page=${index + 2}`)]);
    const found = there.pages.flatMap((page) => page.results.map((item) => item.id ?? item.screen_name));
    expect(found.length).toBe(items);
    expect(new Set(found).size).toBe(items);
    if (collection === 'data') expect(found).toEqual(goodHistory().records.map((record) => record.id));
    const back = await walk(`${start}?page=last`, 'previous');
    expect(back.pages).toEqual(there.pages.toReversed());
  });

  test('are the only part of a page that changes', async () => {
    for (const [collection, pages] of [
      ['data', 9],
      ['account', 3],
    ] as const) {
      for (let number = 1; number <= pages; number += 1) {
        const file = fileOf(`rest/${collection}/page/${number}/index.json`).toString();
        const { body } = await ask(rebased.url, `${BASE}/rest/${collection}/?page=${number}`);
        const end = file.indexOf(',"results":[');
        expect(body.toString()).toBe(file.slice(0, end).replaceAll(`"${SITE.base_url}/rest/`, `"${rebased.url}/rest/`) + file.slice(end));
      }
    }
    // the text that looks like a link was really in the page
    expect((await ask(rebased.url, `${BASE}/rest/data/`)).body.toString()).toContain(JSON.stringify(LOOKALIKE));
  });

  test('point to the host of the request', async () => {
    for (const host of ['localhost:8080', 'history.test', '[::1]:80', '192.0.2.1']) {
      const { next, previous } = parse((await ask(rebased.url, `${BASE}/rest/data/?page=3`, 'GET', { Host: host })).body);
      expect([next, previous]).toEqual([`http://${host}${BASE}/rest/data/?page=4`, `http://${host}${BASE}/rest/data/?page=2`]);
    }
  });

  test.each([
    'a"b',
    'a\\b',
    'a"],"x":["',
    'evil.example/x',
    'a b',
    '<b>',
    "$&$'$`",
    '',
    'é',
    'a,b',
    'user@evil.example',
    'a?b',
    'a#b',
    '\u0080',
  ])('stay unchanged if the Host header is %j', async (host) => {
    const request = Buffer.from(`GET ${BASE}/rest/data/?page=3 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1');
    const { status, body } = parseRaw(await sendRaw(rebased.url, request));
    expect([status, body.toString()]).toEqual([200, fileOf('rest/data/page/3/index.json').toString()]);
  });

  test('stay unchanged without a Host header', async () => {
    const { status, body } = parseRaw(await sendRaw(rebased.url, `GET ${BASE}/rest/data/?page=3 HTTP/1.0\r\n\r\n`));
    expect([status, body.toString()]).toEqual([200, fileOf('rest/data/page/3/index.json').toString()]);
  });

  test.each([
    'http://a.example',
    'https://a.example:8443/deep/er/path',
    'https://a.example/api/v1.0',
    'https://a.example/$&/"x"',
    'https://a.example/é',
    'https://a.example/my%20api',
  ])('of a tree for %s point to this server, and unchanged links have a path that it serves', async (given) => {
    const base_url = parseBaseUrl(given);
    const { server } = await ownServer({ rebase: true }, base_url);
    const { origin, pathname } = new URL(server.url);
    expect(`${origin}${new URL(base_url).pathname}`.replace(/\/$/, '')).toBe(server.url);
    const base = pathname.replace(/\/$/, '');
    const { next, previous } = parse((await ask(origin, `${base}/rest/data/?page=3`)).body);
    expect([next, previous]).toEqual([`${server.url}/rest/data/?page=4`, `${server.url}/rest/data/?page=2`]);
    const { status, headers } = await ask(origin, `${base}/rest/data?page=2`);
    expect([status, headers.location]).toEqual([301, `${base}/rest/data/?page=2`]);

    const asBuilt = (await ownServer({ rebase: false }, base_url)).server;
    const start = new URL(`${asBuilt.url}/rest/data/`);
    const link = parse((await ask(asBuilt.url, start.pathname)).body).next ?? '';
    expect(link).toBe(`${base_url}/rest/data/?page=2`);
    const followed = await ask(asBuilt.url, link.slice(new URL(base_url).origin.length));
    expect([followed.status, parse(followed.body).previous]).toEqual([200, `${base_url}/rest/data/`]);
  });
});

describe('a hostile request', () => {
  const SECRET = 'this is beside the tree';

  test('gets nothing from outside the tree, and the server continues', async () => {
    // the tree is at the root of its host, so that these requests can reach a page
    const { folder, server } = await ownServer({}, 'https://history.example');
    writeFileSync(join(folder, 'secret.txt'), SECRET);
    mkdirSync(join(folder, 'rest'), { recursive: true });
    writeFileSync(join(folder, 'rest/secret.txt'), SECRET);
    writeFileSync(join(folder, 'out/.env'), SECRET);
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));

    const known = new Set([...filesIn(join(folder, 'out/rest')).values()].map((bytes) => bytes.toString('latin1')));
    for (const collection of COLLECTIONS) known.add((await ask(server.url, `/rest/${collection}/`, 'OPTIONS')).body.toString('latin1'));
    known.add(''); // HEAD

    const requests = [...traversals('secret.txt').map(requestFor), ...malformed().map((text) => Buffer.from(text, 'latin1'))];
    expect(requests.length).toBeGreaterThan(1000);
    const statuses = new Map<number, number>();
    await forEachLimit(requests, 50, async (request) => {
      const answer = await sendRaw(server.url, request, 5_000);
      const { status, body } = parseRaw(answer);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const shown = request.toString('latin1').slice(0, 200);
      expect(answer.includes(SECRET), shown).toBe(false);
      // the path of the tree must not be disclosed either
      expect(answer.includes(folder), shown).toBe(false);
      expect([0, 100, 200, 206, 301, 400, 404, 405, 416, 417, 431], shown).toContain(status);
      // if there are two responses on one connection, only the line above checks them
      if (status === 200 && !body.includes('HTTP/1.1')) expect(known.has(body.toString('latin1')), shown).toBe(true);
    });
    // most requests were parsed and then refused
    expect(statuses.get(404)).toBeGreaterThan(500);
    expect(statuses.get(400)).toBeGreaterThan(50);
    expect(unhandled).toEqual([]);
    const { status, body } = await ask(server.url, '/rest/data/');
    expect([status, body.equals(readFileSync(join(folder, 'out/rest/data/index.json')))]).toEqual([200, true]);
  });

  test('gets 404 for a page number that is too long for a file name', async () => {
    const { status, body } = await ask(plain.url, `${BASE}/rest/data/page/${'9'.repeat(300)}/index.json`);
    expect(body.toString()).not.toContain(home);
    expect(status).toBe(404);
  });

  test('cannot inject a header into a redirect', async () => {
    for (const query of ['?%0d%0aX-Evil: 1', '?%0D%0ASet-Cookie:x', '?\u010d\u010aX-Evil:1']) {
      const answer = (
        await sendRaw(plain.url, Buffer.from(`GET ${BASE}/rest/data${query} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`))
      ).toString();
      expect(answer.split('\r\n').filter((line) => /^(X-Evil|Set-Cookie)/i.test(line))).toEqual([]);
    }
  });

  async function forEachLimit<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
    const queue = [...items];
    const worker = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    };
    await Promise.all(Array.from({ length: width }, worker));
  }
});

describe('a server whose tree changes', () => {
  test('serves a rebuilt tree at once', async () => {
    const { folder, server } = await ownServer({ rebase: true });
    const before = parse((await ask(server.url, `${BASE}/rest/data/`)).body);
    expect([before.count, before.next]).toEqual([30, `${server.url}/rest/data/?page=2`]);
    expect((await ask(server.url, `${BASE}/rest/data/?page=6`)).status).toBe(404);

    await importHistory(join(folder, 'store.db'), goodHistory(60));
    await buildTree(join(folder, 'store.db'), join(folder, 'out'), { ...SITE, base_url: 'https://moved.example' });
    const { origin } = new URL(server.url);
    const after = parse((await ask(origin, '/rest/data/')).body);
    expect([after.count, after.next]).toEqual([60, `${origin}/rest/data/?page=2`]);
    expect(after.results[0]?.id).toBe(goodHistory(60).records[0]?.id);
    expect((await ask(server.url, '/rest/data/?page=6')).status).toBe(200);
    expect(parse((await ask(server.url, '/rest/data/?page=last')).body).next).toBeNull();
  });

  test('answers 404 for a missing page', async () => {
    const { folder, server } = await ownServer();
    rmSync(join(folder, 'out/rest/data/page/2'), { recursive: true });
    const { status, body } = await ask(server.url, `${BASE}/rest/data/?page=2`);
    expect([status, body.toString()]).toEqual([404, '{"detail":"Invalid page."}']);
    expect((await ask(server.url, `${BASE}/rest/data/?page=3`)).status).toBe(200);
  });
});

describe('serve fails', () => {
  const options = (folder: string): ServeOptions => ({ out: folder, host: '127.0.0.1', port: 0, rebase: true });

  async function failure(attempt: Promise<RunningServer>): Promise<Failure> {
    const error: unknown = await attempt.then(
      (server) => server.close(),
      (cause: unknown) => cause,
    );
    if (!(error instanceof Failure)) throw new Error('no Failure', { cause: error });
    return error;
  }

  test('with no-tree if there is no tree', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/build.json'), '{"name":"another program"}');
    for (const place of [folder, join(folder, 'nowhere'), join(folder, 'file'), join(folder, 'other')]) {
      expect(await failure(serve(options(place)))).toMatchObject({ code: 'no-tree', place: { file: place } });
    }
  });

  test('with tree-unfinished if the tree is unfinished', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'build.json'), '{"palimpsest":"0.1.0","state":"unfinished"}');
    expect(await failure(serve(options(folder)))).toMatchObject({ code: 'tree-unfinished', place: { file: folder } });
  });

  test('with port-taken if the port is in use', async () => {
    const port = Number(new URL(plain.url).port);
    const error = await failure(serve({ ...options(out), port }));
    expect(error).toMatchObject({ code: 'port-taken', found: 'another program on this port' });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect((await ask(plain.url, `${BASE}/rest/data/`)).status).toBe(200);
  });

  test('with port-taken if this machine does not have the address', async () => {
    expect(await failure(serve({ ...options(out), host: '192.0.2.1' }))).toMatchObject({ code: 'port-taken' });
  });
});

test('a closed server releases its port although clients keep connections open', async () => {
  const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
  const hanging = ['GET /rest/data/ HTTP/1.1\r\nHost: h\r\n\r\n', 'GET /rest/data/ HTTP/1.1\r\nHost: h\r\n'].map((part) =>
    sendRaw(server.url, part),
  );
  await ask(server.url, `${BASE}/rest/data/`);
  await server.close();
  await Promise.all(hanging);
  await expect(ask(server.url, `${BASE}/rest/data/`)).rejects.toThrow('ECONNREFUSED');
  const next = createServer();
  await new Promise<void>((done) => next.listen(Number(new URL(server.url).port), '127.0.0.1', done));
  next.close();
});

test('a running server returns its address and the build record of the tree', async () => {
  expect(plain.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
  expect(plain.build).toMatchObject({ records: 60, accounts: 8, base_url: SITE.base_url });
});

describe('a tree with browse files', () => {
  test('has Atom feeds whose links point to this server, but not their ids and the links to snapshots', async () => {
    const base_url = 'https://a.example/api/$&';
    const { folder, server } = await ownServer({ rebase: true }, base_url);
    const base = 'https://a.example/api/$&amp;';
    addBrowseFiles(join(folder, 'out'));
    const feed = (links: string) => `<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/browse/changes.atom</id>
<link rel="self" href="${links}/browse/changes.atom"/>
<link rel="prev-archive" href="${links}/browse/changes/archive-2.atom"/>
<entry><id>${base}/rest/data/#5</id><link href="${links}/browse/account/3f/nina_k.html#r5"/><link rel="via" href="${base}/5"/><content>é &lt;link href="${base}/"</content></entry>
<entry><id>${base}/rest/data/#4</id><link href="${base}.example/4"/></entry>
</feed>
`;
    const file = join(folder, 'out/browse/changes.atom');
    writeFileSync(file, feed(base));
    const [{ origin, pathname }, kept] = [new URL(server.url), await ownServer({ rebase: false }, base_url)];
    const answer = await ask(origin, `${pathname}/browse/changes.atom`);
    expect(answer.body.toString()).toBe(feed(server.url.replace('&', '&amp;')));
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    const known = { 'If-None-Match': answer.headers.etag ?? '' };
    expect((await ask(origin, `${pathname}/browse/changes.atom`, 'GET', known)).status).toBe(304);
    expect((await ask(origin, `${pathname}/browse/changes.atom`, 'GET', { ...known, Host: 'other.example' })).status).toBe(200);
    addBrowseFiles(join(kept.folder, 'out'));
    writeFileSync(join(kept.folder, 'out/browse/changes.atom'), feed(base));
    expect((await ask(new URL(kept.server.url).origin, `${pathname}/browse/changes.atom`)).body.toString()).toBe(feed(base));
  });

  test('has a home page, browse files with their types, and JSON pages for browsers too', async () => {
    const { folder, server } = await ownServer({ rebase: true });
    const accept = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    expect((await ask(server.url, `${BASE}/`, 'GET', accept)).status).toBe(404);
    // a build with --html while the server runs
    addBrowseFiles(join(folder, 'out'));
    for (const [path, text] of [['', BROWSE_FILES.get('index.html')], ...BROWSE_FILES]) {
      const { status, headers, body } = await ask(server.url, `${BASE}/${path}`, 'GET', { 'Accept-Encoding': 'gzip' });
      expect([path, status, body.toString()]).toEqual([path, 200, text]);
      expect(headers.etag).toMatch(/^(?:W\/)?"[^"]+"$/);
    }
    const page = await ask(server.url, `${BASE}/rest/data/?page=2`, 'GET', accept);
    expect([page.headers['content-type'], JSON.parse(page.body.toString()).next]).toEqual([
      'application/json',
      `${server.url}/rest/data/?page=3`,
    ]);
    for (const path of ['/build.json', '/browse/.hidden.html', '/browse/notes.txt', '/browse/none.html'])
      expect((await ask(server.url, BASE + path, 'GET', accept)).status, path).toBe(404);
  });
});
