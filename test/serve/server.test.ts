import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseBaseUrl } from '../../src/contract/base-url.ts';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { type RunningServer, type ServeOptions, serve } from '../../src/serve/server.ts';
import { forEachLimit } from '../../src/storage/concurrency-limit.ts';
import { addBrowseFiles, BROWSE_FILES } from '../conformance/browse-files.ts';
import type { Trial } from '../conformance/probe.ts';
import { CORE, PROBES } from '../conformance/probes/all.ts';
import { PublishedSite } from '../conformance/published-site.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import type { History } from '../support/histories.ts';
import { buildTree, goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { folderOfFile } from '../whole/stores.ts';
import { ask, parseRaw, sendRaw } from './exchange.ts';
import { malformed, request, traversals, UNFINISHED } from './hostile-requests.ts';

/** The path of the tree's base URL. The server answers below it. */
const BASE = new URL(SITE.base_url).pathname;

/** A text that looks like the links of a page. It is in a record and in an account, and must stay unchanged there. */
const LOOKALIKE = `","next":"${SITE.base_url}/rest/data/?page=2","results":[`;

const home = folderOfFile();
const out = join(home, 'tree');
let plain: RunningServer;
let rebased: RunningServer;

beforeAll(async () => {
  await importHistory(join(home, 'store.db'), historyWith(LOOKALIKE));
  await buildTree(join(home, 'store.db'), out);
  // as build --compress does
  const page = join(out, 'rest/data/page/2/index.json');
  writeFileSync(`${page}.gz`, gzipSync(readFileSync(page)));
  plain = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
  rebased = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
});

afterAll(() => Promise.all([plain.close(), rebased.close()]));

/** The good history with this text in the newest record and in all accounts. */
function historyWith(text: string): History {
  const { records, accounts } = goodHistory();
  const edited = records.map((record, index) => (index === 0 ? { ...record, text } : record));
  const data = (name: string) => edited.filter((record) => record.account === name);
  return { records: edited, accounts: accounts.map((account) => ({ ...account, bio: text, data: data(account.screen_name) })) };
}

/** A separate tree with a server, for a test that changes the tree or needs another base URL. */
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
}

const parse = (body: Buffer): Page => JSON.parse(body.toString());
const fileOf = (path: string) => readFileSync(join(out, path));

describe('without rebased links, the server answers as every host must, and can do what a host can', () => {
  let trial: Trial;
  beforeAll(async () => {
    const site = await PublishedSite.build(join(home, 'site'), BASE, true);
    const server = await serve({ out: site.tree, host: '127.0.0.1', port: 0, rebase: false });
    const askServer: Trial['ask'] = (...asked) => ask(new URL(server.url).origin, ...asked);
    trial = { site, ask: askServer, stop: () => server.close(), servesBrowse: true, sendsNotFoundPage: true };
    return trial.stop;
  });

  // Node.js refuses unknown methods, and an ETag is of the time of a file
  const { 'unknown-methods': _unknown, 'content-etag': _content, ...probes } = PROBES;
  test.each(Object.entries({ ...CORE, ...probes }))('%s', async (_, probe) => expect(await probe(trial)).toEqual([]));
});

test.each(['data/', 'data/?page=2', 'account', 'data/?page=0'])(
  'a request in absolute form has the answer of its path: %s',
  async (path) => {
    for (const { url } of [plain, rebased]) {
      const { status, headers, body } = await ask(url, `${BASE}/rest/${path}`);
      const absolute = await ask(url, `http://history.example${BASE}/rest/${path}`);
      expect([absolute.status, absolute.headers.location, absolute.body]).toEqual([status, headers.location, body]);
    }
  },
);

test('a server ignores the body of a request', async () => {
  const post = `POST ${BASE}/rest/data/ HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`;
  const answers = (await sendRaw(plain.url, post + request(`${BASE}/rest/data/?page=0`))).toString();
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 405', 'HTTP/1.1 404']);
});

