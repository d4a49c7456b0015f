import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { ABOUT, accountFeed, accountPage, CHANGES_FEED, changesArchive, changesPage, HOME, monthPage } from '../../src/browse/paths.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observe, sourceOf } from '../support/snapshots.ts';
import { elementsNamed, textOf } from './parsed-html.ts';
import { browseFiles, browseFilesAt, SITE } from './small-site.ts';

const at = (day: number, screen_name: string, id: string, bio: string) => ({
  observed_at: `2024-03-0${day}T00:00:00Z`,
  ...{ screen_name, id, bio },
});

/** Returns a store: ninette became nina on 4 March or after 3 March, when nothing else was recorded. */
async function renamed(): Promise<string> {
  const path = join(temporaryFolder(), 'store.db');
  const nina = [at(1, 'ninette', '1', 'a'), at(2, 'ninette', '1', 'b'), at(3, 'ninette', '1', 'b'), at(5, 'nina', '1', 'c')];
  await observe(path, [...nina, at(1, 'omar', '2', 'x'), at(4, 'omar', '2', 'y')]);
  return path;
}

const textsIn = (html: string | undefined, name: string) => elementsNamed(parse(html ?? ''), name).map((each) => textOf(each));
const headings = (html: string | undefined) => textsIn(html, 'h3').map((text) => text.replace(/, 00:00:00 UTC|00:00:00 /g, ''));

it('HTML pages have the handle of that time, and a rename among the changes', async () => {
  const files = browseFilesAt(await renamed(), { ...SITE, page_size: 100 });
  expect(headings(files.get(accountPage('nina')))).toEqual([
    'Changed between 3 March 2024 and 5 March 2024',
    'Renamed after 3 March 2024 and by 5 March 2024',
    'Changed between 1 March 2024 and 2 March 2024 as @ninette',
    'First seen on 1 March 2024 as @ninette',
  ]);
  expect(headings(files.get(changesPage(1)))).toEqual([
    '@nina',
    '@omar',
    'Renamed after 3 March 2024 @nina',
    '@ninette now @nina',
    '@ninette now @nina First seen',
    '@omar First seen',
  ]);
  const text = (path: string, name: string) => textsIn(files.get(path), name)[0];
  expect(files.get(accountPage('nina'))).toContain(
    '<article id=h1709424000000000 class=H><header><h4>Handle</h4> <a href="nina.html#h1709424000000000">Permalink</a></header><p class=note>The same account: the service gives it an id, which a rename does not change</p><div dir=auto><del>@ninette</del></div><div dir=auto><ins>@nina</ins></div>',
  );
  expect(text(accountPage('nina'), 'h2')).toBe('2 changes and 1 rename');
  expect(text(monthPage('2024-03'), 'p')).toMatch(/^3 changes, 1 rename and 2 first values\./);
  expect(text(HOME, 'dl')).toContain('Renames1');
  for (const path of [HOME, ABOUT]) expect(files.get(path)).toContain('browse/months/2024-03.html#renames">1</a>');
  const address = `${accountPage('nina')}#h1709424000000000`;
  expect(files.get(changesPage(1))).toContain(`href="../../${address}"`);
  expect(files.get(monthPage('2024-03'))).toContain(
    `<h2 id=renames>Renames</h2>\n<p>A rename is counted on the day on which the former handle was last seen. It can have happened on a later day. The page of the account may say by when it was done.</p>\n<ul>\n<li><a href="../../${address}"><bdi>@ninette</bdi> to <bdi>@nina</bdi></a>, after `,
  );
  expect(textsIn(files.get(CHANGES_FEED), 'title').slice(1)).toEqual([
    ...['@nina: new bio', '@omar: new bio', '@ninette was renamed to @nina', '@ninette (now @nina): new bio'],
    ...['@ninette (now @nina): first known bio', '@omar: first known bio'],
  ]);
});

