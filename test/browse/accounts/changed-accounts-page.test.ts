import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { CHANGED_ACCOUNTS, namesPage } from '../../../src/browse/paths.ts';
import { NEWER_NAMES } from '../../../src/browse/search/search-terms.ts';
import type { ChangeRecord } from '../../../src/contract/record.ts';
import { importInputs } from '../../../src/import/import.ts';
import { Store } from '../../../src/store/store.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { observe, sourceOf } from '../../support/snapshots.ts';
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
  expect(textOf(elementsNamed(page, 'h1')[0] ?? page)).toBe('Accounts by changes 451 accounts, at most 200 in each table of changes');
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
    'Accounts with the same number of changes have the same rank. They are sorted by handle.',
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

it('names that are newer than the lists by name are in a table, and in the script of the site for the search', async () => {
  const before: Partial<ChangeRecord>[] = Array.from({ length: 512 }, (_, n) => {
    return { account: `user_${n % 9}`, data_type: n < 9 ? 'Name' : 'Bio', text: `Old ${n}`, previous: null };
  });
  const newer: Partial<ChangeRecord>[] = [
    { account: 'user_4', data_type: 'Name', text: 'Nina Müller', previous: 5 },
    { account: 'user_5', data_type: 'Name', text: '', previous: 6 },
    { account: 'user_6' },
    { account: 'late', data_type: 'Name', text: 'Late', previous: null },
    { account: 'nameless', previous: null },
  ];
  const [without, files] = await Promise.all(
    [before, [...before, ...newer]].map(async (records) => browseFiles(await storeOf({ ...historyOf(records), accounts: [] }))),
  );
  const namesIn = (html: string | undefined) => {
    const page = parse(html ?? '');
    const names = elementsNamed(elementsNamed(page, 'table').at(-1) ?? page, 'tr').slice(1);
    return names.map((row) => elementsNamed(row, 'td').map((cell) => textOf(cell).trim()));
  };
  expect(namesIn(files?.get(CHANGED_ACCOUNTS))).toEqual([
    ['Late', '@late'],
    ['Nina Müller', '@user_4'],
  ]);
  expect(without?.get(CHANGED_ACCOUNTS)).toContain('No account has a newer name than');
  expect(files?.get(namesPage())).toBe(without?.get(namesPage()));
  expect(namesIn(files?.get(namesPage()))).toContainEqual(['Old 4', '@user_4']);
  expect(files?.get(namesPage())).toContain('<a href="../../browse/changed.html#names">');
  expect(JSON.parse(files?.get(NEWER_NAMES)?.slice('palimpsest('.length, -2) ?? '')).toEqual([
    ['nameless', expect.any(String), '', 1],
    ['late', expect.any(String), 'Late', 1],
    ['user_5', expect.any(String), '', 3],
    ['user_4', expect.any(String), 'Nina Müller', 3],
  ]);
});

/** The table of the accounts that were not seen lately, as text. */
function notSeenIn(html: string | undefined): readonly string[] | undefined {
  const [, section] = html?.split('<h2 id=lately>') ?? [];
  const table = parse(section?.split('<h2')[0] ?? '');
  return section === undefined
    ? undefined
    : elementsNamed(table, 'tr').map((row) =>
        [...elementsNamed(row, 'th'), ...elementsNamed(row, 'td')]
          .map((cell) => textOf(cell))
          .join('; ')
          .trim(),
      );
}

it('accounts that the snapshots of the newest 10 days lack are in a table, and each night has the page of a first build', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const shown: (string | undefined)[] = [];
  let before = { html: '', revision: -1 };
  const night = async (day: number, ...names: readonly string[]) => {
    const observed_at = new Date(Date.UTC(2024, 2, day, 4, 5, 6)).toISOString();
    await observe(
      path,
      names.map((screen_name) => ({ observed_at, screen_name, id: screen_name, display_name: `Name of ${screen_name}` })),
    );
    build();
  };
  const build = () => {
    const store = Store.open(path);
    const whole = browseFiles(store).get(CHANGED_ACCOUNTS) ?? '';
    const { number: revision, records } = store.revision;
    const again = browseFiles(store, SITE, { revision: before.revision, records, names: true }).get(CHANGED_ACCOUNTS);
    store.close();
    expect(again ?? before.html).toBe(whole);
    // it is rendered only if the accounts changed
    expect(again === undefined).toBe(revision === before.revision);
    before = { html: whole, revision };
    shown.push(again === undefined ? 'the same' : notSeenIn(whole)?.join(', '));
  };
  await night(1, 'ann', 'bob', 'cyd');
  await night(3, 'ann', 'bob');
  await night(11, 'ann');
  await night(12, 'ann');
  await night(13, 'ann');
  await night(14, 'ann', 'cyd');
  await importInputs(path, [sourceOf([bioRecord(900, { account: 'bob', first_encountered_date: '2024-03-09T00:00:00Z' })])], {
    onConflict: 'fail',
  });
  build();
  const table = (...rows: readonly string[]) => ['Account; Last seen', ...rows].join(', ');
  expect(shown).toEqual([
    '',
    'the same',
    'the same',
    table('@cyd Name of cyd; 1 March 2024, 04:05:06 UTC'),
    'the same',
    table('@bob Name of bob; 3 March 2024, 04:05:06 UTC'),
    // another source has a later record of it
    '',
  ]);
  expect(before.html).toContain('<p>No account.</p>');
  expect(before.html).toContain('<a href="#lately">Not seen lately</a>');
});

it('the table of the accounts that were not seen lately has the 200 that were seen last, and a store without observations has none', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const times = Array.from({ length: 201 }, (_, n) => new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString());
  const old = times.map((observed_at, n) => ({ observed_at, screen_name: `old_${n}`, id: `${n}` }));
  await observe(path, [...old, { observed_at: '2024-03-01T00:00:00Z', screen_name: 'new', id: 'new' }]);
  const store = Store.open(path);
  const html = browseFiles(store).get(CHANGED_ACCOUNTS);
  store.close();
  const handles = notSeenIn(html)?.map((row) => row.split(';')[0]);
  expect(handles).toEqual(['Account', ...Array.from({ length: 200 }, (_, n) => `@old_${200 - n}`)]);
  expect(html).toContain('The list has only the 200 that were seen last.');
  const imported = browseFiles(await storeOf(historyOf(RECORDS.slice(0, 3)))).get(CHANGED_ACCOUNTS);
  expect(imported).toContain('<h2 id=names>');
  expect(imported).not.toContain('unseen');
});
