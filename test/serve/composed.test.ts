import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { type RunningServer, serve } from '../../src/serve/server.ts';
import { buildTree, goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { ask } from './exchange.ts';

const BASE = new URL(SITE.base_url).pathname;
const TIMES = ['2026-11-21T03:00:00Z', '2026-11-22T03:00:00Z'];

let home = '';
const servers: { fixed?: RunningServer; composed?: RunningServer; rebased?: RunningServer } = {};
const url = (name: keyof typeof servers) => new URL(servers[name]?.url ?? '').origin;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-serve-'));
  const [store, fixed, out] = [join(home, 'store.db'), join(home, 'static'), join(home, 'composed')];
  for (const [index, records] of [40, 60].entries()) {
    await importHistory(store, goodHistory(records));
    await buildComposed(store, { out, site: SITE, time: new Date(TIMES[index] ?? '') });
  }
  await buildTree(store, fixed);
  servers.fixed = await serve({ out: fixed, host: '127.0.0.1', port: 0, rebase: false });
  servers.composed = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
  servers.rebased = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
});

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
  rmSync(home, { recursive: true, force: true });
});

const QUERIES = [
  '',
  '?page=1',
  '?page=2',
  '?page=02',
  '?page=%202',
  '?page=0',
  '?page=-1',
  '?page=abc',
  '?page=999',
  '?page=last',
  '?page=',
  '?x=1',
  '?page=3&page=2',
  '?as_of=',
];

describe('serve with the composed layout', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])('answers %s as it does with the static layout', async (method) => {
    for (const path of ['/rest/data/', '/rest/account/', '/rest/data', '/rest/other/', '/head.json', '/chunks/']) {
      for (const query of QUERIES) {
        const [fixed, composed] = [
          await ask(url('fixed'), BASE + path + query, method),
          await ask(url('composed'), BASE + path + query, method),
        ];
        expect(composed.status, path + query).toBe(fixed.status);
        expect(composed.body.equals(fixed.body), path + query).toBe(true);
        // the ETag of a composed page identifies its state, and not its bytes
        const same = { date: '', vary: '', etag: '' };
        expect({ ...composed.headers, ...same }).toEqual({ ...fixed.headers, ...same });
      }
    }
  });

  it('answers 304 to the ETag of a page', async () => {
    const { headers } = await ask(url('composed'), `${BASE}/rest/data/?page=2`);
    expect(await ask(url('composed'), `${BASE}/rest/data/?page=2`, 'GET', { 'If-None-Match': String(headers.etag) })).toMatchObject({
      status: 304,
    });
  });

  it('gives each page of each state another ETag, and keeps it if the state is asked for by another name', async () => {
    const etag = async (query: string) => String((await ask(url('composed'), `${BASE}/rest/${query}`)).headers.etag);
    const pages = ['data/', 'data/?page=2', 'data/?page=last', 'account/', 'account/?page=2', 'data/?as_of=1', 'data/?as_of=1&page=2'];
    const etags = await Promise.all(pages.map(etag));
    for (const one of etags) expect(one).toMatch(/^"[0-9a-f]{32}"$/);
    expect(new Set(etags).size).toBe(pages.length);
    expect(await etag('data/?page=1')).toBe(etags[0]);
    expect(await etag('data/?as_of=2026-11-21T03:00:00Z')).toBe(etags[5]);
    expect(String((await ask(url('rebased'), `${BASE}/rest/data/`)).headers.etag)).not.toBe(etags[0]);
  });

  it('composes links to itself with rebase', async () => {
    const { body } = await ask(url('rebased'), `${BASE}/rest/data/?page=2&as_of=1`);
    const page: { next: string; previous: string } = JSON.parse(body.toString());
    expect(page.next).toBe(`${url('rebased')}${BASE}/rest/data/?as_of=1&page=3`);
    expect(page.previous).toBe(`${url('rebased')}${BASE}/rest/data/?as_of=1`);
  });

  it('answers with the state of an earlier generation, by its number and by a time', async () => {
    const count = async (query: string) => {
      const { status, body } = await ask(url('composed'), `${BASE}/rest/data/?as_of=${query}`);
      return status === 200 ? Number(JSON.parse(body.toString()).count) : `${status} ${body.toString()}`;
    };
    expect(await count('1')).toBe(40);
    expect(await count('2')).toBe(60);
    expect(await count('2026-11-21T03:00:00Z')).toBe(40);
    expect(await count('2026-11-21T03:30:00%2B00:30')).toBe(40);
    expect(await count('2026-11-20T22:00:00.000-05:00')).toBe(40);
    expect(await count('2026-11-21T03:00Z')).toBe(40);
    expect(await count('2026-11-22')).toBe(40);
    expect(await count('2026-11-22T02:59:59.999Z')).toBe(40);
    expect(await count('2026-11-22T03:00:00Z')).toBe(60);
    expect(await count('2030-01-01T00:00:00Z')).toBe(60);
    const unknown = '404 {"detail":"No such generation."}';
    const invalid = '400 {"detail":"Invalid as_of."}';
    for (const query of ['0', '3', '2026-11-21T02:59:59Z', '999999999999999']) expect(await count(query), query).toBe(unknown);
    for (const query of [
      'yesterday',
      '-1',
      '1.5',
      '2026-13-01',
      '2026-02-30',
      '2026-11-22T03:00:00',
      '2026-11-22T24:00:00Z',
      '9999999999999999',
    ])
      expect(await count(query), query).toBe(invalid);
    expect(await ask(url('composed'), `${BASE}/rest/data/?as_of=1&page=99`)).toMatchObject({
      status: 404,
      body: Buffer.from('{"detail":"Invalid page."}'),
    });
  });

  it('reads one state in a walk along next', async () => {
    const ids: number[] = [];
    for (let path: string | undefined = `${BASE}/rest/data/?as_of=2026-11-21T12:00:00Z`; path !== undefined; ) {
      const { body } = await ask(url('composed'), path);
      const page: { next: string | null; results: { id: number }[] } = JSON.parse(body.toString());
      ids.push(...page.results.map(({ id }) => id));
      path = page.next === null ? undefined : page.next.slice(new URL(page.next).origin.length);
    }
    expect(ids.length).toBe(40);
    expect(new Set(ids).size).toBe(40);
  });
});
