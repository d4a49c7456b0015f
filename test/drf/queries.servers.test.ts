import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { encodeEnvelopeHead, parseEnvelope } from '../../src/contract/pages/envelope.ts';
import { NOT_FOUND, resolve } from '../../src/rewrite/resolve.ts';
import { ALL_QUERIES } from '../conformance/queries.ts';
import {
  KNOWN_SPELLINGS,
  RARE_METHODS,
  REDIRECTED_ENCODINGS,
  REDIRECTED_QUERIES,
  UNKNOWN_METHODS,
  UNKNOWN_SPELLINGS,
} from '../conformance/requests.ts';
import { validates } from '../docs/openapi.ts';
import { ask } from '../serve/exchange.ts';
import { times } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type BothSides, bothSides } from './both-sides.ts';
import { type Answered, drf, expectSame } from './live-service.ts';
import { LOOK_ALIKES, parseVectors, queries } from './queries.ts';
import { SMALL } from './samples.ts';

const VECTORS = new URL('../../../shared/vectors/page-queries.json', import.meta.url);
const absent = existsSync(VECTORS) ? '' : ` (skipped: ${VECTORS.pathname} is missing)`;

describe.skipIf(drf.skip)(`a query to a tree and to a live Django REST Framework (${drf.reason || 'installed'})`, () => {
  /** Both sides with exactly three pages of each collection. */
  let sides: BothSides;
  let stop = async () => {};
  const folder = folderOfFile();
  beforeAll(async () => {
    const sizes = { page_size: Math.ceil(SMALL.records.length / 3), account_page_size: Math.ceil(SMALL.accounts.length / 3) };
    sides = await bothSides(SMALL, sizes, folder, (end) => {
      stop = end;
    });
    expect(sides.tree.pages).toEqual({ data: 3, account: 3 });
  });
  afterAll(() => stop());

  test.skipIf(absent !== '')(`gets the same response, the one of the shared vectors${absent}`, async () => {
    for (const { query, status, page } of parseVectors(JSON.parse(readFileSync(VECTORS, 'utf8')))) {
      for (const collection of COLLECTIONS) {
        const target = `/rest/${collection}/${query}`;
        const [ours, expected] = [sides.tree.ask(target), sides.tree.ask(`/rest/${collection}/?page=${page ?? 0}`)];
        expect(ours, target).toEqual(expected);
        expect(ours.status, target).toBe(status);
        await expectLive(sides, target);
      }
    }
  });

  test('gets the same response with any character before or after the page number', async () => {
    for (const character of LOOK_ALIKES.map(encodeURIComponent)) {
      for (const value of [character, `${character}2`, `2${character}`, `0${character}2`]) {
        await expectLive(sides, `/rest/data/?page=${value}`);
      }
    }
  });

  test('gets the same response for any combination of parameters and values', async () => {
    await fc.assert(
      fc.asyncProperty(queries, (query) => expectLive(sides, `/rest/data/?${query}`)),
      { seed: 1, numRuns: times('queries', 200, 5000) },
    );
  });

  test('gets responses that docs/openapi.json describes', async () => {
    await validates((target, method) => ask(sides.live.baseUrl, target, method, { accept: 'application/json' }));
  });

  test('gets the same response for the requests of the conformance tests', async () => {
    const { live, tree } = sides;
    for (const { query } of ALL_QUERIES) await expectLive(sides, `/rest/data/${query}`);
    const answered = (path: string, method = 'GET') => resolve(method, path.replace(/\?.*/s, ''), path.split(/\?(.*)/s)[1] ?? '');
    for (const path of UNKNOWN_SPELLINGS) {
      expect((await live.ask(path)).status, path).toBe(404);
      expect(answered(path), path).toBe(NOT_FOUND);
    }
    for (const [path, collection] of KNOWN_SPELLINGS) {
      const theirs = await live.ask(`${path}?page=2`);
      if (theirs.status === 200) expectSame(tree.ask(`/rest/${collection}/?page=2`), theirs, path);
      else expect(answered(`${path}?page=2`)).toMatchObject({ status: theirs.status, headers: { Location: theirs.location } });
      expect(tree.ask(`${path}?page=2`).status).toBe(theirs.status);
    }
    for (const query of [...REDIRECTED_QUERIES, ...REDIRECTED_ENCODINGS, '?'])
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const { status, location } = await live.ask(`/rest/data${query}`, method);
        expect(answered(`/rest/data${query}`, method), method + query).toMatchObject({ status, headers: { Location: location } });
      }
    for (const target of COLLECTIONS.flatMap((collection) => [`/rest/${collection}/?page=2`, `/rest/${collection}/?page=99`]))
      for (const method of ['DELETE', 'PUT', 'PATCH', ...RARE_METHODS, ...UNKNOWN_METHODS])
        expectSame(tree.ask(target, method), await live.ask(target, method), method);
    for (const value of ['bytes=5-24', 'bytes=9999999-'])
      expectSame(tree.ask('/rest/data/'), await live.ask('/rest/data/', 'GET', { range: value }), value);
    // a host cannot do this: the link in a file is the same for every request
    const { body } = await live.ask('/rest/data/?z=1&page=2');
    expect(parseEnvelope(JSON.parse(body.toString())).next).toBe(`${live.baseUrl}/rest/data/?page=3&z=1`);
    expect(parseEnvelope(JSON.parse(tree.ask('/rest/data/?z=1&page=2').body.toString())).next).toBe(`${live.baseUrl}/rest/data/?page=3`);
  });
});

/** Compares our response with that of the live service. Allows for the differences before 3.15 and for the limits of a tree. */
async function expectLive({ live, tree }: BothSides, target: string): Promise<void> {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const ours = tree.ask(target);
  const asLive = isOlder(live.release, 3, 15) && isEmptyPage(query) ? tree.ask(`${path}?page=0`) : withForeign(ours, query);
  expectSame(asLive, await live.ask(target), target);
}

/** Whether a query is `?page=` or `?page`: page 1 since release 3.15, and an invalid page before it. */
function isEmptyPage(query: string): boolean {
  return new URLSearchParams(`?${query}`).getAll('page').at(-1) === '';
}

function isOlder(release: string, major: number, minor: number): boolean {
  const [hasMajor = 0, hasMinor = 0] = release.split('.').map(Number);
  return hasMajor < major || (hasMajor === major && hasMinor < minor);
}

/** Adds the other parameters of a query to the links of a response, sorted, as a live service does. */
function withForeign(answer: Answered, query: string): Answered {
  if (answer.status !== 200) return answer;
  const envelope = parseEnvelope(JSON.parse(answer.body.toString()));
  const carry = (link: string | null): string | null => {
    if (link === null) return null;
    const [address = '', page = ''] = link.split(/\?(.*)/s);
    const foreign = [...new URLSearchParams(`?${query}`)].filter(([name]) => name !== 'page');
    // sorted by code points and encoded like Python, which differs slightly from URLSearchParams
    const all = [...foreign, ...new URLSearchParams(page)].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const encoded = new URLSearchParams(all).toString().replaceAll('*', '%2A').replaceAll('%7E', '~');
    return all.length === 0 ? address : `${address}?${encoded}`;
  };
  const items = answer.body.subarray(encodeEnvelopeHead(envelope).length);
  const head = encodeEnvelopeHead({ ...envelope, next: carry(envelope.next), previous: carry(envelope.previous) });
  return { ...answer, body: Buffer.concat([Buffer.from(head), items]) };
}
