import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { ABOUT, accountPage, CHANGED_ACCOUNTS, SITE_SCRIPT } from '../../../src/browse/paths.ts';
import type { ChangeRecord } from '../../../src/contract/record.ts';
import { importInputs } from '../../../src/import/import.ts';
import { Store } from '../../../src/store/store.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { observe, sourceOf } from '../../support/snapshots.ts';
import { elementsNamed, textOf } from '../parsed-html.ts';
import { browseFiles, browseFilesAt, historyOf, SITE, storeOf } from '../small-site.ts';

const seen = (day: number, screen_name: string) => ({
  observed_at: `2024-03-${String(day).padStart(2, '0')}T00:00:00Z`,
  screen_name,
  bio: 'a',
});
const lastKnown = (page: string | undefined) =>
  elementsNamed(parse(page ?? ''), 'dl').flatMap((list) => textOf(list).match(/^Last known.*/gm) ?? []);

it('the page of an account says when it was last known, from the night on in which the newest 10 days lack it', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const night = async (day: number, ...names: readonly string[]) => {
    await observe(
      path,
      names.map((name) => seen(day, name)),
    );
    return browseFilesAt(path);
  };
  await night(1, 'nina', 'omar', 'pia');
  await importInputs(path, [sourceOf([bioRecord(1, { account: 'silent' })])], { onConflict: 'fail' });
  const [first, last] = [browseFilesAt(path), await night(11, 'nina')];
  expect(last).toEqual(first);
  const since = Store.open(path);
  expect(lastKnown(last.get(accountPage('nina')))).toEqual(['Last knownAt most 10 days before the newest snapshot in this history.']);
  expect(last.get(accountPage('nina'))).toContain('before <a href="../../../browse/about.html#complete">the newest snapshot</a>');
  expect(lastKnown(last.get(accountPage('silent')))).toEqual([]);
  const later = await night(12, 'nina', 'pia');
  expect(lastKnown(later.get(accountPage('omar')))).toEqual([
    'Last known on1 March 2024, the day of the newest snapshot of this account. That snapshot can lack fields. No later snapshot in this history has this account.',
  ]);
  const changed = [...later].filter(([file, text]) => first.get(file) !== text).map(([file]) => file);
  expect(changed.toSorted()).toEqual([ABOUT, accountPage('omar'), SITE_SCRIPT, CHANGED_ACCOUNTS].toSorted());
  const store = Store.open(path);
  const rendered = browseFiles(store, SITE, { revision: since.revision.number, records: 0, names: true });
  expect([...rendered].filter(([file, text]) => file.startsWith('browse/account/') && text !== undefined).map(([file]) => file)).toEqual([
    accountPage('omar'),
  ]);
  for (const opened of [since, store]) opened.close();
  expect(lastKnown((await night(13, 'omar')).get(accountPage('omar')))).toEqual(lastKnown(last.get(accountPage('nina'))));
  expect(lastKnown((await night(24, 'nina')).get(accountPage('omar')))).toHaveLength(1);
  // a record of another source is later than the last snapshot
  await importInputs(path, [sourceOf([bioRecord(2, { account: 'omar', first_encountered_date: '2024-03-14T00:00:00Z' })])], {
    onConflict: 'fail',
  });
  expect(lastKnown(browseFilesAt(path).get(accountPage('omar')))).toEqual([]);
});

it('a field is empty in the profile if its newest record is empty, and a row names the fields without a record', async () => {
  const value = (data_type: ChangeRecord['data_type'], text: string | null, previous: number | null) => ({ data_type, text, previous });
  const first = [value('Name', 'Nina', null), value('Bio', 'a', null), value('Website', 'https://nina.example', null)];
  const emptied = [value('Name', '', 1), value('Bio', '', 2), value('Website', null, 3)];
  const rows = async (records: readonly Partial<ChangeRecord>[]) => {
    const page = parse(browseFiles(await storeOf(historyOf(records))).get(accountPage('nina')) ?? '');
    return elementsNamed(elementsNamed(page, 'dl')[0] ?? page, 'div').map((row) =>
      ['dt', 'dd'].flatMap((name) => elementsNamed(row, name).map((each) => textOf(each).trim())).join(': '),
    );
  };
  const newest = 'Newest record: 1 January 2020. Today the profile can differ or be gone.';
  expect(await rows([...first, ...emptied])).toEqual([
    ...['Name: empty', 'Bio: empty', 'Website: empty'],
    ...['Not known: No source showed a value of Location, Verified.', newest],
  ]);
  expect(await rows([value('Location', '', null)])).toEqual([
    'Location: empty',
    ...['Not known: No source showed a value of Name, Bio, Website, Verified.', newest],
  ]);
  expect(await rows([...first, ...emptied, { ...value('Bio', 'b', 5) }])).toEqual([
    ...['Name: empty', 'Website: empty'],
    ...['Not known: No source showed a value of Location, Verified.', newest],
  ]);
});

it('the profile names invisible characters of the present values, also of a name', async () => {
  const profile = { display_name: 'N\u200bina', bio: 'm\u0430ps', location: 'of\u00a0Leeds', website: 'https://nin\u0430.example' };
  const page = browseFiles(await storeOf(historyOf([{}], profile))).get(accountPage('nina')) ?? '';
  expect(Array.from(page.matchAll(/<dt>(\w+)<dd.* <small class=note>(.*)<\/small>/g), ([, field, note]) => `${field} ${note}`)).toEqual([
    'Name contains zero-width space U+200B',
    'Bio contains Cyrillic letter like a U+0430',
    'Location contains no-break space U+00A0',
    'Website contains Cyrillic letter like a U+0430',
  ]);
});

it('the page of an imported account is rendered again when a snapshot shows the account for the first time, and not on the next night', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await observe(path, [seen(1, 'nina')]);
  await importInputs(path, [sourceOf([bioRecord(1, { account: 'silent', text: 'a' })])], { onConflict: 'fail' });
  const renderedAfter = async (...snapshots: readonly ReturnType<typeof seen>[]) => {
    const before = Store.open(path);
    const { number, records } = before.revision;
    before.close();
    await observe(path, snapshots);
    const after = Store.open(path);
    const files = browseFiles(after, SITE, { revision: number, records, names: true });
    const all = browseFiles(after);
    after.close();
    return [accountPage('silent'), accountPage('nina')].map((page) => [
      files.get(page) === all.get(page),
      lastKnown(files.get(page)).length,
    ]);
  };
  expect(await renderedAfter(seen(2, 'nina'), seen(2, 'silent'))).toEqual([
    [true, 1],
    [false, 0],
  ]);
  expect(await renderedAfter(seen(3, 'nina'), seen(3, 'silent'))).toEqual([
    [false, 0],
    [false, 0],
  ]);
});
