import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BROWSE_PATH } from '../../src/rewrite/patterns.ts';
import { COLLECTION_HEADERS, NOT_FOUND, NOT_FOUND_PAGE, resolve } from '../../src/rewrite/resolve.ts';
import { times } from '../support/proof.ts';

const get = (path: string, base = '') => resolve('GET', path, '', base, true);

describe('the rewrite function with browse files', () => {
  test.each([
    ['/', 'index.html', 'text/html; charset=utf-8'],
    ['/browse/changes/2.html', 'browse/changes/2.html', 'text/html; charset=utf-8'],
    ['/browse/account/3f/nina%5Fk%7Ep1.html', 'browse/account/3f/nina_k~p1.html', 'text/html; charset=utf-8'],
    ['/browse/changes.atom', 'browse/changes.atom', 'application/atom+xml; charset=utf-8'],
    ['/browse/account/3f/nina%7E1.atom', 'browse/account/3f/nina~1.atom', 'application/atom+xml; charset=utf-8'],
    ['/browse/assets/style.css', 'browse/assets/style.css', 'text/css'],
    ['/browse/assets/icon.svg', 'browse/assets/icon.svg', 'image/svg+xml'],
  ])('answers %s with the file %s', (path, file, type) => {
    for (const base of ['', '/api/v1', '/my%20api']) {
      const answer = get(base + path, base);
      expect(answer).toMatchObject({ status: 200, file, missing: NOT_FOUND_PAGE });
      expect(answer.headers).toEqual({ 'Content-Type': type, 'Cache-Control': COLLECTION_HEADERS['Cache-Control'] });
    }
    expect(resolve('GET', path, '')).toEqual(NOT_FOUND);
    expect(get(path, '/api')).toEqual(NOT_FOUND_PAGE);
  });

  test.each([
    '/browse',
    '/browse/',
    '/browse/.hidden.html',
    '/browse/../build.html',
    '/browse/%2e%2e/build.html',
    '/browse//a.html',
    '/browse/a.html/',
    '/browse/a.html%00',
    '/browse/a.json',
    '/browse/a.html.gz',
    '/browse/é.html',
    '/browse/constructor',
    '/build.json',
    '/INDEX.HTML',
    '//index.html',
    '//rest/data/',
    '/rest-x',
    '/x/../rest/data/',
  ])('answers %s with the page for people, and with JSON without browse files', (path) => {
    expect(get(path)).toEqual(NOT_FOUND_PAGE);
    expect(resolve('GET', path, '')).toEqual(NOT_FOUND);
  });

  test.each(['/rest', '/rest/', '/rest/other/', '/rest/index.html', '/%72est/x', '/rest//data/'])('answers %s with JSON', (path) => {
    for (const base of ['', '/api/v1', '/my%20api']) expect(get(base + path, base)).toEqual(NOT_FOUND);
  });

  test('redirects the path of the base URL to the home page', () => {
    expect(get('/api', '/api')).toEqual({ status: 301, headers: { Location: '/api/' }, body: '' });
    expect(get('/my%20api', '/my%20api').headers).toEqual({ Location: '/my%20api/' });
  });

  test('answers other methods and requests of the API as without browse files', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
      for (const path of ['/rest/data/', '/rest/account', '/rest/datax'])
        for (const query of ['', 'page=2', 'page=abc', 'page=last'])
          expect(resolve(method, path, query, '', true)).toEqual(resolve(method, path, query));
    for (const method of ['POST', 'OPTIONS'])
      expect(resolve(method, '/browse/changes/1.html', '', '', true)).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } });
  });

  test('answers any path only with browse files, as the patterns for other hosts do', () => {
    const pieces = 'browse / . .. a ~p1 - .html .css .json %2e %2F index %0A \\ é \0'.split(' ');
    const path = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    const likely = fc
      .array(fc.constantFrom('a', '.', '/', '.html', '.css', '~', '\n'), { maxLength: 6 })
      .map((parts) => `/browse/${parts.join('')}`);
    let found = 0;
    fc.assert(
      fc.property(fc.oneof(path, likely), (target) => {
        const { status, file } = get(target);
        const isFound = status === 200;
        if (isFound) {
          found += 1;
          expect(file).toMatch(/^(index\.html|browse\/[\w~-][\w.~/-]*\.(html|css|js|svg|atom))$/);
          expect(file).not.toMatch(/\/\.|\/\/|\n/);
        }
        if (!target.includes('%') && target !== '/') expect(new RegExp(`^/${BROWSE_PATH}$`).test(target), target).toBe(isFound);
      }),
      { numRuns: times('paths', 4000, 100_000) },
    );
    expect(found).toBeGreaterThan(40);
  });
});
