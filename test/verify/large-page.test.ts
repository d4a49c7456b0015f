import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { inMemory } from '../../src/tree/tree-files.ts';
import { readInParts } from '../../src/verify/pages/large-page.ts';
import { verify } from '../../src/verify/verify.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { folderOfFile } from '../whole/stores.ts';
import { DamagedTree, one } from './damaged-tree.ts';
import { buildTree, importHistory } from './good-tree.ts';

/** The only page of accounts. Its only account has 600 records, together more than 8 MB. */
const PAGE = 'rest/account/index.json';
const SITE = { base_url: 'https://history.example', page_size: 100, account_page_size: 100 };
const LONG = 'x'.repeat(9990);

const folder = folderOfFile();
const [good, store] = [join(folder, 'good'), join(folder, 'store.db')];

const records = Array.from({ length: 600 }, (_, index) => {
  const id = 600 - index;
  const changed = `<span>${LONG}</span><del style="background:#ffe6e6;">${id - 1}</del><ins style="background:#e6ffe6;">${id}</ins>`;
  return {
    ...bioRecord(id),
    data_type: 'Bio' as const,
    previous: id === 1 ? null : id - 1,
    text: `${LONG}${id}`,
    diff_html: id === 1 ? `<ins style="background:#e6ffe6;">${LONG}1</ins>` : changed,
  };
});

function copy(damage: (tree: DamagedTree) => void): string {
  const tree = DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
  damage(tree);
  tree.reseal();
  return tree.folder;
}

const setUrl = (id: number) => (tree: DamagedTree) =>
  tree.editAccount('jack', ({ data }) =>
    Object.assign(
      one(data, (record) => record.id === id),
      { web_archive_url: 'https://other.example' },
    ),
  );

beforeAll(async () => {
  await importHistory(store, { records, accounts: [] });
  await buildTree(store, good, SITE);
});

describe('a page of accounts of more than 8 MB', () => {
  it('is read in parts, and verified without a violation', async () => {
    const bytes = new DamagedTree(good).bytes(PAGE);
    expect(bytes.length).toBeGreaterThan(1 << 23);
    const runs = readInParts(inMemory(bytes))?.accounts.map((account) => account.runs.map((run) => run().length));
    expect(runs).toEqual([[500, 100]]);
    for (const options of [{ out: good }, { out: good, store }])
      expect(await verify(options)).toMatchObject({ violations: [], notes: [], records: 600, accounts: 1 });
  });

  it.each([101, 100])('differs from the feed and from the store in record %i', async (id) => {
    const { violations } = await verify({ out: copy(setUrl(id)), store });
    expect(violations).toMatchObject([
      { rule: 'store-differs', path: PAGE, found: expect.stringContaining('at byte') },
      { rule: 'account-data-differs', path: PAGE, subject: `record ${id}`, found: expect.stringContaining('https://other.example') },
    ]);
  });

  it('has other bytes than a build writes', async () => {
    const out = copy((tree) => tree.editText('account', 1, (text) => `${text}\n`));
    expect((await verify({ out })).violations).toMatchObject([{ rule: 'page-bytes', path: PAGE }]);
  });
});
