import { describe, expect, it } from 'vitest';
import { checkGuards, explainsDeletes, type Limits, lackingIn } from '../../../src/publish/planning/guards.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';

const SITE = 'https://x.example';
const IDLE = {
  isIdle: false,
  deletes: 0,
  atTarget: 10,
  readerGaps: [],
  areDeletesAllowed: false,
  lacking: [],
  exclusions: { store: 0, target: 0 },
  removedInTree: { accounts: 0, of: 'current' as const },
};
const LIMITS: Limits = { maxDelete: { most: 2 }, allowGaps: false, allowLoopback: false, allowOtherBaseUrl: false, replace: false };
const check = (plan: object, limits: Partial<Limits> = {}, ours = SITE, there: string | undefined = undefined) =>
  checkGuards('s3://b', { ...IDLE, baseUrl: ours, baseUrlThere: there, ...plan }, { ...LIMITS, ...limits });

describe('the guards', () => {
  it.each([
    [{ deletes: 2 }, { maxDelete: { most: 2 } }],
    [{ deletes: 2 }, { maxDelete: { share: 0.29 } }],
    [{ deletes: 9, areDeletesAllowed: true }, { maxDelete: { most: 2 } }],
    [{ readerGaps: ['fewer'] }, { allowGaps: true }],
    [{ exclusions: { store: 3, target: 2 } }, {}],
    [{ exclusions: { store: 1, target: 2 } }, { replace: true }],
  ] as const)('let a plan with %j pass with %j', (plan, limits) => expect(check(plan, limits)).toEqual([]));

  it.each([
    [{}, { allowLoopback: true }],
    [{ isIdle: true }, {}],
  ])('let a local tree pass with %j and %j', (plan, limits) => expect(check(plan, limits, 'http://localhost')).toEqual([]));

  it.each([
    [1, { most: 0 }, 'at most 0', '1 file that the tree no longer has'],
    [3, { share: 0.25 }, 'at most 2 (25 % of 10 files)', '3 files that the tree no longer has'],
  ])('refuse %i deletes with %j', (deletes, maxDelete, expected, found) => {
    expect(check({ deletes }, { maxDelete })).toMatchObject([
      {
        code: 'too-many-deletes',
        message: `${deletes} of the 10 files at s3://b would be deleted`,
        expected,
        found,
        hint: `check the deletes that --dry-run --json lists; if they are right, publish with --max-delete ${deletes}. Deletes after palimpsest remove need no option if --store names the store`,
      },
    ]);
  });

  it('say what the target has and the tree lacks, and how to build it', () => {
    const lacking = [
      { what: '429 files of HTML pages', option: '--html' },
      { what: 'compressed copies (gzip)', option: '--compress gzip' },
    ];
    const [refusal] = check({ deletes: 3, lacking });
    expect(refusal?.found).toContain('longer has; the target has 429 files of HTML pages, and the tree does not; the target');
    expect(refusal?.hint).toMatch(/^build again with --html --compress gzip, then publish; or check the deletes/);
  });

  it('refuse a tree with another base URL than the one at the target', () => {
    const typo = 'https://y.example';
    expect(check({}, {}, typo, SITE)).toMatchObject([
      { code: 'other-base-url', found: `the base URL ${typo}`, hint: expect.stringContaining(`--base-url ${SITE}`) },
    ]);
    expect(check({}, { allowOtherBaseUrl: true }, typo, SITE)).toEqual([]);
  });

  it.each([
    [0, 1, 'at least 1 removed account', 'no removed account'],
    [1, 2, 'at least 2 removed accounts', '1 removed account'],
  ])(
    'refuse a store with %i removals if that of the last publish had %i, also if nothing else changed',
    (store, target, expected, found) => {
      expect(check({ exclusions: { store, target }, isIdle: true }, { allowGaps: true })).toMatchObject([
        { code: 'store-diverged', expected, found, hint: expect.stringMatching(/newest store.*publish with --replace$/) },
      ]);
    },
  );

  it('say all that is wrong with a plan', () => {
    expect(check({ deletes: 3, readerGaps: ['fewer', 'larger'] }, {}, 'http://localhost')).toMatchObject([
      { code: 'loopback-url' },
      { code: 'too-many-deletes' },
      {
        code: 'reader-gaps',
        message: 'readers who follow the next links of s3://b would miss records or accounts, whatever the order of the uploads',
        expected: 'at least as many records and accounts as before, on pages that are not larger',
        found: 'fewer; larger',
        hint: 'check that the tree is of the newest store; then publish with --allow-gaps if readers may miss some records or accounts once',
      },
    ]);
  });
});

