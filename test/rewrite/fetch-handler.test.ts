import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Open } from '../../src/rewrite/answer.ts';
import { respond } from '../../src/rewrite/fetch-handler.ts';
import { bytesOf, ifMissing, inFiles } from '../../src/rewrite/files.ts';
import { MISSING, resolve } from '../../src/rewrite/resolve.ts';
import { times } from '../support/proof.ts';

const PAGE = new Uint8Array(Buffer.from('{"count":0,"next":null,"previous":null,"results":[]}'));
const FILES = new Map([
  ['rest/account/index.json', PAGE],
  ['rest/data/index.json', PAGE],
  ['rest/data/index.json.gz', new Uint8Array(gzipSync(PAGE))],
  ['rest/data/page/2/index.json', PAGE],
  ['index.html', PAGE],
  ['index.html.gz', PAGE],
]);
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

const ask = (
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
  base = '',
  open: Open = openIn(FILES),
  log = console.error,
) => respond({ method, url: `https://history.example${target}`, headers: new Headers(headers) }, base, inFiles(open, ENCODINGS), log);

function openIn(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Open {
  return async (path) => files.get(path);
}

describe('a response', () => {
  test.each([
    ['gzip', 'gzip'],
    ['GZIP;q=0.1', 'gzip'],
    ['gzip;q=0', null],
    ['gzipped', null],
    ['', null],
  ])('to a client with Accept-Encoding "%s" has the encoding %s', async (accepted, encoding) => {
    const response = await ask('/rest/data/', { 'Accept-Encoding': accepted });
    expect(response.headers.get('Content-Encoding')).toBe(encoding);
    const body = Buffer.from(await response.arrayBuffer());
    expect(encoding === null ? body : gunzipSync(body)).toEqual(Buffer.from(PAGE));
    expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding');
  });

  test('with a browse file is not compressed', async () => {
    const { headers } = await ask('/', { 'Accept-Encoding': 'gzip' });
    expect([headers.get('Vary'), headers.get('Content-Encoding')]).toEqual([null, null]);
  });

  test('has an ETag of its bytes, and is 304 for a client with these bytes', async () => {
    const [plain, packed] = [await ask('/rest/data/'), await ask('/rest/data/', { 'Accept-Encoding': 'gzip' })];
    const etag = plain.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(packed.headers.get('ETag')).not.toBe(etag);
    expect((await ask('/rest/data/?page=2')).headers.get('ETag')).toBe(etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, `"x,y",W/"z",W/${etag}`, ' * ']) {
      const again = await ask('/rest/data/', { 'If-None-Match': known });
      expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag]);
      expect(again.headers.get('Allow')).toBe('GET, POST, OPTIONS');
    }
    for (const known of ['', '"x"', '"*"', '"x,*"', etag.slice(1, -1), packed.headers.get('ETag') ?? '']) {
      expect((await ask('/rest/data/', { 'If-None-Match': known })).status, known).toBe(200);
    }
  });

  test('from a tree that is missing, incomplete or unreadable is 503 with a line in the log, and 404 only for what no tree has', async () => {
    const page = (items: number, next: string | null) =>
      new Uint8Array(Buffer.from(JSON.stringify({ count: 5, next, previous: null, results: Array(items).fill({}) })));
    const tree = new Map([['rest/data/index.json', page(2, 'page 2')]]);
    const failed: Open = async () => {
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    };
    const pages = ['', '?page=2', '?page=3', '?page=4', '?page=last', '?page=abc'].map((query) => `/rest/data/${query}`);
    const paths = [...pages, '/', '/browse/changes/1.html', '/rest/other/'];
    for (const [open, expected] of [
      [openIn(tree), [200, 503, 503, 404, 503, 404, 404, 404, 404]],
      [openIn(new Map([['rest/account/index.json', PAGE]])), [503, 503, 503, 503, 503, 404, 503, 503, 404]],
      [openIn(new Map()), [503, 503, 503, 503, 503, 404, 503, 503, 404]],
      [failed, [503, 503, 503, 503, 503, 404, 503, 503, 404]],
      [openIn(new Map([['rest/data/index.json', page(2, null)]])), [200, 404, 404, 404, 503, 404, 404, 404, 404]],
    ] as const) {
      for (const [index, path] of paths.entries()) {
        const lines: string[] = [];
        const response = await ask(path, {}, 'GET', '', open, (line: string) => lines.push(line));
        expect([path, response.status, lines.length]).toEqual([path, expected[index], response.status === 503 ? 1 : 0]);
        if (response.status !== 503) continue;
        expect(await response.json()).toEqual({ detail: 'This page is temporarily unavailable.' });
        expect(['Content-Type', 'Cache-Control', 'Access-Control-Allow-Origin'].map((name) => response.headers.get(name))).toEqual([
          'application/json',
          'no-store',
          '*',
        ]);
        expect(lines[0]).toMatch(
          /^palimpsest: (rest|index|browse)\S*: Error: (the tree is missing or incomplete|the file is missing, although|EMFILE)/,
        );
      }
    }
  });

  const failure = (code: string | undefined) => Object.assign(new Error('failed'), { code });

  test('tells a missing file from one that cannot be read', async () => {
    for (const code of ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']) expect(ifMissing(failure(code))).toBe(undefined);
    for (const code of ['EMFILE', 'EACCES', 'ELOOP', 'EISDIR', undefined]) expect(() => ifMissing(failure(code)), code).toThrow('failed');
    for (const status of [403, 404]) expect(await bytesOf(new Response('', { status }))).toBe(undefined);
    for (const status of [301, 401, 429, 500])
      await expect(bytesOf(new Response('', { status })), String(status)).rejects.toThrow(`answers ${status}`);
    expect(await bytesOf(new Response(PAGE))).toEqual(PAGE);
  });

  test('to HEAD has the length of the GET response, and no body', async () => {
    for (const target of ['/rest/data/', '/rest/data/?page=9', '/rest/x/']) {
      const [get, head] = [await ask(target), await ask(target, {}, 'HEAD')];
      expect(head.status).toBe(get.status);
      expect([...head.headers]).toEqual([...get.headers]);
      expect(Number(head.headers.get('Content-Length'))).toBe((await get.arrayBuffer()).byteLength);
      expect(await head.text()).toBe('');
    }
  });

  test('to any request equals the answer of the rewrite function', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'TRACE');
    const path = fc.constantFrom(...'/rest/data/ /rest/data /rest/%64ata/ /rest/x/ /api/rest/data/ / // /browse/x.css'.split(' '), '');
    const query = fc.oneof(
      fc.constantFrom('', '?', '?page=2', '?page=2&page=0', '??'),
      fc.webQueryParameters().map((text) => `?${text}`),
    );
    await fc.assert(
      fc.asyncProperty(method, path, query, fc.constantFrom('', '/api'), async (method, path, query, base) => {
        const response = await ask(path + query, {}, method, base);
        const said = resolve(method, path, query.slice(1), base, true);
        let answer = said;
        while (answer.file !== undefined && !FILES.has(answer.file)) answer = answer.missing ?? MISSING;
        expect(response.status).toBe(answer.status);
        for (const [name, value] of Object.entries(answer.headers)) expect(response.headers.get(name)).toContain(value);
        const expected = answer.file === undefined ? (answer.body ?? '') : Buffer.from(PAGE).toString();
        expect(await response.text()).toBe(method === 'HEAD' ? '' : expected);
      }),
      { numRuns: times('requests', 400, 10_000) },
    );
  });
});
