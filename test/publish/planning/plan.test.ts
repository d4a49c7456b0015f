import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Comparison, UNKNOWN_DIGEST } from '../../../src/publish/planning/comparison.ts';
import { planPublish } from '../../../src/publish/planning/plan.ts';
import { stepsOf } from '../../../src/publish/planning/steps.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';
import { Digests } from '../../../src/tree/digests.ts';
import type { Encoding } from '../../../src/tree/encoding.ts';
import { slotCount } from '../../../src/tree/layout.ts';

/** Digests of a collection whose pages contain these texts. The index equals page 1, `last` equals the last page. */
function digestsOf(texts: readonly string[], encodings: readonly Encoding[] = []): Digests {
  const digests = new Digests(texts.length, encodings);
  const digest = (text = '') => (text === UNKNOWN_DIGEST ? Buffer.from(UNKNOWN_DIGEST, 'hex') : createHash('sha256').update(text).digest());
  texts.forEach((text, index) => {
    digests.set(index + 1, digest(text));
  });
  digests.set(0, digest(texts[0]));
  digests.set(texts.length + 1, digest(texts.at(-1)));
  const plain = slotCount(texts.length);
  for (let slot = plain; slot < slotCount(texts.length, encodings); slot += 1) digests.set(slot, digest(`${slot % plain} packed`));
  return digests;
}

const size: TreeSize = { records: 30, accounts: 1, data_pages: 3, account_pages: 1, page_size: 10, account_page_size: 10, compress: '' };

interface Side extends Partial<TreeSize> {
  readonly feed: readonly string[];
}

function compare(here: Side, there: Side | undefined, more: Partial<Comparison> = {}): Comparison {
  const { feed, ...sizes } = here;
  const { feed: oldFeed = [], ...oldSizes } = there ?? {};
  const digests = { data: digestsOf(feed), account: digestsOf(['a']) };
  const site = { palimpsest: '0.1.0', state: 'finished', base_url: 'https://example.org', store: '', manifest: '' } as const;
  return {
    build: { ...site, ...size, data_pages: feed.length, ...sizes },
    digests,
    sizes: { data: new Float64Array(slotCount(feed.length)).fill(100), account: new Float64Array(3).fill(100) },
    found: {
      trees: there === undefined ? [] : [{ ...size, data_pages: oldFeed.length, ...oldSizes }],
      digests:
        there === undefined ? { data: new Digests(0), account: new Digests(0) } : { data: digestsOf(oldFeed), account: digestsOf(['a']) },
      overlapped: { data: new Set(), account: new Set() },
      isScanned: false,
      isDamaged: false,
      isCurrent: true,
    },
    browsePairs: () => [],
    movement: undefined,
    sendsSortKeys: true,
    reads: 3,
    proof: undefined,
    hasOtherHeaders: false,
    concurrency: 32,
    prices: { write: 0.000005, read: 0.0000004 },
    ...more,
  };
}

function stepsFor(comparison: Comparison): string[] {
  const { stages, deleteStages } = planPublish(comparison);
  return [...stepsOf([...stages, ...deleteStages])].map(
    ({ action, path, reason }) => `${action} ${path.replace('/index.json', '')} ${reason}`,
  );
}