it('a rename is in the feed at once, and in an archive with the next record of its account, so no older archive gets it', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const site = { ...SITE, page_size: 1, account_feeds: true as const };
  const omar = (first: number, last: number) =>
    Array.from({ length: 1 + last - first }, (_, index) => at(first + index, 'omar', '2', `bio ${first + index}`));
  const pathsWith = (files: ReadonlyMap<string, string>) =>
    [...files.keys()].filter(
      (file) => file.endsWith('.atom') && textsIn(files.get(file), 'title').includes('@ninette was renamed to @nina'),
    );
  await observe(path, [at(1, 'ninette', '1', 'a'), ...omar(1, 4)]);
  await observe(path, [at(5, 'nina', '1', 'a'), ...omar(5, 6)]);
  const files = browseFilesAt(path, site);
  const own = [accountFeed('nina'), CHANGES_FEED];
  expect(pathsWith(files)).toEqual(own);
  expect(files.get(CHANGES_FEED)).toContain(
    `<entry><id>https://example.org/api/rest/data/#h1709251200000000-ninette</id><title>@ninette was renamed to @nina</title><updated>2024-03-01T00:00:00.000000Z</updated><link href="https://example.org/api/${accountPage('nina')}#h1709251200000000"/><content>@ninette was last seen on 1 March 2024, 00:00:00 UTC. The rename was done at an unknown time after that. The page of the account may say by when it was done.</content></entry>`,
  );
  await observe(path, [at(7, 'nina', '1', 'b'), ...omar(8, 9)]);
  const later = browseFilesAt(path, site);
  expect(pathsWith(later)).toEqual([accountFeed('nina'), changesArchive(8), CHANGES_FEED]);
  const by = ' The rename was done at an unknown time after that and by 7 March 2024, 00:00:00 UTC.';
  expect(later.get(accountFeed('nina'))).toContain(by);
  expect(textsIn(later.get(changesArchive(8)), 'title')).toContain('@nina: new bio');
  const archives = [2, 4].map(changesArchive);
  expect(archives.map((archive) => later.get(archive))).toEqual(archives.map((archive) => files.get(archive)));
});

it('the calendar of a month shows the renames of a day beside its changes, also on a day without records', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const [nina, omar] = [
    [at(1, 'ninette', '1', 'a'), at(3, 'ninette', '1', 'a'), at(5, 'nina', '1', 'c')],
    [at(1, 'omar_old', '2', 'x'), at(2, 'omar', '2', 'y')],
  ];
  await observe(path, [...nina, ...omar]);
  const page = browseFilesAt(path).get(monthPage('2024-03'));
  const days = elementsNamed(parse(page ?? ''), 'a').filter(({ attrs }) =>
    attrs.some(({ name, value }) => name === 'id' && /^d/.test(value)),
  );
  expect(days.map((day) => textOf(day))).toEqual(['1 0 +2 1 rename', '2 1', '3 0 1 rename', '5 1']);
  expect(page).toContain('<a id=d03 href="#renames" title="3 March 2024: 0 changes and 1 rename">');
  expect(page).toContain(
    ' A day without records links to its renames. A <a href="#renames">rename</a> is counted on the day on which the former handle was last seen.',
  );
});

it.each<[records: string, days: readonly string[], months: { readonly [month: string]: string }]>([
  [
    'has records',
    ['10 June 2024', '1 June 2024', '10 January 2024'],
    { '2024-06': '1 rename and 1 first value', '2024-01': '1 first value' },
  ],
  ['has no records', ['10 June 2024', '10 January 2024'], { '2024-06': '1 rename', '2024-01': '1 first value' }],
])('a rename is listed under its own day, and counts only in its own month: that month %s', async (records, days, months) => {
  const path = join(temporaryFolder(), 'store.db');
  const [nina, omar] = [
    { id: '1', bio: 'a' },
    { observed_at: '2024-06-01T00:00:00Z', screen_name: 'omar', id: '2', bio: 'x' },
  ];
  const snapshots = [
    { observed_at: '2024-01-10T00:00:00Z', screen_name: 'ninette', ...nina },
    { observed_at: '2024-06-10T00:00:00Z', screen_name: 'ninette', ...nina },
    { observed_at: '2024-07-10T00:00:00Z', screen_name: 'nina', ...nina },
  ];
  await observe(path, records === 'has records' ? [...snapshots, omar] : snapshots);
  const files = browseFilesAt(path);
  expect(textsIn(files.get(changesPage(1)), 'h2')).toEqual(days);
  expect(textsIn(files.get(HOME), 'h2')).toEqual(expect.arrayContaining([...days]));
  expect(textsIn(files.get(HOME), 'dl')[0]).toContain('Renames1');
  expect(files.get(HOME)).toContain('browse/months/2024-06.html#renames">1</a>');
  for (const [month, counts] of Object.entries(months)) {
    expect(textsIn(files.get(monthPage(month)), 'p')[0]).toMatch(new RegExp(`^0 changes(,| and) ${counts}\\.`));
  }
});

