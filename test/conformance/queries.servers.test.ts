import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../src/contract/collection.ts';
import { parseEnvelope } from '../../src/contract/envelope.ts';
import { CAPABILITIES } from '../../src/rewrite/hosts/capability.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { bothSides } from '../drf/both-sides.ts';
import { drf } from '../drf/live-service.ts';
import { parseVectors } from '../drf/queries.ts';
import { SMALL } from '../drf/samples.ts';
import { ALL_QUERIES, QUERIES } from './queries.ts';

const VECTORS = new URL('../../../shared/vectors/page-queries.json', import.meta.url);

describe('the queries of the conformance suite', () => {
  test.skipIf(drf.skip)(`have the answers of a live Django REST Framework (${drf.reason || 'installed'})`, async () => {
    const { records, accounts } = SMALL;
    const { live } = await bothSides(SMALL, {
      page_size: Math.ceil(records.length / 3),
      account_page_size: Math.ceil(accounts.length / 3),
    });
    const resultsOf = (body: Buffer) => JSON.stringify(parseEnvelope(JSON.parse(body.toString())).results);
    for (const collection of COLLECTIONS) {
      const pages: string[] = [];
      for (const page of [1, 2, 3]) pages.push(resultsOf((await live.ask(`/rest/${collection}/?page=${page}`)).body));
      expect(new Set(pages).size).toBe(3);
      for (const { query, shows, asks } of ALL_QUERIES) {
        const { status, body } = await live.ask(`/rest/${collection}/${query}`);
        // before DRF 3.15 an empty value was an invalid page
        if (asks === 'empty-value' && /^3\.(\d|1[0-4])\./.test(live.release)) expect(status, query).toBe(404);
        else expect(status === 200 ? pages.indexOf(resultsOf(body)) + 1 : status, query).toBe(shows);
      }
    }
  });

  test('have the answers of the rewrite function', () => {
    for (const { query, shows } of ALL_QUERIES) {
      const page = { 1: 'index.json', 2: 'page/2/index.json', 3: query.includes('last') ? 'page/last/index.json' : 'page/3/index.json' }[
        shows
      ];
      const { file } = resolve('GET', '/rest/data/', query.slice(1));
      // the function does not know the number of pages
      if (query === '?page=4') expect(file).toBe('rest/data/page/4/index.json');
      else expect(file, query).toBe(page && `rest/data/${page}`);
    }
  });

  test.skipIf(!existsSync(VECTORS))('are the measured queries (skipped if the vectors are not beside this checkout)', () => {
    const measured = parseVectors(JSON.parse(readFileSync(VECTORS, 'utf8')));
    expect(QUERIES.map(({ query, shows }) => [query, shows])).toEqual(measured.map(({ query, page }) => [query, page ?? 404]));
  });

  test('name only capabilities that exist', () => {
    for (const { asks } of ALL_QUERIES) expect(['core', ...Object.keys(CAPABILITIES)]).toContain(asks);
  });
});
