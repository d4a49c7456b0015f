import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BROWSE_TYPES, resolveWithBrowse } from '../../src/rewrite/browse.ts';
import { BROWSE_PATH, names } from '../../src/rewrite/patterns.ts';
import { COLLECTION_HEADERS, MISSING, NOT_FOUND, resolve } from '../../src/rewrite/resolve.ts';
import { respondWithBrowse } from '../../src/rewrite/respond-browse.ts';
import { HTML_ACCEPTS, JSON_ACCEPTS } from '../conformance/requests.ts';

const BROWSER = HTML_ACCEPTS[0] ?? '';
const get = (path: string, base = '', accept = BROWSER) => resolveWithBrowse('GET', path, '', base, accept);

describe('the rewrite function with browse files', () => {
  test.each([
    ['/', 'index.html', 'text/html; charset=utf-8'],
    ['/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['/browse/changes/2.html', 'browse/changes/2.html', 'text/html; charset=utf-8'],
    ['/browse/account/3f/nina_k~p1.html', 'browse/account/3f/nina_k~p1.html', 'text/html; charset=utf-8'],
    ['/browse/account/3f/nina%5Fk%7Ep1.html', 'browse/account/3f/nina_k~p1.html', 'text/html; charset=utf-8'],
    ['/browse/changes.atom', 'browse/changes.atom', 'application/atom+xml; charset=utf-8'],
    ['/browse/assets/style.css', 'browse/assets/style.css', 'text/css'],
    ['/browse/assets/browse.js', 'browse/assets/browse.js', 'text/javascript'],
    ['/browse/assets/icon.svg', 'browse/assets/icon.svg', 'image/svg+xml'],
  ])('answers %s with the file %s', (path, file, type) => {
    for (const base of ['', '/api/v1', '/my%20api'])
      for (const accept of ['', '*/*', BROWSER]) {
        const answer = get(base + path, base, accept);
        expect(answer).toMatchObject({ status: 200, file, missing: NOT_FOUND });
        expect(answer.headers).toEqual({ 'Content-Type': type, 'Cache-Control': COLLECTION_HEADERS['Cache-Control'] });
      }
    expect(get(path, '/api')).toEqual(NOT_FOUND);
  });

  test.each([
    '/browse',
    '/browse/',
    '/browse/changes',
    '/browse/.hidden.html',
    '/browse/.git/index.html',
    '/browse/../build.html',
    '/browse/x/../../build.html',
    '/browse/%2e%2e/build.html',
    '/browse/a%2f..%2fb.html',
    '/browse//a.html',
    '/browse/a.html/',
    '/browse/a.html%0A',
    '/browse/a.html%00',
    '/browse/a.json',
    '/browse/a.html.gz',
    '/browse/a b.html',
    '/browse/é.html',
    '/browse/a%5cb.html',
    '/browse/constructor',
    '/other.html',
    '/build.json',
    '/index.htm',
    '/INDEX.HTML',
    '//',
    '//index.html',
    '/rest/',
  ])('does not answer %s with a file', (path) => {
    expect(get(path)).toEqual(NOT_FOUND);
  });

  test('redirects the path of the base URL to the home page', () => {
    expect(get('/api', '/api')).toEqual({ status: 301, headers: { Location: '/api/' }, body: '' });
    expect(get('/my%20api', '/my%20api').headers).toEqual({ Location: '/my%20api/' });
  });

  test('refuses methods that change files', () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(resolveWithBrowse(method, '/browse/changes/1.html', '', '', '')).toMatchObject({
        status: 405,
        headers: { Allow: 'GET, HEAD' },
      });
  });

  test.each(HTML_ACCEPTS)('answers with the HTML page of a page for Accept: %s', (accept) => {
    for (const [query, page] of [
      ['', '1'],
      ['page=2', '2'],
      ['page=0_3', '3'],
      ['page=', '1'],
    ] as const)
      for (const [collection, folder] of [
        ['data', 'changes'],
        ['account', 'accounts'],
      ] as const)
        expect(resolveWithBrowse('GET', `/api/rest/${collection}/`, query, '/api', accept)).toEqual({
          status: 200,
          headers: { ...COLLECTION_HEADERS, 'Content-Type': BROWSE_TYPES['html'] },
          file: `browse/${folder}/${page}.html`,
        });
    expect(resolveWithBrowse('GET', '/rest/data/', 'page=0', '', accept)).toEqual(MISSING);
    expect(resolveWithBrowse('GET', '/rest/data/', 'page=last', '', accept).file).toBe('rest/data/page/last/index.json');
    expect(new RegExp(names('text/html'), 'i').test(accept) && !new RegExp(names('application/json'), 'i').test(accept)).toBe(true);
  });

  test.each(JSON_ACCEPTS)('answers as without browse files for Accept: %s', (accept) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
      for (const query of ['', 'page=2', 'page=abc', 'page=last'])
        expect(resolveWithBrowse(method, '/rest/data/', query, '', accept)).toEqual(resolve(method, '/rest/data/', query, ''));
    expect(new RegExp(names('text/html'), 'i').test(accept) && !new RegExp(names('application/json'), 'i').test(accept)).toBe(false);
  });

  test('answers any path only with browse files, as the patterns for other hosts do', () => {
    const pieces = [
      'browse',
      '/',
      '.',
      '..',
      'a',
      '~p1',
      '-',
      '.html',
      '.css',
      '.json',
      '%2e',
      '%2F',
      'index',
      '%0A',
      '\\',
      ' ',
      'é',
      '\0',
    ];
    const path = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    const likely = fc
      .array(fc.constantFrom('a', '.', '/', '.html', '.css', '~', '\n'), { maxLength: 6 })
      .map((parts) => `/browse/${parts.join('')}`);
    let found = 0;
    fc.assert(
      fc.property(fc.oneof(path, likely), (target) => {
        const { file } = get(target);
        if (file !== undefined) {
          found += 1;
          expect(file).toMatch(/^(index\.html|browse\/[\w~-][\w.~/-]*\.(html|css|js|svg|atom))$/);
          expect(file).not.toMatch(/\/\.|\/\/|\n/);
        }
        if (!target.includes('%') && target !== '/') expect(new RegExp(`^/${BROWSE_PATH}$`).test(target), target).toBe(file !== undefined);
      }),
      { numRuns: 10_000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});

describe('a response with browse files', () => {
  const FILES = new Map(
    ['index.html', 'browse/changes/1.html', 'rest/data/index.json', 'rest/data/index.json.gz', 'rest/data/page/last/index.json'].map(
      (path) => [path, new Uint8Array(Buffer.from(path))] as const,
    ),
  );
  const ask = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    respondWithBrowse({ method, url: `https://a.example${target}`, headers: new Headers(headers) }, '', async (path) => FILES.get(path), [
      { name: 'gzip', suffix: '.gz' },
    ]);

  test('has an ETag of its bytes, and is 304 for a client with these bytes', async () => {
    const page = await ask('/rest/data/', { Accept: BROWSER });
    expect([page.status, await page.text(), page.headers.get('Content-Type')]).toEqual([
      200,
      'browse/changes/1.html',
      BROWSE_TYPES['html'],
    ]);
    expect(page.headers.get('Vary')).toBe('Accept');
    const etag = page.headers.get('ETag') ?? '';
    expect((await ask('/rest/data/', { Accept: BROWSER, 'If-None-Match': etag })).status).toBe(304);
    // the ETag of one form is not that of the other
    expect((await ask('/rest/data/', { 'If-None-Match': etag })).status).toBe(200);
    expect((await ask('/browse/changes/1.html', { 'If-None-Match': etag })).status).toBe(304);
  });

  test('to HEAD has the length of the GET response, and no body', async () => {
    const head = await ask('/', { Accept: BROWSER }, 'HEAD');
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, '10', '']);
  });

  test('is JSON for other clients, compressed if they accept it', async () => {
    const page = await ask('/rest/data/', { 'Accept-Encoding': 'gzip' });
    expect([await page.text(), page.headers.get('Content-Encoding')]).toEqual(['rest/data/index.json.gz', 'gzip']);
  });

  test('is JSON for a browser if there is no HTML page', async () => {
    const [past, last, other] = [
      await ask('/rest/data/?page=9', { Accept: BROWSER }),
      await ask('/rest/data/?page=last', { Accept: BROWSER }),
      await ask('/browse/x.css'),
    ];
    expect([past.status, await past.text(), past.headers.get('Vary')]).toEqual([404, MISSING.body, 'Accept']);
    expect([last.status, await last.text()]).toEqual([200, 'rest/data/page/last/index.json']);
    expect([other.status, await other.text()]).toEqual([404, NOT_FOUND.body]);
  });
});
