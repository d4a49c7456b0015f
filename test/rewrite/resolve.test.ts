import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { type Answer, COLLECTION_HEADERS, MISSING, NOT_FOUND, resolve } from '../../src/rewrite/resolve.ts';
import { indexPath, pagePath, pathsOf } from '../../src/tree/layout.ts';
import { ALL_QUERIES } from '../conformance/queries.ts';
import { times } from '../support/proof.ts';

/** The page that a query shows where there are so many; 404 where it shows none. */
function pageShown(query: string, pages: number): number {
  const { file } = resolve('GET', '/rest/data/', query);
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  return numbers.find((number) => file !== undefined && pathsOf('data', number, pages).includes(file)) ?? 404;
}

test('the queries of the conformance tests show the pages that DRF shows', () => {
  for (const { query, shows } of ALL_QUERIES) expect(pageShown(query.slice(1), 3), query).toBe(shows);
});

/** Of a collection of 30 pages. */
describe('a query', () => {
  test.each([
    ['page=30', 30],
    ['page=l%61st', 30],
    ['page=7&page=last', 30],
    ['=7', 1],
    ['page=7=7', 404],
    ['page+=7', 1],
    ['%ZZ=1&page=7', 7],
    ['page=%E2%80%897%E2%80%A8', 7],
    ['page=7%1F', 404],
    ['page=%09%0A%0B%0C%0D7', 7],
    ['page=++7+', 7],
    ['page=%2B%207', 404],
    ['page=%E2%88%927', 404],
    ['page=1__0', 404],
    ['page=0_0_7', 7],
    ['page=7.', 404],
    ['page=%FF', 404],
    ['page=7#page=8', 404],
    ['page=constructor', 404],
    ['__proto__=7', 1],
  ])('"%s" returns page %d', (query, page) => {
    expect(pageShown(query, 30)).toBe(page);
  });

  test('shows no page that no tree has, although beyond 2^53 the number would be another', () => {
    for (const page of ['1000000000000000', '9007199254740993', '9'.repeat(4300)])
      expect(resolve('GET', '/rest/data/', `page=${page}`)).toEqual(MISSING);
  });

  test('maps every page number to its file in the layout', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COLLECTIONS), fc.integer({ min: 1, max: 999_999_999_999_999 }), (collection, page) => {
        const answer = resolve('GET', `/rest/${collection}/`, `page=${page}`);
        expect(answer.file).toBe(page === 1 ? indexPath(collection) : pagePath(collection, page));
        expect(resolve('GET', `/rest/${collection}/`, 'page=last').file).toBe(pagePath(collection, 'last'));
      }),
    );
  });
});

