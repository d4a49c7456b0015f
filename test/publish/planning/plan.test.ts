import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { planPublish } from '../../../src/publish/planning/plan.ts';
import { stepsOf } from '../../../src/publish/planning/steps.ts';
import { type Comparison, UNKNOWN_DIGEST } from '../../../src/publish/planning/tree-comparison.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';
import { type Encoding, SUFFIXES } from '../../../src/tree/encoding.ts';
import { pagePath, pathsOf } from '../../../src/tree/layout.ts';
import { Digests } from '../../../src/tree/manifest/digests.ts';
import { comparing } from './comparisons.ts';

/** Digests of a feed whose pages contain these texts, and of one page of accounts. The index equals page 1, `last` equals the last page. */
function digestsOf(feed: readonly string[], encodings: readonly Encoding[] = []): Digests {
  const digests = new Digests({ pages: { data: feed.length, account: 1 }, encodings });
  const digest = (text = '') => (text === UNKNOWN_DIGEST ? text : hash('sha256', text));
  const add = (path: string, text: string) => {
    digests.set(path, digest(text));
    for (const encoding of encodings) digests.set(path + SUFFIXES[encoding], digest(`${text} packed`));
  };
  for (const [index, text] of feed.entries()) for (const path of pathsOf('data', index + 1, feed.length)) add(path, text);
  for (const path of pathsOf('account', 1, 1)) add(path, 'a');
  return digests;
}

const size: TreeSize = { records: 30, accounts: 1, data_pages: 3, account_pages: 1, page_size: 10, account_page_size: 10, compress: '' };

interface Side extends Partial<TreeSize> {
  readonly feed: readonly string[];
}

function compare(here: Side, there: Side | undefined, more: Partial<Omit<Comparison, 'found'>> = {}): Comparison {
  const { feed, ...sizes } = here;
  const { feed: oldFeed = [], ...oldSizes } = there ?? {};
  return comparing({
    build: { ...size, data_pages: feed.length, ...sizes },
    digests: digestsOf(feed),
    found: {
      trees: there === undefined ? [] : [{ ...size, data_pages: oldFeed.length, ...oldSizes }],
      digests: there === undefined ? new Digests({ pages: { data: 0, account: 0 }, encodings: [] }) : digestsOf(oldFeed),
    },
    ...more,
  });
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
    const digests = digestsOf(['x', 'y', 'z'], ['gzip', 'brotli']);
    const steps = stepsFor({ ...comparison, found: { ...comparison.found, digests } });
    expect(steps.filter((step) => step.startsWith('delete')).map((step) => step.split(' ')[1])).toEqual([
      ...['last', '2', '1'].flatMap((page) => ['.br', '.gz'].map((suffix) => `rest/data/page/${page}${suffix}`)),
      ...['rest/data.br', 'rest/data.gz'],
      ...['rest/data/page/3.br', 'rest/data/page/3.gz', 'rest/data/page/3'],
      ...['page/last', 'page/1'].flatMap((path) => ['.br', '.gz'].map((suffix) => `rest/account/${path}${suffix}`)),
      ...['rest/account.br', 'rest/account.gz'],
    ]);
  });

  it.each([
    ['in parallel if nothing has changed', ['x', 'y'], false, false],
    ['one by one if a page has changed', ['w', 'y'], false, true],
    ['one by one if their items may differ from those of their pages', ['x', 'y'], true, true],
  ])('deletes compressed files %s', (_, feed, isScanned, isInTurn) => {
    const comparison = compare({ feed }, { feed: ['x', 'y'] });
    const digests = digestsOf(['x', 'y'], ['gzip']);
    const { deleteStages } = planPublish({ ...comparison, found: { ...comparison.found, digests, isScanned } });
    // the files of both pages, of the index and of the last page
    expect(deleteStages.map((stage) => [...stage()].length)[0]).toBe(isInTurn ? 1 : 4);
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
      { path: 'browse/new.html', wanted: 'a', there: undefined, isListed: false },
      { path: 'browse/gone.html', wanted: undefined, there: 'b', isListed: true },
    ];
    const more = { proof: { writes: 2, reads: 3, deletes: 1 }, browsePairs: () => pairs };
    // seven files of the feed and one of browse; four overlap pages; seven other writes: with the browse files in the manifest
    expect(planPublish(compare({ feed: ['5', '4', '3', '2', '1'], records: 90 }, there, more))).toMatchObject({
      ...{ uploads: 8, overlaps: 4, deletes: 1, bytes: 705 + 4 * 200, unchanged: 3, atTarget: 11, isIdle: false },
      requests: { writes: 8 + 4 + 6 + 2, reads: 3 + 4 + 3, deletes: 1 + 1, all: 20 + 10 + 2 },
    });
    expect(planPublish(compare(there, there, more))).toMatchObject({ uploads: 1, deletes: 1, isIdle: false });
    expect(planPublish(compare(there, there, { proof: more.proof }))).toMatchObject({ isIdle: true, requests: { all: 3 } });
    // publish.json gets the new count
    expect(planPublish(compare(there, there, { exclusions: { store: 3, target: 2 } }))).toMatchObject({ uploads: 0, isIdle: false });
  });

  it('counts only the files that the target has', () => {
    const comparison = compare({ feed: ['x', 'y'] }, { feed: ['x', 'y'] });
    const digests = new Digests(comparison.digests);
    for (const path of [pagePath('data', 1), ...pathsOf('account', 1, 1)]) digests.set(path, comparison.digests.get(path));
    expect(planPublish({ ...comparison, found: { ...comparison.found, digests } }).atTarget).toBe(1 + 3);
  });
});