test('a page that is missing or cannot be read is answered with 503, and named in the log', async () => {
  for (const rebase of [false, true]) {
    const problems: string[] = [];
    const { folder, server } = await ownServer({ rebase, onProblem: (problem) => problems.push(problem) });
    const [second, third] = [2, 3].map((page) => join(folder, `out/rest/data/page/${page}/index.json`)) as [string, string];
    for (const file of [second, third]) rmSync(file);
    mkdirSync(third);
    for (const query of ['?page=2', '?page=3']) {
      const { status, headers, body } = await ask(server.url, `${BASE}/rest/data/${query}`);
      expect([status, headers['content-type'], JSON.parse(body.toString())]).toEqual([
        503,
        'application/json',
        { detail: 'This page is temporarily unavailable.' },
      ]);
    }
    expect((await ask(server.url, `${BASE}/rest/data/?page=99`)).status).toBe(404);
    expect(problems).toEqual([
      expect.stringContaining('page/2/index.json: Error: the file is missing'),
      expect.stringContaining('page/3/index.json: '),
    ]);
  }
});

test.each([
  ['GZIP', 'gzip'],
  ['deflate,gzip', 'gzip'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
  ['br', undefined],
  ['gzipped', undefined],
])('a page with only a gzip copy is sent for Accept-Encoding %j with Content-Encoding %s', async (accepted, encoding) => {
  const { headers, body } = await ask(plain.url, `${BASE}/rest/data/?page=2`, 'GET', { 'Accept-Encoding': accepted });
  expect(headers['content-encoding']).toBe(encoding);
  expect((encoding === undefined ? body : gunzipSync(body)).equals(fileOf('rest/data/page/2/index.json'))).toBe(true);
});

describe('links in pages', () => {
  test('are the only part of a page that changes', async () => {
    for (const [collection, pages] of [
      ['data', 9],
      ['account', 3],
    ] as const) {
      for (let number = 1; number <= pages; number += 1) {
        const file = fileOf(`rest/${collection}/page/${number}/index.json`).toString();
        const { body } = await ask(rebased.url, `${BASE}/rest/${collection}/?page=${number}`);
        const end = file.indexOf(',"results":[');
        const links = file.slice(0, end).replaceAll(`"${SITE.base_url}/rest/`, `"${rebased.url}/rest/`);
        expect(links).toContain(rebased.url);
        expect(body.toString()).toBe(links + file.slice(end));
      }
    }
    // the text that looks like a link was really in the page
    expect((await ask(rebased.url, `${BASE}/rest/data/`)).body.toString()).toContain(JSON.stringify(LOOKALIKE));
  });

  test('point to the host of the request', async () => {
    for (const host of ['localhost:8080', '[::1]:80']) {
      const { next, previous } = parse((await ask(rebased.url, `${BASE}/rest/data/?page=3`, 'GET', { Host: host })).body);
      expect([next, previous]).toEqual([`http://${host}${BASE}/rest/data/?page=4`, `http://${host}${BASE}/rest/data/?page=2`]);
    }
  });

  test('stay unchanged without a usable Host header', async () => {
    const target = `${BASE}/rest/data/?page=3`;
    const hosts = ['a"b', 'a\\b', 'evil.example/x', 'a b', '<b>', "$&$'$`", '', 'é', 'user@evil.example', 'a?b', '\u0080'];
    for (const sent of [
      ...hosts.map((host) => request(target).replace('Host: h', () => `Host: ${host}`)),
      `GET ${target} HTTP/1.0\r\n\r\n`,
    ]) {
      const { status, body } = parseRaw(await sendRaw(rebased.url, sent));
      expect([status, body.toString()], sent).toEqual([200, fileOf('rest/data/page/3/index.json').toString()]);
    }
  });

  test.each(['http://a.example', 'https://a.example:8443/$&/"x"', 'https://a.example/my%20é'])(
    'of a tree for %s point to this server, or are as built, and both lead to pages',
    async (given) => {
      const base_url = parseBaseUrl(given);
      const { pathname } = new URL(`${base_url}/`);
      for (const rebase of [true, false]) {
        const { server } = await ownServer({ rebase }, base_url);
        const { origin } = new URL(server.url);
        expect(server.url).toBe((origin + pathname).replace(/\/$/, ''));
        const first = rebase ? server.url : base_url;
        const { next } = parse((await ask(origin, `${pathname}rest/data/`)).body);
        expect(next).toBe(`${first}/rest/data/?page=2`);
        const followed = await ask(origin, `${pathname}rest/data/?page=2`);
        expect([followed.status, parse(followed.body).previous]).toEqual([200, `${first}/rest/data/`]);
      }
    },
  );
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

    const whole = [...traversals(['/', '/rest/data/', '/rest/data/page/'], 'secret.txt').map((target) => request(target)), ...malformed()];
    const statuses = new Map<number, number>();
    await forEachLimit([...whole, ...UNFINISHED], 50, async (sent) => {
      const answer = await sendRaw(server.url, sent, UNFINISHED.includes(sent));
      const { status, body } = parseRaw(answer);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const shown = sent.slice(0, 200);
      expect(answer.includes(SECRET), shown).toBe(false);
      // the path of the tree must not be disclosed either
      expect(answer.includes(folder), shown).toBe(false);
      expect([0, 100, 200, 206, 301, 400, 404, 405, 416, 417, 431], shown).toContain(status);
      // if there are two responses on one connection, only the line above checks them
      if (status === 200 && !body.includes('HTTP/1.1')) expect(known.has(body.toString('latin1')), shown).toBe(true);
    });
    // most requests were parsed and then refused
    expect(statuses.get(404)).toBeGreaterThan(100);
    expect(statuses.get(400)).toBeGreaterThan(20);
    expect(unhandled).toEqual([]);
    const { status, body } = await ask(server.url, '/rest/data/');
    expect([status, body.equals(readFileSync(join(folder, 'out/rest/data/index.json')))]).toEqual([200, true]);
  });

  test.each([false, true])('gets nothing through a symbolic link out of the tree (rebase: %s)', async (rebase) => {
    const { folder, server } = await ownServer({ rebase });
    const secret = join(folder, 'secret');
    writeFileSync(secret, SECRET);
    const page = (number: number) => join(folder, `out/rest/data/page/${number}/index.json`);
    rmSync(page(2));
    symlinkSync(secret, page(2));
    for (const ending of ['gz', 'br']) symlinkSync(secret, `${page(3)}.${ending}`);
    rmSync(page(4));
    symlinkSync(page(5), page(4));
    const found: number[] = [];
    for (const number of [2, 3, 4]) {
      const { status, body } = await ask(server.url, `${BASE}/rest/data/?page=${number}`, 'GET', { 'Accept-Encoding': 'gzip, br' });
      expect(body.includes(SECRET)).toBe(false);
      found.push(status);
    }
    expect(found).toEqual([503, 200, 200]);
  });

  test('is handled when the client has read the response before it, so that unread responses are not in memory', async () => {
    const { folder, server } = await ownServer({ rebase: true });
    const page = (content: string) => writeFileSync(join(folder, 'out/rest/data/index.json'), `{"count":0,"results":["${content}"]}`);
    // more than the buffers of a connection hold
    page('x'.repeat(1 << 24));
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`GET ${BASE}/rest/data/ HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(3));
    socket.pause();
    await wait(1000);
    page('changed');
    let text = '';
    for await (const chunk of socket) {
      text = text.slice(-100_000) + chunk;
      if (text.split('changed').length === 3) socket.end();
    }
    expect(text.split('changed')).toHaveLength(3);
  });

  test('cannot inject a header into a redirect', async () => {
    for (const query of ['?%0d%0aX-Evil: 1', '?%0D%0ASet-Cookie:x', '?\u010d\u010aX-Evil:1']) {
      // as UTF-8: a server that writes the last byte of each character would write a line break
      const answer = (await sendRaw(plain.url, Buffer.from(request(`${BASE}/rest/data${query}`)).toString('latin1'))).toString();
      expect(answer.split('\r\n').filter((line) => /^(X-Evil|Set-Cookie)/i.test(line))).toEqual([]);
    }
  });
});

test('a client gets its answers if it closes its side of the connection after the requests', async () => {
  const answers = await sendRaw(plain.url, `GET ${BASE}/rest/data/ HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(2), true);
  expect(answers.toString().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});

test('a server serves a rebuilt tree at once', async () => {
  const { folder, server } = await ownServer({ rebase: true });
  const before = parse((await ask(server.url, `${BASE}/rest/data/`)).body);
  expect([before.count, before.next]).toEqual([30, `${server.url}/rest/data/?page=2`]);
  expect((await ask(server.url, `${BASE}/rest/data/?page=6`)).status).toBe(404);
  await importHistory(join(folder, 'store.db'), goodHistory(60));
  await buildTree(join(folder, 'store.db'), join(folder, 'out'), { ...SITE, base_url: 'https://moved.example' });
  const { origin } = new URL(server.url);
  const after = parse((await ask(origin, '/rest/data/')).body);
  expect([after.count, after.next]).toEqual([60, `${origin}/rest/data/?page=2`]);
  expect((await ask(server.url, '/rest/data/?page=6')).status).toBe(200);
});

describe('serve fails', () => {
  const start = (folder: string, options: Partial<ServeOptions> = {}) =>
    serve({ out: folder, host: '127.0.0.1', port: 0, rebase: true, ...options });

  test('with no-tree or tree-unfinished if there is no whole tree', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    for (const [name, record] of [
      ['other', '{"name":"another program"}'],
      ['unfinished', '{"palimpsest":"0.1.0","state":"unfinished"}'],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'build.json'), record);
    }
    for (const name of ['', 'nowhere', 'none.zip', 'file', 'other', 'unfinished']) {
      const code = name === 'unfinished' ? 'tree-unfinished' : 'no-tree';
      await expect(start(join(folder, name)), name).rejects.toMatchObject({ code, place: { file: join(folder, name) } });
    }
  });

  test('with port-taken if the port is in use, or the address is of another machine', async () => {
    const port = Number(new URL(plain.url).port);
    const message = expect.stringContaining(`127.0.0.1:${port}`);
    await expect(start(out, { port })).rejects.toMatchObject({ code: 'port-taken', found: 'another program on this port', message });
    await expect(start(out, { host: '192.0.2.1' })).rejects.toMatchObject({ code: 'port-taken' });
    expect((await ask(plain.url, `${BASE}/rest/data/`)).status).toBe(200);
  });
});