describe('digits', () => {
  // Unicode promises runs of ten, zero first; these are the zeros of Unicode 14, from Python's unicodedata
  const zeros = `30 660 6F0 7C0 966 9E6 A66 AE6 B66 BE6 C66 CE6 D66 DE6 E50 ED0 F20 1040 1090 17E0 1810 1946 19D0 1A80 1A90 1B50 1BB0
    1C40 1C50 A620 A8D0 A900 A9D0 A9F0 AA50 ABF0 FF10 104A0 10D30 11066 110F0 11136 111D0 112F0 11450 114D0 11650 116C0 11730 118E0
    11950 11C50 11D50 11DA0 16A60 16AC0 16B50 1D7CE 1D7D8 1D7E2 1D7EC 1D7F6 1E140 1E2F0 1E950 1FBF0`
    .split(/\s+/)
    .map((zero) => Number.parseInt(zero, 16));
  const fileOfPage = (page: number) => (page === 0 ? undefined : page === 1 ? indexPath('data') : pagePath('data', page));
  const fileOf = (text: string) => resolve('GET', '/rest/data/', `page=${encodeURIComponent(text)}`).file;

  test('of every script have their decimal value', () => {
    expect(zeros.length).toBe(66);
    for (const zero of zeros) {
      for (let value = 0; value < 10; value += 1) {
        const digit = String.fromCodePoint(zero + value);
        expect(fileOf(`1${digit}`), digit).toBe(`rest/data/page/${10 + value}/index.json`);
        expect(fileOf(digit), digit).toBe(fileOfPage(value));
      }
    }
  });

  test('of several scripts can form one number', () => {
    const digit = fc
      .tuple(fc.constantFrom(...zeros), fc.nat(9))
      .map(([zero, value]) => ({ text: String.fromCodePoint(zero + value), value }));
    fc.assert(
      fc.property(fc.array(digit, { minLength: 1, maxLength: 14 }), (digits) => {
        const number = Number(digits.map(({ value }) => value).join(''));
        const file = fileOf(digits.map(({ text }) => text).join(''));
        expect(file).toBe(fileOfPage(number));
      }),
    );
  });

  test('are the only characters of a number, and only white space may surround them', () => {
    const isDigit = new Set(zeros.flatMap((zero) => Array.from({ length: 10 }, (_, value) => zero + value)));
    // what Python's int() leaves out of account: measured, character by character, on Python 3.11
    const spaces = [9, 10, 11, 12, 13, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
    for (let code = 0x2000; code <= 0x200a; code += 1) spaces.push(code);
    const codePoint = fc
      .oneof(fc.nat({ max: 0xff }), fc.constantFrom(...spaces), fc.nat({ max: 0x3100 }), fc.nat({ max: 0x10ffff }))
      .filter((code) => code < 0xd800 || code > 0xdfff);
    fc.assert(
      fc.property(codePoint, (code) => {
        const text = String.fromCodePoint(code);
        // those that a later Unicode has made digits are as good
        fc.pre(isDigit.has(code) === /\p{Nd}/u.test(text));
        if (isDigit.has(code)) {
          expect(fileOf(`1${text}`)).toMatch(/^rest\/data\/page\/1\d\/index\.json$/);
        } else {
          expect(fileOf(text)).toBeUndefined();
          expect(fileOf(`${text}7`)).toBe(spaces.includes(code) || text === '+' ? fileOfPage(7) : undefined);
          expect(fileOf(`7${text}`)).toBe(spaces.includes(code) ? fileOfPage(7) : undefined);
        }
      }),
      { numRuns: times('characters around a number', 3000, 200_000) },
    );
  });
});

describe('a path', () => {
  test.each(['/rest/data/', '/rest/%64ata/', '/%72est/data%2F', '/rest%2Fdata/'])('%s returns the feed', (path) => {
    expect(resolve('GET', path, 'page=2')).toEqual({ status: 200, headers: COLLECTION_HEADERS, file: 'rest/data/page/2/index.json' });
  });

  test('/rest/account/ returns the accounts', () => {
    expect(resolve('GET', '/rest/account/', '').file).toBe('rest/account/index.json');
  });

  test.each([
    '/',
    '/rest/',
    'rest/data/',
    '/rest//data/',
    '/rest/data/index.json',
    '/REST/data/',
    '/rest/data/\n',
    '/rest/data/%0A',
    '/rest/data/../account/',
    '/rest/other/../data/',
    '/rest/%2564ata/',
    '/rest\\data\\',
    '/api/rest/data/',
    'http://example.org/rest/data/',
    '/rest/__proto__/',
  ])('"%s" is not found', (path) => {
    const headers = { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' };
    const answer = { status: 404, headers, body: '{"detail":"Not found."}' };
    for (const method of ['GET', 'OPTIONS', 'POST']) expect(resolve(method, path, 'page=2')).toEqual(answer);
  });

  test.each([
    ['/rest/data', '', '/rest/data/'],
    ['/rest/account', 'page=2', '/rest/account/?page=2'],
    ['/rest/data', 'a=%2F&page=0_2&a', '/rest/data/?a=%2F&page=0_2&a'],
    ['/rest/%64ata', '//evil.example', '/rest/data/?//evil.example'],
  ])('%s without its final slash, with the query "%s", is redirected to %s', (path, query, location) => {
    expect(resolve('GET', path, query)).toEqual({ status: 301, headers: { ...COLLECTION_HEADERS, Location: location }, body: '' });
  });
});

describe('a base URL with a path', () => {
  test('may be percent-encoded', () => {
    for (const path of ['/my%20%C3%A9/rest/data/', '/my%20é/rest/data/', '/%6Dy%20%c3%a9/rest/data/']) {
      expect(resolve('GET', path, 'page=2', '/my%20%C3%A9').file).toBe('rest/data/page/2/index.json');
    }
    expect(resolve('GET', '/my%20%C3%A9/rest/data', '', '/my%20%C3%A9').headers['Location']).toBe('/my%20%C3%A9/rest/data/');
  });

  const base = '/api/v1.0';

  test.each([
    ['/api/v1.0/rest/data/', 'page=2', { status: 200, file: 'rest/data/page/2/index.json' }],
    ['/%61pi/v1%2E0/rest/account/', '', { status: 200, file: 'rest/account/index.json' }],
    ['/api/v1.0/rest/data', 'page=2', { status: 301, headers: { Location: '/api/v1.0/rest/data/?page=2' } }],
    ['/api/v1.0/rest/data/', 'page=0', MISSING],
    ['/rest/data/', '', NOT_FOUND],
    ['/api/v1x0/rest/data/', '', NOT_FOUND],
    ['/api/v1.0rest/data/', '', NOT_FOUND],
    ['/api/v1.0/../v1.0/rest/data/', '', NOT_FOUND],
    ['/API/v1.0/rest/data/', '', NOT_FOUND],
  ])('%s?%s is answered relative to that path', (path, query, answer) => {
    expect(resolve('GET', path, query, base)).toMatchObject(answer);
  });

  test('changes no other part of the answer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'OPTIONS', 'PUT'),
        fc.constantFrom('/rest/data/', '/rest/x/', '/'),
        fc.string(),
        (method, path, query) => {
          expect(resolve(method, base + path, query, base)).toEqual(resolve(method, path, query));
        },
      ),
    );
  });
});