const TREE: TreeSize = { records: 9, accounts: 3, data_pages: 1, account_pages: 1, page_size: 9, account_page_size: 5, compress: 'gzip/1' };
const [REMOVED, BROWSE] = [
  { records: 4, accounts: 1 },
  { files: 2, atTarget: 3 },
];
/** The tree before the removal. */
const BEFORE = { ...TREE, records: 13, accounts: 4 };

it.each([
  ['the target has the removed accounts and no others', true, REMOVED, [BEFORE], BROWSE],
  ['the target may also have the tree itself', true, REMOVED, [BEFORE, TREE], BROWSE],
  ['the target has no trees', true, REMOVED, [], BROWSE],
  ['neither side has HTML pages', true, REMOVED, [BEFORE], { files: 0, atTarget: 0 }],
  ['nothing was removed', false, { records: 0, accounts: 0 }, [TREE], BROWSE],
  ['more records are gone than were removed', false, REMOVED, [TREE, { ...BEFORE, records: 14 }], BROWSE],
  ['more accounts are gone than were removed', false, REMOVED, [{ ...BEFORE, accounts: 5 }, TREE], BROWSE],
  ['the pages of records have another size', false, REMOVED, [{ ...BEFORE, page_size: 8 }], BROWSE],
  ['the pages of accounts have another size', false, REMOVED, [{ ...BEFORE, account_page_size: 4 }], BROWSE],
  ['the compressed copies are others', false, REMOVED, [{ ...BEFORE, compress: '' }], BROWSE],
  ['the tree lacks all HTML pages', false, REMOVED, [BEFORE], { files: 0, atTarget: 3 }],
])('if %s, a removal explains the deletes: %s', (_, explains, removal, trees, browse) => {
  expect(explainsDeletes(removal, TREE, trees, browse)).toBe(explains);
});

const PLAIN = { ...TREE, compress: '' };
const NO_BROWSE = { files: 0, atTarget: 0 };

it.each([
  ['nothing, if the target is empty', [], NO_BROWSE, []],
  ['nothing, if the target has the same', [PLAIN], NO_BROWSE, []],
  ['nothing, if the tree has HTML pages, too', [PLAIN], { files: 400, atTarget: 429 }, []],
  ['HTML pages', [PLAIN], { files: 0, atTarget: 429 }, ['429 files of HTML pages: --html']],
  [
    'compressed copies',
    [{ ...PLAIN, compress: 'gzip/1.3.1 brotli/1.1.0' }],
    NO_BROWSE,
    ['compressed copies (gzip, brotli): --compress gzip,brotli'],
  ],
  [
    'smaller pages',
    [{ ...PLAIN, page_size: 5, account_page_size: 2 }],
    NO_BROWSE,
    ['pages of 5 items: --page-size 5', 'pages of 2 items: --account-page-size 2'],
  ],
  ['no larger pages, which are fewer', [{ ...PLAIN, page_size: 500 }], NO_BROWSE, []],
] as const)('a tree lacks %s', (_, trees, browse, lacking) =>
  expect(lackingIn(PLAIN, trees, browse).map(({ what, option }) => `${what}: ${option}`)).toEqual(lacking),
);