it('an import of former handles alone renders what it affects', async () => {
  const path = await renamed();
  const [files, since] = [browseFilesAt(path), revisionOf(path)];
  const former_handles = [
    { handle: 'omar_older', seen_to: '2024-02-28T12:00:00.000000Z' },
    { handle: 'omar_old', seen_to: '2024-03-03T12:00:00.000000Z' },
  ];
  const known = { stable_id: '2', observed_to: null, observed_fields: [], former_handles, account_creation_date: null };
  const profile = { display_name: '', website: null, location: '', bio: '' };
  const state = { screen_name: 'omar', ...known, profile_image_url: '', profile, profile_record: null };
  await importInputs(path, [sourceOf([state])], { onConflict: 'fail' });
  const store = Store.open(path);
  const all = browseFiles(store);
  expect(headings(all.get(changesPage(1)))).toContain('@omar_old now @omar First seen');
  expect(textsIn(all.get(changesPage(1)), 'h2').slice(-2)).toEqual(['1 March 2024', '28 February 2024']);
  expect(headings(all.get(accountPage('omar'))).at(-1)).toBe(
    'Renamed after 28 February 2024, 12:00:00 UTC and by 3 March 2024, 12:00:00 UTC',
  );
  for (const [file, text] of browseFiles(store, SITE, { revision: since, records: 0, names: false })) {
    expect([file, text ?? files.get(file)]).toEqual([file, all.get(file)]);
  }
  store.close();
});

it('a rename is once in an archive, also if it is between two pairs of records, which are out of order', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const records = [10, 5, 20, 21, 22, 23].map((day, index) =>
    bioRecord(index + 1, { account: 'nina', first_encountered_date: `2024-03-${String(day).padStart(2, '0')}T00:00:00Z` }),
  );
  const former_handles = [{ handle: 'ninette', seen_to: '2024-03-07T00:00:00.000000Z' }];
  const known = { stable_id: '1', observed_to: null, observed_fields: [], former_handles, account_creation_date: null };
  const profile = { display_name: '', website: null, location: '', bio: '' };
  const state = { screen_name: 'nina', ...known, profile_image_url: '', profile, profile_record: null };
  await importInputs(path, [sourceOf([...records, state])], { onConflict: 'fail' });
  const archive = browseFilesAt(path, { ...SITE, page_size: 2 }).get(changesArchive(2));
  expect(textsIn(archive, 'title').filter((title) => title.includes('was renamed'))).toEqual(['@ninette was renamed to @nina']);
});

it('a rename keeps its address when its entry leaves the main page, and when the account is renamed again', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const at = (minute: number, screen_name: string) => {
    return { observed_at: new Date(Date.UTC(2024, 2, 1, 0, minute)).toISOString(), screen_name, id: '1', bio: `bio ${minute}` };
  };
  const minutes = (from: number, to: number, name: string) => Array.from({ length: to - from }, (_, index) => at(from + index, name));
  const id = `h${Date.UTC(2024, 2, 1, 0, 59)}000`;
  await observe(path, [...minutes(0, 60, 'ninette'), ...minutes(60, 70, 'nina')]);
  expect(browseFilesAt(path).get(accountPage('nina'))).toContain(`<article id=${id} class=H>`);
  await observe(path, [...minutes(70, 160, 'nina'), ...minutes(160, 170, 'nora')]);
  const files = browseFilesAt(path);
  const later = `h${Date.UTC(2024, 2, 1, 2, 39)}000`;
  expect(files.get(accountPage('nora'))).toContain(`<a id=${id} href="nora~p2.html#${id}">Go to this change</a>`);
  expect(files.get(accountPage('nora'))).not.toContain(`<a id=${later} `);
  expect(files.get(accountPage('nora', 2))).toContain(`<article id=${id} class=H><header><h4>Handle</h4> <a href="nora.html#${id}">`);
  // the page under the former handle leads on with the fragment
  expect(files.get(accountPage('nina'))).toContain('<ul class=holders>\n<li><a href="../../../browse/account/');
});

