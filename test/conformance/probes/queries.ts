import fc from 'fast-check';
import type { Host } from '../../../src/rewrite/hosts/host.ts';
import { resolve } from '../../../src/rewrite/resolve.ts';
import { queries as arbitrary } from '../../drf/queries.ts';
import { askAll, eachCollection, Findings, type Probe } from '../probe.ts';
import { ALL_QUERIES, QUERIES, type Query } from '../queries.ts';

/** Returns a probe that checks the answers to all queries of one kind. */
export function queries(asks: Query['asks']): Probe {
  return eachCollection(async ({ ask, site }, path, findings, collection) => {
    const asked = ALL_QUERIES.filter((one) => one.asks === asks);
    const answers = await askAll(
      ask,
      asked.map(({ query }) => path + query),
    );
    for (const [index, { status, body }] of answers.entries()) {
      const { query = '', shows = 404 } = asked[index] ?? {};
      findings.equal(query.length > 99 ? `${query.length} characters` : query, status, shows === 404 ? 404 : 200);
      if (status === 200 && shows !== 404) findings.bytes(query, body, site.page(collection, shows));
    }
  });
}

/**
 * Returns a probe that compares the answers to random queries with the page that the function finds.
 * A host that lacks a kind of query may answer it with 404, or with page 1 if it finds no number, but
 * never with a different page.
 */
export function anyQuery({ cannot }: Host): Probe {
  const refused = (status: number) => (status === 400 && Object.hasOwn(cannot, 'control-characters') ? 404 : status);
  const mayMiss = QUERIES.some(({ asks }) => Object.hasOwn(cannot, asks));
  return async ({ ask, site }) => {
    const findings = new Findings();
    const asked = fc.sample(arbitrary.filter(isUnmixed), { seed: 4, numRuns: 150 });
    const answers = await askAll(
      ask,
      asked.map((query) => `${site.path('data')}?${query}`),
    );
    for (const [index, { status, body }] of answers.entries()) {
      const query = asked[index] ?? '';
      const { file } = resolve('GET', '/rest/data/', query);
      const page = file === undefined || /page\/(?!last|[123]\/)/.test(file) ? undefined : site.file(file);
      if (status === 200 && page !== undefined) findings.bytes(query, body, page);
      else if (page === undefined) findings.equal(query, refused(status), 404);
      else findings.equal(query, refused(status), mayMiss ? 404 : 200);
    }
    return findings.found;
  };
}

/** Two spellings of one name: CloudFront passes their values separately, so their order is unknown. */
function isUnmixed(query: string): boolean {
  return !(query.includes('page') && query.includes('p%61ge'));
}
