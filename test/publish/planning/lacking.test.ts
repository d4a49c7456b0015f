import { expect, it } from 'vitest';
import { lackingIn } from '../../../src/publish/planning/guards.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';

const TREE: TreeSize = { records: 9, accounts: 3, data_pages: 1, account_pages: 1, page_size: 100, account_page_size: 100, compress: '' };
const NO_BROWSE = { files: 0, atTarget: 0 };

it.each([
  ['nothing, if the target is empty', [], NO_BROWSE, []],
  ['nothing, if the target has the same', [TREE], NO_BROWSE, []],
  ['nothing, if the tree has HTML pages, too', [TREE], { files: 400, atTarget: 429 }, []],
  ['HTML pages', [TREE], { files: 0, atTarget: 429 }, ['429 files of HTML pages: --html']],
  [
    'compressed copies',
    [{ ...TREE, compress: 'gzip/1.3.1 brotli/1.1.0' }],
    NO_BROWSE,
    ['compressed copies (gzip, brotli): --compress gzip,brotli'],
  ],
  [
    'smaller pages',
    [{ ...TREE, page_size: 50, account_page_size: 20 }],
    NO_BROWSE,
    ['pages of 50 items: --page-size 50', 'pages of 20 items: --account-page-size 20'],
  ],
  ['no larger pages, which are fewer', [{ ...TREE, page_size: 500 }], NO_BROWSE, []],
] as const)('a tree lacks %s', (_, trees, browse, lacking) =>
  expect(lackingIn(TREE, trees, browse).map(({ what, option }) => `${what}: ${option}`)).toEqual(lacking),
);
