import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { CHANGED_ACCOUNTS } from '../../../src/browse/paths.ts';
import type { ChangeRecord } from '../../../src/contract/record.ts';
import { elementsNamed, textOf } from '../parsed-html.ts';
import { browseFiles, historyOf, SITE, storeOf } from '../small-site.ts';

const ACCOUNTS = 450;

/** The first values of all accounts, then the changes, and then the first values of one more account: more than are read at once. */
const RECORDS: readonly Partial<ChangeRecord>[] = [
  ...Array.from({ length: ACCOUNTS }, (_, n) => ({ account: `user_${n}`, previous: null })),
  ...[1, 2, 3, 4].flatMap((round) => Array.from({ length: ACCOUNTS / round }, (_, n) => ({ account: `user_${n}` }))),
  ...Array.from({ length: 700 }, () => ({ account: 'late', previous: null })),
];

it('the accounts with the newest and with the most changes are in two tables, and first values count for neither', async () => {
  const store = await storeOf(historyOf(RECORDS));
  const page = parse(browseFiles(store).get(CHANGED_ACCOUNTS) ?? '');
  expect(textOf(elementsNamed(page, 'h1')[0] ?? page)).toBe('Accounts by changes 451 accounts, at most 200 in each table');
  const tables = elementsNamed(page, 'table').map((table) =>
    elementsNamed(table, 'tr')
      .slice(1)
      .map((row) => elementsNamed(row, 'td').map((cell) => textOf(cell).trim())),
  );
  const changes = RECORDS.filter(({ previous }) => previous !== null).map(({ account = '' }) => account);
  const count = (handle: string | undefined) => changes.filter((account) => `@${account}` === handle).length;
  const [newest = [], most = []] = tables;
  expect(newest.map(([handle]) => handle)).toEqual([...new Set(changes.toReversed())].slice(0, 200).map((account) => `@${account}`));
  expect(most.map(([handle]) => count(handle))).toEqual(
    Array.from({ length: ACCOUNTS }, (_, n) => count(`@user_${n}`))
      .toSorted((one, other) => other - one)
      .slice(0, 200),
  );
  for (const [handle, shown, , last] of [...newest, ...most]) expect([shown, last]).toEqual([String(count(handle)), '1 January 2020']);
  expect(most.map(([handle]) => handle)).not.toContain('@late');
  expect(elementsNamed(page, 'p').map((each) => textOf(each))).toContain(
    'Accounts with the same number have the same rank. They are sorted by handle.',
  );
  const ways = elementsNamed(page, 'p').filter((each) =>
    elementsNamed(each, 'a').some(({ attrs }) => attrs[0]?.value === '../browse/accounts/all.html'),
  );
  expect(ways.map((way) => textOf(way))).toEqual([
    'The newest changes of the other accounts are in the list of all accounts.',
    'Every other account has at most 2 changes. Their numbers are in the list of all accounts.',
  ]);
  const rendered = { revision: store.revision.number, records: RECORDS.length, names: true };
  expect(browseFiles(store, SITE, rendered).get(CHANGED_ACCOUNTS)).toBeUndefined();
});
