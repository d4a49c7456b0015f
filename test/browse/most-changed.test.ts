import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { monthPage } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { importHistory } from '../verify/good-tree.ts';
import { elementsNamed, textOf } from './parsed-html.ts';
import { browseFiles, historyOf, SITE, storeOf } from './small-site.ts';

const MONTHS = ['2020-01', '2020-02', '2020-03', '2020-05'];

/** 400 records of each month, of 14 accounts. The last records are of the first month. */
const RECORDS = Array.from({ length: 1610 }, (_, n): Partial<ChangeRecord> => {
  const month = MONTHS[n < 1600 ? Math.floor(n / 400) : 0];
  const account = n % 8 === 0 ? '東京"a\\' : `user_${Math.floor(Math.sqrt(n % 169))}`;
  return { account, first_encountered_date: `${month}-0${1 + (n % 9)}T00:00:00Z`, ...(n % 5 === 0 && { previous: null }) };
});

/** Returns the lines of the list on a month's page that are expected, and the sentence about accounts that tie with its end. */
function expected(records: readonly Partial<ChangeRecord>[], month: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const { account = '', previous, first_encountered_date } of records) {
    if (previous !== null && first_encountered_date?.startsWith(month)) counts.set(account, (counts.get(account) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || Buffer.from(a).compare(Buffer.from(b)));
  const listed = sorted.slice(0, 10).filter(([, changes]) => changes !== sorted[10]?.[1]);
  const tied = sorted.filter(([, changes]) => listed.length < 10 && changes === sorted[10]?.[1]);
  const sentence = tied.length === 0 ? [] : [`${tied.length} accounts have ${tied[0]?.[1]} changes each.`];
  return [...listed.map(([account, changes]) => `@${account}: ${changes} changes`), ...sentence];
}

const tieIn = (page: string | undefined) =>
  elementsNamed(parse(page ?? ''), 'p')
    .map((each) => textOf(each))
    .filter((text) => /^\d+ accounts have /.test(text));

it.each([
  [10, 10, []],
  [11, 0, ['11 accounts have 1 change each.']],
])('a month with %i accounts that have equally many changes lists %i of them', async (count, listed, sentence) => {
  const records = Array.from({ length: count }, (_, n) => ({ account: `user_${n}`, previous: 1 }));
  const page = browseFiles(await storeOf(historyOf([{ previous: null }, ...records]))).get(monthPage('2020-01'));
  expect([elementsNamed(parse(page ?? ''), 'li').length, tieIn(page)]).toEqual([listed, sentence]);
  expect(page).toContain('<h2>Accounts with the most changes</h2>');
  expect(page?.includes('<p>Accounts with the same number of changes have the same rank.</p>')).toBe(listed > 0);
});

it('a month with one account that changed most calls it the first of all', async () => {
  const records = Array.from({ length: 12 }, (_, n) => ({ account: `user_${n % 11}`, previous: 1 }));
  const page = browseFiles(await storeOf(historyOf([{ previous: null }, ...records]))).get(monthPage('2020-01'));
  expect(elementsNamed(parse(page ?? ''), 'li').map((line) => textOf(line).trim())).toEqual(['@user_0: 2 changes']);
  expect(page).toContain('<p>12 changes and 1 first value. Accounts with changes: 11. ');
  expect(page).toContain('<p>The first of 11 accounts with changes:</p>');
  expect(page).not.toContain('the same rank');
});

it('the page of a month lists the accounts with the most changes in it, and is rendered again only if its records changed', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const pages = async (records: number, before = { revision: -1, records: 0, names: false }) => {
    await importHistory(path, historyOf(RECORDS.slice(0, records)));
    const store = Store.open(path);
    const [revision, files] = [store.revision.number, browseFiles(store, SITE, before)];
    store.close();
    return { revision, shown: MONTHS.map((month) => files.get(monthPage(month))) };
  };
  const lines = (page: string | undefined) => elementsNamed(parse(page ?? ''), 'li');
  const listed = (page: string | undefined) => [...lines(page).map((line) => textOf(line).trim()), ...tieIn(page)];

  const { revision, shown } = await pages(1190);
  expect(shown.map(listed)).toEqual(MONTHS.map((month) => expected(RECORDS.slice(0, 1190), month)));
  expect(shown[0]).toContain(
    '<p>Accounts with the same number of changes have the same rank.</p>\n<p>The first 10 of 14 accounts with changes:</p>',
  );
  const counts = listed(shown[0]).map((line) => line.split(' ')[1]);
  expect(lines(shown[0]).map(({ attrs }) => attrs[0]?.value)).toEqual(counts.map((count) => String(counts.indexOf(count) + 1)));
  expect(new Set(counts).size).toBeLessThan(counts.length);

  // March gets a link to May
  const may = await pages(1598, { revision, records: 1190, names: false });
  expect(may.shown.map((page) => page === undefined)).toEqual([true, true, false, false]);
  expect(may.shown.slice(2).map(listed)).toEqual(MONTHS.slice(2).map((month) => expected(RECORDS.slice(0, 1598), month)));
  expect(may.shown[2]).toContain('May 2020');

  const next = await pages(1599, { revision: may.revision, records: 1598, names: false });
  expect(next.shown.map((page) => page === undefined)).toEqual([true, true, true, false]);

  const late = await pages(1610, { revision: next.revision, records: 1599, names: false });
  expect(late.shown.map((page) => page === undefined)).toEqual([false, true, true, false]);
  expect(listed(late.shown[0])).toEqual(expected(RECORDS, '2020-01'));
});