test('a closed server releases its port although clients keep connections open', async () => {
  const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
  const hanging = ['GET /rest/data/ HTTP/1.1\r\nHost: h\r\n\r\n', ...UNFINISHED].map((part) => sendRaw(server.url, part));
  await ask(server.url, `${BASE}/rest/data/`);
  await server.close();
  await Promise.all(hanging);
  await expect(ask(server.url, `${BASE}/rest/data/`)).rejects.toThrow('ECONNREFUSED');
  const next = createServer();
  await new Promise<void>((done) => next.listen(Number(new URL(server.url).port), '127.0.0.1', done));
  next.close();
});

describe('a tree with browse files', () => {
  test('has Atom feeds whose links point to this server, but not their ids and the links to snapshots', async () => {
    const base_url = 'https://a.example/api/$&';
    const { folder, server } = await ownServer({ rebase: true }, base_url);
    const base = 'https://a.example/api/$&amp;';
    addBrowseFiles(join(folder, 'out'));
    const feed = (links: string) => `<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base}/browse/changes.atom</id>
<link rel="prev-archive" href="${links}/browse/changes/2.atom"/>
<entry><id>${base}/rest/data/#5</id><link href="${links}/browse/account/3f/nina_k.html#r5"/><link rel="via" href="${base}/5"/><content>é &lt;link href="${base}/"</content></entry>
<entry><id>${base}/rest/data/#4</id><link href="${base}.example/4"/></entry>
</feed>
`;
    writeFileSync(join(folder, 'out/browse/changes.atom'), feed(base));
    const { origin, pathname } = new URL(server.url);
    const answer = await ask(origin, `${pathname}/browse/changes.atom`);
    expect(answer.body.toString()).toBe(feed(server.url.replace('&', '&amp;')));
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    const known = { 'If-None-Match': answer.headers.etag ?? '' };
    expect((await ask(origin, `${pathname}/browse/changes.atom`, 'GET', known)).status).toBe(304);
    expect((await ask(origin, `${pathname}/browse/changes.atom`, 'GET', { ...known, Host: 'other.example' })).status).toBe(200);
  });

  test('has a home page as soon as a build adds one', async () => {
    const { folder, server } = await ownServer({ rebase: true });
    const accept = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    expect((await ask(server.url, `${BASE}/`, 'GET', accept)).status).toBe(404);
    // a build with --html while the server runs
    addBrowseFiles(join(folder, 'out'));
    const home = await ask(server.url, `${BASE}/`, 'GET', accept);
    expect([home.status, home.body.toString()]).toEqual([200, BROWSE_FILES.get('index.html')]);
    const absent = await ask(server.url, `${BASE}/browse/none.html`, 'GET', { 'If-None-Match': '*' });
    expect([absent.status, absent.body.toString()]).toEqual([404, BROWSE_FILES.get('browse/404.html')]);
    rmSync(join(folder, 'out/browse/404.html'));
    expect((await ask(server.url, `${BASE}/browse/none.html`)).body.toString()).toBe('{"detail":"Not found."}');
  });
});