describe('a method', () => {
  test('HEAD is answered as GET', () => {
    for (const query of ['', 'page=2', 'page=0'])
      expect(resolve('HEAD', '/rest/data/', query)).toEqual(resolve('GET', '/rest/data/', query));
  });

  test.each(COLLECTIONS)('OPTIONS describes %s, whatever the page', (collection) => {
    for (const query of ['', 'page=99', 'page=abc']) {
      const { status, headers, body = '', file } = resolve('OPTIONS', `/rest/${collection}/`, query);
      expect([status, headers, file]).toEqual([200, COLLECTION_HEADERS, undefined]);
      const description: unknown = JSON.parse(body);
      expect(description).toEqual({
        name: collection === 'data' ? 'Data List' : 'Account List',
        description: expect.any(String),
        renders: ['application/json'],
        parses: [],
      });
    }
  });

  test.each(['POST', 'DELETE', 'PROPFIND', 'get', ''])('"%s" is not allowed', (method) => {
    for (const query of ['', 'page=99']) {
      const body = `{"detail":"Method \\"${method}\\" not allowed."}`;
      expect(resolve(method, '/rest/account/', query)).toEqual({ status: 405, headers: COLLECTION_HEADERS, body });
    }
  });
});

describe('any request', () => {
  const piece = (pieces: string) =>
    fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...pieces.split(' ')) },
          { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
        ),
        { maxLength: 10 },
      )
      .map((parts) => parts.join(''));
  const path = fc.oneof(
    fc.constantFrom('/rest/data/', '/rest/account/', '/rest/data', '/rest/account'),
    piece('/ rest data account /rest/data/ .. . %2F %2e % %ZZ \0 \n \\ page last index.json'),
    fc.string({ unit: 'binary' }),
  );
  const query = fc.oneof(
    piece('page page= = & + %20 %2B _ - 2 0 ٢ last % %ZZ %C0%AF ../ %2e%2e%2f ? # \0 \ud800'),
    piece('2 0 _ %D9%A2 %20 ../ last 1e9 %0A').map((value) => `page=${value}`),
    fc.string({ unit: 'binary' }),
  );
  const method = fc.oneof(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST'), fc.string({ unit: 'binary' }));

  test('is answered, and only with files of the layout', () => {
    const counts = new Map<string, number>();
    fc.assert(
      fc.property(method, path, query, (...request) => {
        const answer: Answer = resolve(...request);
        counts.set(kindOf(answer), (counts.get(kindOf(answer)) ?? 0) + 1);
        if (answer.file === undefined) {
          expect(answer.body).toBeTypeOf('string');
          if (answer.status === 405) expect(JSON.parse(answer.body ?? '')).toEqual({ detail: `Method "${request[0]}" not allowed.` });
        } else {
          expect(answer).toMatchObject({ status: 200, headers: COLLECTION_HEADERS });
          expect(answer.file).toMatch(/^rest\/(data|account)\/(index\.json|page\/(last|[1-9]\d*)\/index\.json)$/);
          expect(answer.file).not.toContain('/page/1/');
          expect(['GET', 'HEAD']).toContain(request[0]);
        }
      }),
      { numRuns: times('requests', 5000, 100_000) },
    );
    // every kind of answer was met, so that none is right for want of trying
    expect([...counts.keys()].sort()).toEqual(['200', '200 file', '301', '404', '405']);
    for (const [kind, count] of counts) expect(count, kind).toBeGreaterThan(20);
  });

  test('gets the answer of DRF for a missing page, and the headers of the API', () => {
    expect(MISSING).toEqual({ status: 404, headers: COLLECTION_HEADERS, body: '{"detail":"Invalid page."}' });
    expect(resolve('GET', '/rest/data/', 'page=0')).toEqual(MISSING);
    expect(COLLECTION_HEADERS).toMatchObject({ 'Content-Type': 'application/json', Vary: 'Accept', Allow: 'GET, POST, OPTIONS' });
  });
});

function kindOf({ status, file }: Answer): string {
  return file === undefined ? String(status) : `${status} file`;
}
