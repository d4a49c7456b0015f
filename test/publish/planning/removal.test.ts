import { expect, it } from 'vitest';
import { explainsDeletes } from '../../../src/publish/planning/removal.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';

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
