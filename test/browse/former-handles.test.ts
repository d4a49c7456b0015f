import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { accountPage } from '../../src/browse/paths.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { observe, sourceOf } from '../support/snapshots.ts';
import { elementsNamed, textOf } from './parsed-html.ts';
import { browseFiles, browseFilesAt, SITE } from './small-site.ts';

const at = (day: number, screen_name: string, id: string) => ({
  observed_at: `2024-03-0${day}T00:00:00Z`,
  ...{ screen_name, id, bio: 'same' },
});

const formerHandles = (html: string | undefined) =>
  elementsNamed(parse(html ?? ''), 'dl').flatMap((list) => textOf(list).match(/(?<=^Former handles).*/gm) ?? []);

const FAIL = { onConflict: 'fail' } as const;

const TAKEN = '@lamp, last seen on 1 March 2024 (now the handle of another account)';
const FREE = '@lamp, last seen on 1 March 2024';

const FIRST = [at(1, 'lamp', '1'), at(2, 'beacon', '1'), at(1, 'omar', '3')];

it.each<[name: string, first: ReturnType<typeof at>[], last: (path: string) => Promise<unknown>, shown: string]>([
  ['is renamed to', [...FIRST, at(1, 'lantern', '2')], (path) => observe(path, [at(3, 'lamp', '2')]), TAKEN],
  ['in another letter case is renamed to', [...FIRST, at(1, 'lantern', '2')], (path) => observe(path, [at(3, 'Lamp', '2')]), TAKEN],
  ['comes with a record and', FIRST, (path) => importInputs(path, [sourceOf([bioRecord(9, { account: 'lamp' })])], FAIL), TAKEN],
  ['is renamed from', [...FIRST, at(3, 'lamp', '2')], (path) => observe(path, [at(4, 'lantern', '2')]), FREE],
  ['is removed and had', [...FIRST, at(3, 'lamp', '2')], (path) => palimpsestJson(['remove', 'id:2', '--store', path, '--yes']), FREE],
])('renders the page of a renamed account again if an account %s its former handle', async (_, first, last, shown) => {
  const path = join(temporaryFolder(), 'store.db');
  await observe(path, first);
  const [before, since] = [browseFilesAt(path), revisionOf(path)];
  await last(path);
  const store = Store.open(path);
  const fresh = browseFiles(store);
  expect(formerHandles(fresh.get(accountPage('beacon')))).toEqual([shown]);
  const rendered = browseFiles(store, SITE, { revision: since, records: 0, names: false });
  for (const [file, text] of rendered) expect([file, text ?? before.get(file)]).toEqual([file, fresh.get(file)]);
  for (const [file, text] of fresh) if (!rendered.has(file)) expect([file, before.get(file)]).toEqual([file, text]);
  expect(rendered.get(accountPage('omar'))).toBeUndefined();
  store.close();
});

function revisionOf(path: string): number {
  const store = Store.open(path);
  const { number } = store.revision;
  store.close();
  return number;
}

it('links an account and the one that has its former handle now, before the profile of that one', async () => {
  const path = join(temporaryFolder(), 'store.db');
  await observe(path, [at(1, 'lamp', '1'), at(2, 'beacon', '1'), at(3, 'lamp', '2')]);
  const files = browseFilesAt(path);
  expect(files.get(accountPage('beacon'))).toContain(`(now the handle of <a href="../../../${accountPage('lamp')}">another account</a>)`);
  expect(files.get(accountPage('lamp'))).toMatch(
    /<\/h1>\n<p>Another account, <a href="[^"]*" data-holder><bdi>@beacon<\/bdi><\/a>, was last seen with this handle on [^\n]*<\/p>\n<dl>/,
  );
});
