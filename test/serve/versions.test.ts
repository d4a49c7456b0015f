import { cpSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningServer, type ServeOptions, serve } from '../../src/serve/server.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';
import { publishVersion, siteOfFile, zipTree } from '../support/versions.ts';
import { SITE } from '../verify/good-tree.ts';
import { ask } from './exchange.ts';

const BASE = new URL(SITE.base_url).pathname;

const { folder, trees, target } = siteOfFile();
const zip = join(folder, 'history.zip');
beforeAll(() => zipTree(trees[1], zip));

async function start(out: string, options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: false, ...options });
  onTestFinished(() => server.close());
  return server;
}

const fileOf = (tree: string, path: string) => readFileSync(join(tree, path));

describe.each([
  ['a ZIP', zip, '1'],
  ['a folder with versions', target, '2'],
])('%s', (_, out, version) => {
  it('is served like the tree in a folder', async () => {
    const server = await start(out);
    expect(server.build).toMatchObject({ base_url: SITE.base_url, records: 60 });
    for (const [address, path] of [
      ['/rest/data/?page=2', 'rest/data/page/2/index.json'],
      ['/', 'index.html'],
    ] as const) {
      const get = (headers = {}, method = 'GET') => ask(server.url, BASE + address, method, headers);
      const [plain, packed] = [await get(), await get({ 'Accept-Encoding': 'gzip' })];
      const { status, headers, body } = plain;
      expect([status, body.toString(), headers['palimpsest-version']]).toEqual([200, fileOf(trees[1], path).toString(), version]);
      expect(gunzipSync(packed.body)).toEqual(body);
      const again = await get({ 'If-None-Match': headers.etag ?? '' });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      const head = await get({}, 'HEAD');
      expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(body.length), 0]);
    }
    const absent = await ask(server.url, `${BASE}/browse/none.html`);
    expect([absent.status, absent.body.toString()]).toEqual([404, fileOf(trees[1], 'browse/404.html').toString()]);
    for (const path of ['/build.json', '/head.json', '/rest/data/?page=99']) expect((await ask(server.url, BASE + path)).status).toBe(404);
  });

  it('has links that point to the server', async () => {
    const server = await start(out, { rebase: true });
    const { origin } = new URL(server.url);
    const page = JSON.parse((await ask(origin, `${BASE}/rest/data/?page=2`)).body.toString());
    expect([page.next, page.previous]).toEqual([`${server.url}/rest/data/?page=3`, `${server.url}/rest/data/`]);
    const past = JSON.parse((await ask(origin, `${BASE}/rest/data/?page=2&as_of=${version}`)).body.toString());
    expect(past.next).toBe(`${server.url}/rest/data/?as_of=${version}&page=3`);
  });
});

it.each(['1', '2026-11-21'])(
  'links of HTML pages below /as_of/%s/ lead through all pages of that state, and never out of it',
  async (asOf) => {
    const own = temporaryFolder();
    const [store, tree, site] = [join(own, 'store.db'), join(own, 'tree'), join(own, 'site')];
    const bio = (day: number, screen_name: string) => ({
      observed_at: `2024-03-${day + 10}T00:00:00Z`,
      screen_name,
      id: '1',
      bio: `bio ${day}`,
    });
    const html = ['--html', '--base-url', SITE.base_url, '--page-size', '5', '--account-page-size', '3'];
    const pages: string[] = [];
    for (const [first, time] of [
      [0, 20],
      [6, 22],
    ] as const) {
      await observe(store, [bio(first, 'ninette'), ...[1, 2, 3, 4, 5].map((day) => bio(first + day, `nina_${first}`))]);
      await palimpsestJson(['build', '--store', store, '--out', tree, ...html]);
      publishVersion(tree, site, new Date(Date.UTC(2026, 10, time)));
      if (first === 0) pages.push(...filesIn(tree).keys());
    }
    const { url } = await start(site);
    const [top, reached] = [`${BASE}/as_of/${asOf}/`, new Set<string>()];
    // no page leads to that of a former handle
    const next = ['', ...pages.filter((path) => path.endsWith('/ninette.html'))].map((path) => top + path);
    for (let path = next.pop(); path !== undefined; path = next.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      const { status, headers, body } = await ask(url, path);
      expect([path, status, headers['palimpsest-version'], path.startsWith(top)]).toEqual([path, 200, '1', true]);
      if (!headers['content-type']?.startsWith('text/html')) continue;
      const links = body.toString().matchAll(/(?:href="|src="|url=)([^"#]+)/g);
      next.push(
        ...[...links]
          .map(([, link = '']) => new URL(link, `http://here${path}`))
          .flatMap(({ host, pathname }) => (host === 'here' ? [pathname] : [])),
      );
    }
    const isPage = (path: string) => path.endsWith('.html') && path !== 'index.html' && path !== 'browse/404.html';
    expect(pages.filter((path) => isPage(path) && !reached.has(top + path))).toEqual([]);
  },
);

it('serves a ZIP that a build replaced at once, and answers a damaged one with 503', async () => {
  const [out, problems] = [join(temporaryFolder(), 'history.zip'), [] as string[]];
  zipTree(trees[0], out);
  const { url } = await start(out, { onProblem: (problem) => problems.push(problem) });
  const count = async () => JSON.parse((await ask(url, `${BASE}/rest/data/`)).body.toString()).count;
  expect(await count()).toBe(30);
  rmSync(out);
  cpSync(zip, out);
  expect([await count(), problems]).toEqual([60, []]);
  truncateSync(out, 1000);
  const { status, body } = await ask(url, `${BASE}/rest/data/`);
  expect([status, body.toString(), problems.length]).toEqual([503, '{"detail":"This page is temporarily unavailable."}', 1]);
});
