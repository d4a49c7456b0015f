import { eachCollection, type Probe } from '../probe.ts';
import { QUERIES, type Query } from '../queries.ts';

/** Whether the queries of a kind are answered with the right page, or with 404. */
export function queries(asks: Query['asks']): Probe {
  return eachCollection(async ({ ask, site }, path, findings, collection) => {
    for (const { query, shows } of QUERIES.filter((one) => one.asks === asks)) {
      const { status, body } = await ask(path + query);
      findings.equal(query, status, shows === 404 ? 404 : 200);
      if (status === 200 && shows !== 404) findings.bytes(query, body, site.page(collection, shows));
    }
  });
}
