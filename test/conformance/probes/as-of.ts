import { eachCollection, type Probe } from '../probe.ts';
import { GENERATIONS } from '../published-site.ts';

const EARLIER = ['1', GENERATIONS[0], '2020-01-01T04:00:00%2B01:00', '2020-01-02', '2020-01-02T02:59:59.999Z'];

const ERRORS: readonly (readonly [query: string, status: number, detail: string])[] = [
  ['?as_of=yesterday', 400, 'Invalid as_of.'],
  ['?as_of=2020-01-01T03:00:00', 400, 'Invalid as_of.'],
  ['?as_of=0', 404, 'No such generation.'],
  ['?as_of=99', 404, 'No such generation.'],
  ['?as_of=2020-01-01T02:59:59Z', 404, 'No such generation.'],
  ['?as_of=1&page=4', 404, 'Invalid page.'],
  ['?as_of=1&page=abc', 404, 'Invalid page.'],
];

/** Checks that `as_of` selects an earlier generation by its number or by a time, and that its links carry the number. */
export const asOf: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  for (const [index, value] of EARLIER.entries()) {
    for (const page of index === 0 ? [1, 2, 3, 'last'] : [2]) {
      const query = page === 1 ? `?as_of=${value}` : `?as_of=${value}&page=${page}`;
      const answer = await ask(path + query);
      findings.equal(query, answer.status, 200);
      findings.interfaceHeaders(query, answer);
      findings.bytes(query, answer.body, site.earlierPage(collection, page === 'last' ? 3 : Number(page)));
    }
  }
  const { body: present } = await ask(`${path}?as_of=`);
  findings.bytes('?as_of=', present, site.page(collection, 1));
  for (const [query, status, detail] of ERRORS) {
    const answer = await ask(path + query);
    findings.equal(query, [answer.status, answer.body.toString()], [status, JSON.stringify({ detail })]);
    findings.interfaceHeaders(query, answer);
  }
});
