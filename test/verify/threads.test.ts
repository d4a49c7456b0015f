import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/tree/build/build.ts';
import { verify } from '../../src/verify/verify.ts';
import type { Rule } from '../../src/verify/violation.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { folderOfFile } from '../whole/stores.ts';
import { DamagedTree } from './damaged-tree.ts';
import { flipByte, zipOf } from './damaged-zip.ts';
import { importHistory } from './good-tree.ts';

/** 134 pages of the feed and 67 of accounts: with fewer than 200, verify starts no threads. */
const [RECORDS, ACCOUNTS] = [268, 134];
const SITE = { base_url: 'https://history.example', page_size: 2, account_page_size: 2 };
/** The first page of the second range of pages. A thread checks 32 pages at once. */
const SECOND_RANGE = 33;
/** The index of the first item of that range. */
const FIRST_OF_RANGE = (SECOND_RANGE - 1) * 2;

const folder = folderOfFile();
const [good, store] = [join(folder, 'good'), join(folder, 'store.db')];

/** Two records of each account. There are notes on pages of all ranges, and where a range begins. */
const records = Array.from({ length: RECORDS }, (_, index) => {
  const id = RECORDS - index;
  const isEdge = index === FIRST_OF_RANGE;
  const isNoted = isEdge || index % 50 === 0;
  const before = id > ACCOUNTS ? id - ACCOUNTS : null;
  const removed = before === null ? '' : `<del style="background:#ffe6e6;">bio ${before}</del>`;
  return {
    ...bioRecord(id),
    data_type: 'Bio' as const,
    account: `user_${id % ACCOUNTS}`,
    previous: isNoted ? 0 : before,
    first_encountered_date: isEdge ? '2098-01-01T00:00:00Z' : '2023-11-18T16:29:12Z',
    diff_html: `${isEdge ? '<b>' : ''}${removed}<ins style="background:#e6ffe6;">bio ${id}</ins>${isNoted ? ' ' : ''}`,
  };
});

beforeAll(async () => {
  await importHistory(store, { records, accounts: [] });
  await build(store, { out: good, site: SITE });
});

/** Damages that a thread does not see on its own pages, and others. */
const DAMAGES: readonly (readonly [name: string, rule: Rule, withStore: boolean, damage: (tree: DamagedTree) => void])[] = [
  [
    'a record after an older one, where a range of pages begins',
    'record-order',
    false,
    (tree) => tree.editFeed((all) => swapped(all, FIRST_OF_RANGE)),
  ],
  [
    'a second account of the same name',
    'account-twice',
    false,
    (tree) => tree.editAccounts((all) => [...all, { ...all[0], data: [], data_page_count: 0 }]),
  ],
  [
    'a record that is not in its account',
    'account-data-missing',
    false,
    (tree) => tree.editAccounts((all) => all.map((account, at) => (at === 100 ? { ...account, data: account.data.slice(1) } : account))),
  ],
  [
    'a record that is neither in the feed nor in its account',
    'store-differs',
    true,
    (tree) => {
      tree.editFeed((all) => all.slice(1));
      tree.editAccounts((all) => all.map((account) => ({ ...account, data: account.data.filter(({ id }) => id !== RECORDS) })));
    },
  ],
];

function swapped<T>(items: readonly T[], at: number): T[] {
  return [...items.slice(0, at - 1), ...items.slice(at, at + 1), ...items.slice(at - 1, at), ...items.slice(at + 1)];
}

describe('verify on threads', () => {
  it('finds in a folder and in a ZIP the same notes as without threads, in the same order', async () => {
    const alone = await verify({ out: good, store });
    expect(alone).toMatchObject({ violationCount: 0, records: RECORDS });
    expect(Object.keys(alone.notesByRule).sort()).toEqual([
      ...['imported-diff-form', 'imported-record-date', 'imported-record-markup', 'record-predecessor'],
    ]);
    const zip = zipOf(good, join(temporaryFolder(), 'history.zip'));
    expect(await verify({ out: good, store, threads: 2 })).toEqual(alone);
    flipByte(zip, `rest/data/page/${SECOND_RANGE}/index.json`, -20);
    expect(await verify({ out: zip, store, threads: 2 })).toEqual(await verify({ out: zip, store }));
  });

  // with a store, the comparison of each page finds the damages of pages too
  // one thread is enough: what it finds in ranges of pages is merged in the same way
  it.each(DAMAGES)('reports the same violations as without threads: %s', async (_, rule, withStore, damage) => {
    const tree = DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
    damage(tree);
    tree.reseal();
    const options = { out: tree.folder, store: withStore ? store : undefined };
    const alone = await verify(options);
    expect(alone.violations.map((violation) => violation.rule)).toContain(rule);
    expect(await verify({ ...options, threads: 1 })).toEqual(alone);
  });
});
