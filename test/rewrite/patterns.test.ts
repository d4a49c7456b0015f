import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { respond } from '../../src/rewrite/fetch-handler.ts';
import { inFiles } from '../../src/rewrite/files.ts';
import { accepts, DIGITS, lastParameter, literal, NO_PARAMETER, number, parameter, VALUE } from '../../src/rewrite/patterns.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { queries } from '../drf/queries.ts';
import { times } from '../support/proof.ts';

const QUERIES = times('queries', 1500, 50_000);

/** The page that the patterns find in two steps: which value is the last, and what it is; 404 where it is none. */
function inTwoSteps(query: string): string {
  const value = new RegExp(parameter(`(${VALUE})`)).exec(query)?.[1] ?? '';
  if (value === '') return '1';
  if (value === 'last') return 'last';
  return new RegExp(`^${number(`(${DIGITS})`)}$`).exec(value)?.[1] ?? '404';
}

/** The same in one step, which needs a lookahead. */
function inOneStep(query: string): string {
  const page = new RegExp(`^${lastParameter(`=${number(`(${DIGITS})`)}`)}`).exec(query)?.[1];
  if (page !== undefined) return page;
  if (new RegExp(`^${lastParameter('=last')}`).test(query)) return 'last';
  return [lastParameter('=?'), NO_PARAMETER].some((pattern) => new RegExp(`^${pattern}`).test(query)) ? '1' : '404';
}

function byTheFunction(query: string): string {
  const { file } = resolve('GET', '/rest/data/', query);
  if (file === undefined) return '404';
  return /page\/(.*)\/index/.exec(file)?.[1] ?? '1';
}

describe('the patterns', () => {
  test('find the same page in one step as in two', () => {
    fc.assert(
      fc.property(queries, (query) => {
        expect(inOneStep(query)).toBe(inTwoSteps(query));
      }),
      { numRuns: QUERIES },
    );
  });

  test('never find a different page than the function, but may find no page', () => {
    let found = 0;
    fc.assert(
      fc.property(queries, (query) => {
        const page = inTwoSteps(query);
        if (page !== '404') expect(page, query).toBe(byTheFunction(query));
        if (page !== '404' && page !== '1') found += 1;
      }),
      { numRuns: QUERIES },
    );
    expect(found).toBeGreaterThan(15);
  });

  test('find every page in plain notation', () => {
    const plain = fc
      .array(fc.constantFrom(...'page= page page=2 page=13 page=last page=abc page=02 page=+2 xpage=3 PAGE=3 a=1 p%61ge=7'.split(' ')), {
        maxLength: 5,
      })
      .map((parameters) => parameters.join('&'));
    fc.assert(
      fc.property(plain, (query) => {
        expect(inTwoSteps(query)).toBe(byTheFunction(query));
      }),
      { numRuns: QUERIES },
    );
  });

  test('match in linear time', () => {
    for (const query of [
      `${'page=0_'.repeat(2000)}x`,
      `page=${'0_'.repeat(5000)}x`,
      `page=${'+'.repeat(10_000)}x`,
      `${'page=2&'.repeat(3000)}page=x`,
      '&'.repeat(20_000),
    ]) {
      expect(inTwoSteps(query)).toBe(byTheFunction(query));
      expect(inOneStep(query)).toBe(byTheFunction(query));
    }
  });

  test('match an escaped literal only with itself', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w.~/()+*?[\]{}|^$\\-]{0,12}$/), fc.string(), (text, other) => {
        const pattern = new RegExp(`^${literal(text)}$`);
        expect(pattern.test(text)).toBe(true);
        expect(pattern.test(other)).toBe(other === text);
      }),
    );
  });
});

describe('the pattern for Accept-Encoding', () => {
  /** The encoding that fetch-handler.ts chooses, if the tree has pages in that encoding. */
  async function chosen(header: string, name: string): Promise<string | null> {
    const asked = { method: 'GET', url: 'https://a.example/rest/data/', headers: new Headers({ 'Accept-Encoding': header }) };
    const { headers } = await respond(
      asked,
      '',
      inFiles(async () => new Uint8Array(1), [{ name, suffix: '.packed' }]),
      console.error,
    );
    return headers.get('Content-Encoding');
  }

  const weight = fc.constantFrom('', ';q=1', '; q=0.5', ';q=0', '; Q = 0', ' ; q=0.0', ';q=0.000', ';q=0.001', ';q=1.0', ' ;q =0');
  const part = fc.tuple(fc.constantFrom('gzip', 'GZip', 'br', 'BR', 'gzipped', 'x-gzip', 'identity', '*', ''), weight);
  const header = fc
    .array(part, { maxLength: 4 })
    .chain((parts) => fc.constantFrom(',', ', ', ' , ').map((comma) => parts.map((pair) => pair.join('')).join(comma)));

  test.each(['gzip', 'br'])('decides like the function for %s', async (coding) => {
    const pattern = new RegExp(accepts(coding), 'i');
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const isAccepted = (await chosen(text, coding)) === coding;
        expect(pattern.test(text), text).toBe(isAccepted);
        if (isAccepted) accepted += 1;
      }),
      { numRuns: times('Accept-Encoding headers', 400, 10_000) },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});