it('says by when an account was renamed if an observed record of the page is newer, and of an imported one only when it was seen', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const bios = (from: number, to: number, screen_name: string) =>
    Array.from({ length: to - from }, (_, index) => ({ ...at(1, screen_name, '1', `${from + index}`), observed_at: timeOf(from + index) }));
  const timeOf = (minute: number) => new Date(Date.UTC(2024, 2, 1, 0, minute)).toISOString();
  const shown = (page: string) => headings(browseFilesAt(path).get(page)).filter((text) => text.startsWith('Renamed'));
  // with the imported record, these fill a part
  await observe(path, bios(0, 49, 'ninette'));
  await observe(path, [at(2, 'nina', '1', '48')]);
  const renamed = 'Renamed after 1 March 2024, 00:48:00 UTC';
  const imported = bioRecord(1, { account: 'nina', first_encountered_date: '2024-03-01T12:00:00Z' });
  await importInputs(path, [sourceOf([imported])], { onConflict: 'fail' });
  expect(shown(accountPage('nina'))).toEqual([renamed]);
  await observe(path, [at(3, 'nina', '1', 'new')]);
  expect(shown(accountPage('nina'))).toEqual([`${renamed} and by 3 March 2024`]);
  // no newer record changes a part that another one follows
  await observe(
    path,
    bios(0, 120, 'nina').map((each) => ({ ...each, observed_at: each.observed_at.replace('03-01', '03-04') })),
  );
  expect(shown(accountPage('nina', 1))).toEqual([renamed]);
});

it('says that a rename was done by the time at which its new handle was last seen, on the page and in the feed of the account', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const handles = ['ninette', 'nina', 'nina', 'nora', 'nora'];
  await observe(
    path,
    handles.map((screen_name, index) => at(index + 1, screen_name, '1', index === 4 ? 'b' : 'a')),
  );
  const files = browseFilesAt(path, { ...SITE, account_feeds: true });
  const renames = headings(files.get(accountPage('nora'))).filter((text) => text.startsWith('Renamed'));
  expect(renames).toEqual(['Renamed after 3 March 2024 and by 5 March 2024', 'Renamed after 1 March 2024 and by 3 March 2024']);
  const limits = (feed: string) => files.get(feed)?.match(/by (when|\d+ March)/g);
  expect(limits(accountFeed('nora'))).toEqual(['by 5 March', 'by 3 March']);
  // a full archive would change with them
  expect(limits(CHANGES_FEED)).toEqual(['by when', 'by when']);
});

it('does not change a part that another one follows when an account is renamed again', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const bios = (from: number, to: number, screen_name: string) =>
    Array.from({ length: to - from }, (_, index) => {
      return { observed_at: new Date(Date.UTC(2024, 2, 1, 0, from + index)).toISOString(), screen_name, id: '1', bio: `${from + index}` };
    });
  await observe(path, [...bios(0, 50, 'ninette'), ...bios(50, 120, 'nina')]);
  const part = browseFilesAt(path).get(accountPage('nina', 1));
  expect(headings(part)[0]).toBe('Renamed after 1 March 2024, 00:49:00 UTC');
  await observe(path, bios(120, 121, 'nora'));
  expect(headings(browseFilesAt(path).get(accountPage('nora', 1)))[0]).toBe('Renamed after 1 March 2024, 00:49:00 UTC');
});

it('says that only the source knows both handles as one account, until the account has a stable id', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const before = { ...at(1, 'ninette', '', 'a'), id: undefined };
  const state = {
    ...{ screen_name: 'nina', stable_id: null, observed_to: null, observed_fields: [], account_creation_date: null, profile_image_url: '' },
    former_handles: [{ handle: 'ninette', seen_to: '2024-03-01T00:00:00.000000Z' }],
    profile: { display_name: '', website: null, location: '', bio: '' },
    profile_record: null,
  };
  const notes = () => textsIn(browseFilesAt(path).get(accountPage('nina')), 'p').filter((text) => / id[, ]/.test(text));
  await observe(path, [{ ...before, screen_name: 'nina' }]);
  await importInputs(path, [sourceOf([state])], { onConflict: 'fail' });
  const since = revisionOf(path);
  expect(notes()).toEqual(['Only the source says that this is the same account. This history has no id of the account']);
  await observe(path, [at(2, 'nina', '1', 'a')]);
  expect(revisionOf(path)).toBe(since + 1);
  expect(notes()).toEqual(['The same account: the service gives it an id, which a rename does not change']);
});