describe('a plan', () => {
  it('sends the entry page of readers last in a first publish', () => {
    expect(stepsFor(compare({ feed: ['x', 'y'] }, undefined))).toEqual([
      'upload rest/data/page/last new',
      'upload rest/data/page/2 new',
      'upload rest/data/page/1 new',
      'upload rest/data new',
      'upload rest/account/page/last new',
      'upload rest/account/page/1 new',
      'upload rest/account new',
    ]);
  });

  it('sends the entry page of readers last in every encoding, and compressed files before the file that they are copies of', () => {
    const comparison = compare({ feed: ['x', 'y'] }, { feed: ['v', 'w'] });
    const digests = { ...comparison.digests, data: digestsOf(['x', 'y'], ['gzip', 'brotli']) };
    const sizes = { ...comparison.sizes, data: new Float64Array(slotCount(2, ['gzip', 'brotli'])) };
    expect(stepsFor({ ...comparison, digests, sizes }).map((step) => step.split(' ')[1])).toEqual(
      ['data/page/last', 'data/page/2', 'data/page/1', 'data'].flatMap((path) =>
        ['.br', '.gz', ''].map((suffix) => `rest/${path}${suffix}`),
      ),
    );
  });

  it('has no steps if nothing has changed', () => {
    const plan = planPublish(compare({ feed: ['x', 'y'] }, { feed: ['x', 'y'] }));
    expect(plan).toMatchObject({
      uploads: 0,
      overlaps: 0,
      deletes: 0,
      requests: { all: 3, writes: 0, reads: 3, deletes: 0 },
      unchanged: 7,
      atTarget: 7,
    });
  });

  it('sends new pages before the pages that link to them, and changed pages from last to first', () => {
    expect(stepsFor(compare({ feed: ['n', 'x', 'z'], records: 35 }, { feed: ['x', 'y'] }))).toEqual([
      'upload rest/data/page/last changed',
      'upload rest/data/page/3 new',
      'upload rest/data/page/2 changed',
      'upload rest/data/page/1 changed',
      'upload rest/data changed',
    ]);
  });

  it('gives changed headers and unknown content as reasons', () => {
    expect(stepsFor(compare({ feed: ['x'] }, { feed: ['x'] }, { hasOtherHeaders: true }))[0]).toBe('upload rest/data/page/last headers');
    expect(stepsFor(compare({ feed: ['x', 'y'] }, { feed: ['x', UNKNOWN_DIGEST] }))).toContain('upload rest/data/page/2 unknown');
  });

  it('deletes files last, and gives the reason why readers may miss items', () => {
    const comparison = compare({ feed: ['x'], records: 10 }, { feed: ['x', 'y', 'z'] });
    expect(stepsFor(comparison).slice(-2)).toEqual(['delete rest/data/page/3 gone', 'delete rest/data/page/2 gone']);
    expect(planPublish(comparison).readerGaps).toEqual([
      'the tree has 20 fewer records than the target, so other records move to earlier pages',
    ]);
  });

  it('deletes compressed files from the last page to the first, and then removed pages', () => {
    const comparison = compare({ feed: ['x', 'y'] }, { feed: ['x', 'y', 'z'] });
    const digests = { data: digestsOf(['x', 'y', 'z'], ['gzip', 'brotli']), account: digestsOf(['a'], ['gzip']) };
    const steps = stepsFor({ ...comparison, found: { ...comparison.found, digests } });
    expect(steps.filter((step) => step.startsWith('delete')).map((step) => step.split(' ')[1])).toEqual([
      ...['last', '2', '1'].flatMap((page) => ['.br', '.gz'].map((suffix) => `rest/data/page/${page}${suffix}`)),
      ...['rest/data.br', 'rest/data.gz'],
      ...['rest/data/page/3.br', 'rest/data/page/3.gz', 'rest/data/page/3'],
      ...['rest/account/page/last.gz', 'rest/account/page/1.gz', 'rest/account.gz'],
    ]);
  });

  it.each([
    ['in parallel if nothing has changed', ['x', 'y'], false, false],
    ['one by one if a page has changed', ['w', 'y'], false, true],
    ['one by one if their items may differ from those of their pages', ['x', 'y'], true, true],
  ])('deletes compressed files %s', (_, feed, isScanned, isInTurn) => {
    const comparison = compare({ feed }, { feed: ['x', 'y'] });
    const digests = { ...comparison.found.digests, data: digestsOf(['x', 'y'], ['gzip']) };
    const { deleteStages } = planPublish({ ...comparison, found: { ...comparison.found, digests, isScanned } });
    // the files of both pages, of the index and of the last page
    expect(deleteStages.map((stage) => [...stage()].length)[0]).toBe(isInTurn ? 1 : 4);
  });

  it.each([
    [{ page_size: 20 }, 'pages hold 20 records instead of 10'],
    [{ account_page_size: 20 }, 'pages hold 20 accounts instead of 10'],
    [{ accounts: 0 }, 'the tree has 1 fewer account than the target, so other accounts move to earlier pages'],
  ])('reports for %o that readers may miss items in any order', (sizes, gap) => {
    expect(planPublish(compare({ feed: ['x'], ...sizes }, { feed: ['y'] })).readerGaps).toEqual([gap]);
  });

  it('writes overlap pages for all pages if records move far, except for those that already are overlap pages', () => {
    const here = { feed: ['5', '4', '3', '2', '1'], records: 90 };
    const there = { feed: ['e', 'd', 'c', 'b', 'a'] };
    const overlaps = stepsFor(compare(here, there)).filter((step) => step.startsWith('overlap'));
    expect(overlaps.map((step) => step.split(' ')[1])).toEqual([5, 4, 3, 2].map((page) => `rest/data/page/${page}`));
    const comparison = compare(here, there);
    const found = { ...comparison.found, overlapped: { data: new Set([5, 3]), account: new Set<number>() } };
    expect(planPublish({ ...comparison, found }).overlaps).toBe(2);
  });

  it('counts requests and bytes, and computes the cost', () => {
    const plan = planPublish(compare({ feed: ['n', 'x'], records: 31 }, { feed: ['x', 'y'] }));
    // four files and five other writes: the state twice, the sort keys, the build record and the manifest
    expect(plan).toMatchObject({ uploads: 4, bytes: 400, requests: { all: 12, writes: 9, reads: 3, deletes: 0 } });
    expect(plan.cost).toBeCloseTo(9 * 0.000005 + 3 * 0.0000004, 12);
  });

  it('counts overlap pages, deletes, browse files and the proof of conditions', () => {
    const there = { feed: ['e', 'd', 'c', 'b', 'a'] };
    const pairs = [
      { path: 'browse/new.html', wanted: 'a', there: undefined, isListed: false, bytes: 5 },
      { path: 'browse/gone.html', wanted: undefined, there: 'b', isListed: true, bytes: 0 },
    ];
    const more = { proof: { writes: 2, reads: 3, deletes: 1 }, browsePairs: () => pairs };
    // seven files of the feed and one of browse; four overlap pages; seven other writes: with the browse files in the manifest
    expect(planPublish(compare({ feed: ['5', '4', '3', '2', '1'], records: 90 }, there, more))).toMatchObject({
      ...{ uploads: 8, overlaps: 4, deletes: 1, bytes: 705 + 4 * 200, unchanged: 3, atTarget: 11, isIdle: false },
      requests: { writes: 8 + 4 + 6 + 2, reads: 3 + 4 + 3, deletes: 1 + 1, all: 20 + 10 + 2 },
    });
    expect(planPublish(compare(there, there, more))).toMatchObject({ uploads: 1, deletes: 1, isIdle: false });
    expect(planPublish(compare(there, there, { proof: more.proof }))).toMatchObject({ isIdle: true, requests: { all: 3 } });
  });

  it('counts only the files that the target has', () => {
    const comparison = compare({ feed: ['x', 'y'] }, { feed: ['x', 'y'] });
    const data = new Digests(2);
    data.copy(comparison.digests.data, 1);
    const digests = { ...comparison.found.digests, data };
    expect(planPublish({ ...comparison, found: { ...comparison.found, digests } }).atTarget).toBe(1 + 3);
  });
});
