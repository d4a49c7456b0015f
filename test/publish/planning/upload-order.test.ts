import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FoundTree, UNKNOWN_DIGEST } from '../../../src/publish/planning/tree-comparison.ts';
import { planCollection } from '../../../src/publish/planning/upload-order.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';
import type { Encoding } from '../../../src/tree/encoding.ts';
import { pathsOfPages } from '../../../src/tree/layout.ts';
import { Digests } from '../../../src/tree/manifest/digests.ts';
import { comparing } from './comparisons.ts';

const COLLECTION = 'data';
const SIZE: TreeSize = {
  ...{ records: 50, accounts: 0, data_pages: 5, account_pages: 5 },
  ...{ page_size: 10, account_page_size: 10, compress: 'gzip/1.3.1' },
};

/** Digests of files by their paths below the folder of the collection; all others have the same one, and '' is no file. */
function digestsOf(pages: number, encodings: readonly Encoding[], texts: Record<string, string>): Digests {
  const digests = new Digests({ pages: { data: pages, account: 1 }, encodings });
  for (const path of pathsOfPages(digests)) {
    const text = path.startsWith('rest/account/') ? '' : (texts[path.replace('rest/data/', '')] ?? 'same');
    if (text === 'unknown') digests.set(path, UNKNOWN_DIGEST);
    else if (text !== '') digests.set(path, hash('sha256', text));
  }
  return digests;
}

interface Case {
  readonly pages?: number;
  readonly encodings?: readonly Encoding[];
  /** The texts of files at the target that differ from those of the tree. */
  readonly there?: Record<string, string>;
  readonly pagesThere?: number;
  readonly encodingsThere?: readonly Encoding[];
  readonly found?: Partial<FoundTree>;
  readonly leaving?: readonly number[];
}

/** The stages of a plan: for each, its lanes of file names. */
function plan({ pages = 5, encodings = ['gzip'], there = {}, leaving, ...rest }: Case) {
  const { pagesThere = pages, encodingsThere = encodings, found = {} } = rest;
  const moved = { forward: 0, firstForward: 0, shift: 1, leaving: Uint8Array.from(leaving ?? []) };
  const comparison = comparing({
    build: SIZE,
    digests: digestsOf(pages, encodings, {}),
    found: { trees: [SIZE], digests: digestsOf(pagesThere, encodingsThere, there), ...found },
    movement: leaving === undefined ? undefined : { data: moved, account: moved },
  });
  const { stages, deleteStages } = planCollection(comparison, COLLECTION);
  return { steps: stages.map((stage) => [...stage()].map((lane) => [...lane])), deletes: deleteStages.map((stage) => [...stage()].length) };
}

/** The numbers of the pages that each stage writes. */
const pagesIn = (one: Case): string[][] =>
  plan(one).steps.map((lanes) => [...new Set(lanes.flat().map(({ path }) => /page\/(\w+)/.exec(path)?.[1] ?? 'index'))]);

const trees = (...sizes: Partial<TreeSize>[]) => ({ found: { trees: sizes.map((size) => ({ ...SIZE, ...size })) } });
/** Page 4 with other bytes and without its compressed copy, as a killed run leaves it. */
const HALF = { 'page/4/index.json': 'other', 'page/4/index.json.gz': '' };

describe('a page that is written', () => {
  it.each<readonly [string, Case, readonly (readonly string[])[]]>([
    ['first if no reader can reach it', { there: HALF, ...trees({ data_pages: 3 }, {}) }, [['4'], [], [], []]],
    ['in its turn if a reader can reach it', { there: HALF, ...trees({ data_pages: 4 }, {}) }, [[], [], [], ['4']]],
    [
      'in its turn if none of its files is missing',
      { there: { 'page/4/index.json': 'other', 'page/4/index.json.gz': 'other' }, ...trees({ data_pages: 3 }) },
      [[], [], [], ['4']],
    ],
    [
      'in its turn if only its compressed copies are new at the target',
      { there: HALF, ...trees({ data_pages: 3, compress: '' }, { data_pages: 3 }) },
      [[], [], [], ['4']],
    ],
    [
      'in its turn if one of its encodings is new at the target',
      { there: HALF, encodings: ['gzip', 'brotli'], ...trees({ data_pages: 3 }) },
      [[], [], [], ['4']],
    ],
    ['in its turn if its content is not known', { there: { 'page/4/index.json': 'unknown' } }, [[], [], [], ['4']]],
    ['first if it is new', { there: { 'page/4/index.json': '', 'page/4/index.json.gz': '' } }, [['4'], [], [], []]],
    ['in its turn if it is page 1 and new', { there: { 'page/1/index.json': '' } }, [[], [], [], ['1']]],
    ['first if only its second path has changed', { there: { 'page/last/index.json': 'other' } }, [['last'], [], [], []]],
    ['first if it keeps its items', { there: HALF, leaving: [0, 0, 0, 0, 0, 0] }, [['4'], [], [], []]],
    ['in its turn if an item leaves it', { there: HALF, leaving: [0, 0, 0, 0, 1, 0] }, [[], [], [], ['4']]],
    ['in its turn if it can be of two trees', { there: HALF, leaving: [0, 0, 0, 0, 0, 0], ...trees({}, {}) }, [[], [], [], ['4']]],
    [
      'after new pages if it will link to them',
      { there: HALF, leaving: [0, 0, 0, 0, 0, 0], ...trees({ data_pages: 4 }) },
      [[], ['4'], [], []],
    ],
    ['first if it stays the last one', { there: { 'page/5/index.json': 'other' }, leaving: [0, 0, 0, 0, 0, 0] }, [['5'], [], [], []]],
  ])('%s', (_, one, stages) => expect(pagesIn(one)).toEqual(stages));

  it('has no lane if nothing has changed', () => expect(plan({}).steps).toEqual([[], [], [], []]));

  it('is an overlap page in the files that the target has', () => {
    const there = { ...HALF, 'page/3/index.json': 'other', 'page/3/index.json.gz': 'other' };
    const { steps } = plan({ there, ...trees({ records: 0 }) });
    const digest = hash('sha256', 'same');
    const file = (page: number, bytes: number, suffix = '') => ({ path: `rest/data/page/${page}/index.json${suffix}`, digest, bytes });
    expect(steps[2]).toEqual([[{ action: 'overlap', ...file(4, 200), reason: 'changed' }]]);
    expect(steps[3]?.[0]).toEqual([
      { action: 'upload', ...file(4, 100, '.gz'), reason: 'new' },
      { action: 'upload', ...file(4, 100), reason: 'changed' },
    ]);
  });
});

describe('a file that is deleted', () => {
  it('is one after another if some pages move and one links to new ones', () => {
    const there = { 'page/4/index.json': 'other', 'page/3/index.json': 'other' };
    const one = { encodings: [], encodingsThere: ['gzip'], there, leaving: [0, 0, 0, 1, 0, 0], ...trees({ data_pages: 4 }) } as const;
    expect([pagesIn(one), plan(one).deletes]).toEqual([
      [[], ['4'], [], ['3']],
      [1, 0],
    ]);
  });

  it('is not one that the target does not have', () => {
    expect(plan({ pagesThere: 7, encodings: [], there: { 'page/7/index.json': '' } }).deletes).toEqual([0, 1]);
  });
});