function revisionOf(path: string): number {
  const store = Store.open(path);
  const { number } = store.revision;
  store.close();
  return number;
}

const day = (date: number, id: string, screen_name: string | undefined, bio: string) => ({
  ...at(date, screen_name ?? '', id, bio),
  screen_name,
});

it.each<[name: string, present: string, snapshots: readonly ReturnType<typeof day>[], headings: readonly string[], counts: string]>([
  [
    'an account that lost its handle to another one and has a new one',
    'nina',
    [day(1, '1', 'ninette', 'a'), day(2, '2', 'ninette', 'x'), day(3, '1', 'nina', 'b')],
    [
      'Changed between 1 March 2024 and 3 March 2024',
      'Renamed after 1 March 2024 and by 3 March 2024',
      'First seen on 1 March 2024 as @ninette',
    ],
    '1 change and 1 rename',
  ],
  [
    'an account that lost its handle to another one',
    'ninette~1',
    [day(1, '1', 'ninette', 'a'), day(2, '2', 'ninette', 'x')],
    ['First seen on 1 March 2024 as @ninette'],
    '0 changes',
  ],
  [
    'an account whose first snapshot has no handle',
    'nina.example',
    [day(1, 'did:plc:1', undefined, 'a'), day(2, 'did:plc:1', 'nina.example', 'a')],
    ['First seen on 1 March 2024'],
    '0 changes',
  ],
  [
    'a handle that could not be verified for a time',
    'nina.example',
    [day(1, '1', 'nina.example', 'a'), day(2, '1', 'handle.invalid', 'b'), day(3, '1', 'nina.example', 'b')],
    ['Changed between 1 March 2024 and 2 March 2024', 'First seen on 1 March 2024'],
    '1 change',
  ],
  [
    'a handle that could not be verified before a rename',
    'nina.example',
    [day(1, '1', 'ninette.example', 'a'), day(2, '1', 'handle.invalid', 'b'), day(3, '1', 'nina.example', 'c')],
    [
      ...['Changed between 2 March 2024 and 3 March 2024', 'Changed between 1 March 2024 and 2 March 2024'],
      ...['Renamed after 1 March 2024 and by 3 March 2024', 'First seen on 1 March 2024 as @ninette.example'],
    ],
    '2 changes and 1 rename',
  ],
])('a name that nobody used is not in a rename: %s', async (_, present, snapshots, shown, counts) => {
  const path = join(temporaryFolder(), 'store.db');
  await observe(path, snapshots);
  const page = browseFilesAt(path).get(accountPage(present));
  expect(headings(page)).toEqual(shown);
  expect(textsIn(page, 'h2')[0]).toBe(counts);
});

it('the lists of a month have the handles of that month, and the list of renames links to earlier ones', async () => {
  const path = join(temporaryFolder(), 'store.db');
  const later = (month: number, screen_name: string) => ({ ...at(1, screen_name, '1', 'b'), observed_at: `2024-0${month}-01T00:00:00Z` });
  await observe(path, [at(1, 'ninette', '1', 'a'), at(2, 'ninette', '1', 'b'), later(5, 'nina'), later(6, 'nora')]);
  const files = browseFilesAt(path);
  const lines = (month: string) => textsIn(files.get(monthPage(month)), 'li').map((text) => text.trim());
  expect(lines('2024-03')).toEqual(['@ninette now @nora: 1 change', '@ninette to @nina, after 2 March 2024, 00:00:00 UTC']);
  expect(lines('2024-05')).toEqual(['@nina to @nora, after 1 May 2024, 00:00:00 UTC']);
  expect(files.get(HOME)).toContain('href="browse/months/2024-05.html#renames"');
  const earlier = '2024-03.html#renames">Earlier renames</a>';
  expect(['2024-03', '2024-05'].map((month) => files.get(monthPage(month))?.includes(earlier))).toEqual([false, true]);
});
