import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { ABOUT, accountPage, CHANGES_FEED, HOME, monthPage, NOT_FOUND_FILE, namesPage } from '../../../src/browse/paths.ts';
import type { About } from '../../../src/contract/site-json.ts';
import { elementsNamed, foreignMarkup, textOf } from '../parsed-html.ts';
import { browseFiles, historyOf, SITE, storeOf, textsOf } from '../small-site.ts';

const ABOUT_SITE: About = {
  title: '<Press> & "Radio"',
  description: 'What editors say – “briefly”',
  publisher: 'Archive of Málaga',
  contact: 'office@archive.example',
  source: 'https://social.example/',
  license: 'CC BY 4.0',
  license_url: 'https://licenses.example/by',
  language: 'de',
  image: 'https://archive.example/preview.png',
};

/** Returns the texts of the elements with a name in a page. */
const texts = (page: string | undefined, name: string) => elementsNamed(parse(page ?? ''), name).map((element) => textOf(element));
/** Returns the attributes of the elements in the head of a page that describe the site. */
const metadata = (page: string | undefined) =>
  ['meta', 'link']
    .flatMap((name) => elementsNamed(parse(page ?? ''), name))
    .map(({ attrs }) => attrs.map(({ value }) => value).join(' '))
    .filter((text) => /^(description|og:|canonical|robots)/.test(text));

const FIRST_ONLY = 'only the first snapshot, with no earlier one to compare it with';

describe('a site that says who publishes it', () => {
  it('is signed on each page, and describes each page to previews and search engines', async () => {
    const files = textsOf(browseFiles(await storeOf(historyOf([{}, {}])), { ...SITE, about: ABOUT_SITE }));
    for (const [path, text] of files) {
      if (!path.endsWith('.html')) continue;
      // this page has no address of its own
      const own = path === NOT_FOUND_FILE ? [] : [`${SITE.base_url}/${path === HOME ? '' : path}`];
      expect(foreignMarkup(text).filter((found) => found !== `mailto:${ABOUT_SITE.contact}`)).toEqual([]);
      expect(texts(text, 'title')[0]).toMatch(/ · <Press> & "Radio"$/);
      expect(texts(text, 'nav')[0]).toMatch(/^<Press> & "Radio"Changes/);
      expect(texts(text, 'footer')[0]).toContain(`Published by ${ABOUT_SITE.publisher}Contact: ${ABOUT_SITE.contact}License: CC BY 4.0`);
      expect(metadata(text)).toEqual([
        `description ${ABOUT_SITE.description}`,
        `og:site_name ${ABOUT_SITE.title}`,
        'og:type website',
        `og:title ${texts(text, 'title')[0]?.replace(/ · .*/, '')}`,
        `og:description ${ABOUT_SITE.description}`,
        ...own.map((url) => `og:url ${url}`),
        `og:image ${ABOUT_SITE.image}`,
        ...own.map((url) => `canonical ${url}`),
      ]);
    }
    const account = files.get(accountPage('nina'));
    expect(texts(account, 'p')[0]).toBe(
      `Copies of a public profile, recorded by ${ABOUT_SITE.publisher} from ${ABOUT_SITE.source}. This page does not belong to the account. The time of a record says when a source first showed the value, not when it was changed. Correction or removal`,
    );
    expect(account).toContain('browse/about.html#removal"');
    expect(files.get(ABOUT)).toContain(' id=removal>');
    expect(texts(files.get(HOME), 'h1')).toEqual([ABOUT_SITE.title]);
    expect(texts(files.get(HOME), 'main')[0]).toContain(
      `Published by ${ABOUT_SITE.publisher}. Source: ${ABOUT_SITE.source}. About this history`,
    );
    expect(files.get(CHANGES_FEED)).toContain(`<author><name>${ABOUT_SITE.publisher}</name><email>${ABOUT_SITE.contact}</email></author>`);
  });

  it('has no address of the machine that built it, and no text that it was not given', async () => {
    const about = { title: 'Press', publisher: 'Archive', contact: 'https://archive.example/contact' };
    const store = await storeOf(historyOf([{}], { display_name: 'Nina & Co' }));
    const files = browseFiles(store, { ...SITE, base_url: 'http://127.0.0.1:8080', about });
    expect(metadata(files.get(accountPage('nina')))).toEqual(['og:site_name Press', 'og:type website', 'og:title @nina (Nina & Co)']);
    expect(files.get(CHANGES_FEED)).toContain('<author><name>Archive</name><uri>https://archive.example/contact</uri></author>');
  });

  it('has a citation of the whole history, without the address of the machine that built it', async () => {
    const store = await storeOf(historyOf([{}, { first_encountered_date: '2024-03-05T14:03:06Z' }]));
    const citationIn = (site: Parameters<typeof browseFiles>[1]) =>
      texts(browseFiles(store, site).get(ABOUT), 'p').find((text) => text.startsWith('To cite this history as a whole: '));
    const state = `Newest record first seen on 5 March 2024. Fingerprint of the data ${store.revision.fingerprint}.`;
    expect(citationIn({ ...SITE, about: ABOUT_SITE })).toBe(
      `To cite this history as a whole: ${ABOUT_SITE.publisher}. ${ABOUT_SITE.title}. ${SITE.base_url}. ${state}`,
    );
    const byHand = texts(browseFiles(store, { ...SITE, about: ABOUT_SITE }).get(ABOUT), 'p').find((text) => text.startsWith('To cite one'));
    expect(byHand).toContain(
      `by hand: ${ABOUT_SITE.publisher}. FIELD of @HANDLE, as first seen on TIME. ${ABOUT_SITE.title}. LINK. Fingerprint of the data ${store.revision.fingerprint}. `,
    );
    expect(citationIn({ ...SITE, base_url: 'http://127.0.0.1:8080' })).toBe(
      `To cite this history as a whole: History of public profiles. ${state}`,
    );
  });

  it('asks search engines not to index its pages only if it wants that', async () => {
    const store = await storeOf(historyOf([{}]));
    for (const noindex of [true, undefined] as const) {
      for (const [path, page] of textsOf(browseFiles(store, { ...SITE, noindex }), '.html')) {
        expect(metadata(page), path).toEqual(noindex === undefined ? [] : ['robots noindex']);
      }
    }
  });
});

it('the home page says what the JSON lacks', async () => {
  expect(texts(browseFiles(await storeOf(historyOf([{}]))).get(HOME), 'p')).toContain(
    'The JSON API has the same records and accounts. It has no former handles, no renames and no days with snapshots. It does not say between which two snapshots a value changed, or on which day an account was last known.',
  );
});

it('says what a correction can be, which records have a snapshot link, and how names are sorted', async () => {
  const files = browseFiles(await storeOf(historyOf([{}])));
  expect(texts(files.get(ABOUT), 'p')).toEqual(
    expect.arrayContaining([
      'A change or a first value has a link named Snapshot if the source gave the address of an archived copy of the profile.',
      'The records are what the source showed, even if that was untrue. A record that differs from what the source showed can be replaced. A removal removes a whole account, not single texts.',
    ]),
  );
  expect(texts(files.get(namesPage()), 'p')[0]).toMatch(/^Sorted by the whole name as it is written, not by the surname\. /);
});

it('the page for a wrong address speaks of months too, and leads to them', async () => {
  const page = browseFiles(await storeOf(historyOf([{}]))).get(NOT_FOUND_FILE);
  expect(texts(page, 'p')).toContain(
    'There is no page at this address. An account may have been renamed or removed. A month without records and renames has no page: the home page says whether it has a snapshot.',
  );
  expect(page).toContain('<a href="/api/index.html#months">the months</a>');
});

describe('the page about the history', () => {
  it('has the state of the data, without a site.json too', async () => {
    const store = await storeOf(historyOf([{ previous: null }, {}, {}]));
    const rows = (page: string | undefined) => Object.fromEntries(texts(page, 'dt').map((term, index) => [term, texts(page, 'dd')[index]]));
    const state = {
      Accounts: '1',
      Changes: '2',
      'First values': '1',
      'First seen': '1 January 2020',
      'Newest record': '1 January 2020',
      Fingerprint: store.revision.fingerprint,
    };
    const plain = browseFiles(store).get(ABOUT);
    expect(rows(plain)).toEqual(state);
    const older = { previous: null, data_type: 'Location', first_encountered_date: '2019-06-01T00:00:00Z' } as const;
    expect(rows(browseFiles(await storeOf(historyOf([{ previous: null }, older]))).get(ABOUT))['Newest record']).toBe('1 January 2020');
    expect(texts(plain, 'main')[0]).toContain('This site does not say who publishes it');
    expect(texts(plain, 'p')).toContain('An account that is gone can look like one that did not change.');
    expect(texts(plain, 'p')).toContain(
      'In the JSON of a record, account is the present handle, also if the record is older than the rename.',
    );
    expect(texts(plain, 'code').slice(-2)).toEqual([`palimpsest mirror ${SITE.base_url}`, `palimpsest build --base-url ${SITE.base_url}`]);
    const local = browseFiles(store, { ...SITE, base_url: 'http://127.0.0.1:8080' }).get(ABOUT);
    expect(texts(local, 'code').at(-1)).toBe('palimpsest build --base-url ADDRESS');
    const { title: _, ...about } = ABOUT_SITE;
    const page = browseFiles(store, { ...SITE, about: { title: 'Press', ...about } }).get(ABOUT);
    expect(rows(page)).toEqual({
      Publisher: about.publisher,
      Contact: about.contact,
      Source: about.source,
      License: 'CC BY 4.0',
      ...state,
    });
    expect(texts(page, 'main')[0]).toContain(`write to ${about.contact}.`);
  });

  const spansOf = (...days: readonly string[]) => days.map((day) => ({ from: day.slice(0, 10), to: day.slice(-10) }));
  const months = (count: number) =>
    Array.from({ length: count }, (_, index) => `20${10 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}-01`);
  it.each<[name: string, spans: ReturnType<typeof spansOf>, dates: readonly string[], paragraphs: readonly (string | RegExp)[]]>([
    ['nothing', [], [], ['There are no records yet.']],
    [
      'imported records',
      [],
      ['2020-01-02'],
      [
        'The records were imported. It is not known on which days their source had snapshots.',
        'This copy has nothing newer than 2 January 2020.',
      ],
    ],
    [
      'snapshots of one day',
      spansOf('2020-01-02'),
      ['2020-01-02'],
      [
        'This history has snapshots of one day: 2 January 2020. An account need not have a snapshot on each of these days.',
        'This copy has nothing newer than 2 January 2020.',
      ],
    ],
    [
      'snapshots and imported records',
      spansOf('2020-01-02..2020-01-04', '2020-01-06', '2020-01-09'),
      ['2020-01-02', '2020-01-05'],
      [
        'This history has snapshots of 5 days. The first is 2 January 2020, the last is 9 January 2020. 3 days between them have no snapshots: 5 January 2020, 7 January 2020 to 8 January 2020. An account need not have a snapshot on each of these days.',
        'The records of 1 other day were imported. It is not known on which days their source had snapshots.',
        'This copy has nothing newer than 9 January 2020.',
      ],
    ],
    [
      'snapshots of each month',
      spansOf(...months(15)),
      ['2030-01-01'],
      [
        /^This history has snapshots of 15 days\. The first is 1 January 2010, the last is 1 March 2011\. 410 days between them have no snapshots, in 14 gaps\. The 12 longest gaps: (?!.*February 2010 to 28)/,
        /^The records of 1 other day/,
        'This copy has nothing newer than 1 January 2030.',
      ],
    ],
  ])('says how complete it is: %s', async (_, snapshot_days, dates, paragraphs) => {
    const records = dates.map((day) => ({ first_encountered_date: `${day}T00:00:00Z` }));
    const page = browseFiles(await storeOf(historyOf(records)), { ...SITE, snapshot_days, palimpsest: '1.2.3' }).get(ABOUT);
    const all = texts(page, 'p');
    const start = all.findIndex((text) => /^(There are no|This history has|The records were)/.test(text));
    expect(all.slice(start, start + paragraphs.length)).toEqual(
      paragraphs.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
    );
    expect(texts(page, 'dd')).toContain('palimpsest 1.2.3');
  });

  it.each<
    [
      name: string,
      spans: ReturnType<typeof spansOf>,
      dates: readonly string[],
      years: readonly string[],
      chart: number,
      days: string,
      outside: string,
    ]
  >([
    ['not for imported records', [], ['2020-01-02', '2020-03-04'], ['2020 0  1         '], 0, '', ''],
    [
      'for snapshots',
      spansOf('2016-12-31', '2019-05-30..2020-01-30', '2020-03-04'),
      ['2019-05-30', '2020-01-02', '2020-03-04'],
      // this copy ends in March
      ['2020 1 none:1 1         ', '2019 none:4 0 same:7', '2017 to 2018 none:12', '2016            same:1'],
      1,
      '1–3',
      '5–31',
    ],
    // of the time before the first snapshot, nothing is known
    [
      'for snapshots after imported records',
      spansOf('2020-03-02', '2020-03-04', '2020-05-01'),
      ['2017-02-01', '2017-04-01', '2020-03-02', '2020-03-04'],
      ['2020   2 none:1 same:1       ', '2017  0  1        '],
      1,
      '3, 5–31',
      '1',
    ],
    // what happened between the imported records is unknown
    [
      'for snapshots before and after imported records',
      spansOf('2014-06-30', '2020-03-02'),
      ['2014-06-30', '2017-02-01', '2017-04-01', '2020-03-02'],
      ['2020 none:2 1         ', '2018 to 2019 none:12', '2017 none:1 1  1 none:8', '2015 to 2016 none:12', '2014      0 none:6'],
      2,
      '1',
      '3–31',
    ],
    ['not in a month with imported records', spansOf('2020-03-02'), ['2020-03-02', '2020-03-04'], ['2020   1         '], 0, '', ''],
  ])('marks the months and the days without a snapshot: %s', async (_, snapshot_days, dates, years, chart, days, outside) => {
    const records = dates.map((day) => ({ first_encountered_date: `${day}T00:00:00Z` }));
    const files = browseFiles(await storeOf(historyOf(records)), { ...SITE, snapshot_days });
    const cells = (row: ReturnType<typeof elementsNamed>[number]) =>
      elementsNamed(row, 'td').map((cell) =>
        textOf(cell).trim().replace('no snapshot', `none:${cell.attrs[0]?.value}`).replace('no changes', `same:${cell.attrs[0]?.value}`),
      );
    const rows = elementsNamed(elementsNamed(parse(files.get(HOME) ?? ''), 'table')[0] ?? parse(''), 'tr').slice(1);
    expect(rows.map((row) => [textOf(elementsNamed(row, 'th')[0] ?? row), ...cells(row)].join(' '))).toEqual(years);
    expect(elementsNamed(parse(files.get(HOME) ?? ''), 'g').filter((bar) => elementsNamed(bar, 'path').length > 0)).toHaveLength(chart);
    const month = files.get(monthPage('2020-03'));
    for (const [note, marked] of Object.entries({ 'no snapshot': days, unknown: outside })) {
      const cells = texts(month, 'td').flatMap((text) => new RegExp(`^(\\d+) ${note}$`).exec(text.trim())?.[1] ?? []);
      expect(cells).toEqual(
        marked
          .split(', ')
          .filter(Boolean)
          .flatMap((span) => {
            const [first = 0, last = first] = span.split('–').map(Number);
            return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
          }),
      );
    }
    const bare = days === '' ? 'no records. It is not known whether it had a snapshot.' : 'a snapshot, but no records.';
    expect(month).toContain(`A day with only its date has ${bare}`);
    const legend = 'Unknown: a day before the first snapshot of this history or after the newest one. Nothing is known of it.';
    expect(texts(month, 'p').includes(legend)).toBe(outside !== '');
    for (const page of [month, files.get(HOME)]) expect(foreignMarkup(page ?? '')).toEqual([]);
  });

  it.each([
    ['', [], ['Feb 2020', 'Mar 2020', 'Apr 2020', 'May 2020', 'Jun 2020'], 'No bar: no changes.'],
    [
      ', but not of imported records',
      ['2019-11-01'],
      ['Nov 2019', 'Jan 2020', 'Mar 2020', 'May 2020'],
      'No bar: no changes, or it is not known whether there was a snapshot.',
    ],
  ])('says which months with snapshots have no changes, up to the newest snapshot%s', async (_, imported, labels, legend) => {
    const records = [...imported, '2020-02-02', '2020-02-04'].map((day) => ({ first_encountered_date: `${day}T00:00:00Z` }));
    const files = browseFiles(await storeOf(historyOf(records)), { ...SITE, snapshot_days: spansOf('2020-02-02..2020-06-10') });
    const home = files.get(HOME) ?? '';
    expect(texts(home, 'p')).toContain('Days with snapshots: the newest snapshot can be later than the newest change or first value');
    expect(home).toContain('</a><td colspan=4>no changes<td><td><td><td><td><td>\n');
    expect(texts(home, 'text').slice(1)).toEqual(labels);
    expect(texts(home, 'p')).toContain(legend);
    for (const month of ['2020-03', '2020-06']) {
      expect(files.has(monthPage(month))).toBe(false);
      expect(home).not.toContain(monthPage(month));
    }
  });

  it.each([
    ['only the first one', ['2020-01-31'], '2020-01-31..2020-03-02', FIRST_ONLY],
    ['only the first one, and later months none with a change', ['2020-01-31'], '2020-01-31..2020-04-10', `no changes, or ${FIRST_ONLY}`],
    ['more than the first one', ['2020-01-30'], '2020-01-30..2020-03-02', 'no changes'],
    ['one of later days than imported records', ['2020-01-09', '2020-01-31'], '2020-01-31..2020-03-02', 'no changes'],
  ])('says why the first month of a history has no bar if its snapshots are %s', async (_, first, span, reason) => {
    const day = (date: string, previous: number | null) => ({ first_encountered_date: `${date}T00:00:00Z`, previous });
    const records = [...first.map((date) => day(date, null)), day('2020-02-02', 1), day('2020-03-02', 2)];
    const site = { ...SITE, snapshot_days: spansOf(span) };
    expect(texts(browseFiles(await storeOf(historyOf(records)), site).get(HOME), 'p')).toContain(`No bar: ${reason}.`);
  });

  it('says what palimpsest is', async () => {
    const page = browseFiles(await storeOf(historyOf([]))).get(ABOUT);
    expect(texts(page, 'p')).toContain('These pages were made by palimpsest, a program for the command line. It is free software.');
  });

  it('marks the end of a month when the next snapshot comes', async () => {
    const store = await storeOf(historyOf([{ first_encountered_date: '2020-03-02T00:00:00Z' }]));
    const { number, records } = store.revision;
    const rendered = { revision: number, records, names: true, snapshot_days: spansOf('2020-03-02') };
    const marked = (...days: readonly string[]) =>
      browseFiles(store, { ...SITE, snapshot_days: spansOf(...days) }, rendered)
        .get(monthPage('2020-03'))
        ?.match(/<small>no snapshot/g)?.length;
    expect([marked('2020-03-02'), marked('2020-03-02', '2020-04-01')]).toEqual([undefined, 29]);
  });

  it('says which snapshot finds the changes of a gap, on the months at both of its ends and on the home page', async () => {
    const dates = ['2020-01-02', '2020-03-04', '2020-03-05', '2020-03-08'];
    const store = await storeOf(historyOf(dates.map((day) => ({ first_encountered_date: `${day}T00:00:00Z` }))));
    const rendered = {
      revision: store.revision.number,
      records: store.revision.records,
      names: true,
      snapshot_days: spansOf('2020-01-02'),
    };
    const files = browseFiles(store, { ...SITE, snapshot_days: spansOf('2020-01-02', '2020-03-04..2020-03-05', '2020-03-08') }, rendered);
    const [january, march] = [files.get(monthPage('2020-01')), files.get(monthPage('2020-03'))];
    const gap = '3 January 2020 to 3 March 2020. Next snapshot: 4 March 2020';
    const gaps = (page: string | undefined) => texts(page, 'li').filter((line) => line.includes('Next snapshot'));
    expect(gaps(january)).toEqual([`${gap}\n`]);
    expect(gaps(march)).toEqual([`${gap}\n`, '6 March 2020 to 7 March 2020. Next snapshot: 8 March 2020\n']);
    expect(texts(march, 'td').filter((text) => text.includes('in '))).toEqual(['4 1 in 62 days', '8 1 in 3 days']);
    expect(march).toContain('title="4 March 2020: 1 change in 62 days">');
    for (const page of [january, march]) expect(page).toContain(' after <a href="#gaps">days without one</a> also counts their changes.');
    const home = files.get(HOME);
    expect(home).toContain(' after <a href="browse/about.html#complete">days without one</a> also counts their changes.');
    expect(texts(home, 'title')).toContain('March 2020: 3 changes, with those of the time before it without a snapshot');
    expect(texts(home, 'p')).toContain(
      `Gray: no snapshot. The next bar with a snapshot includes the changes of that time. No bar: ${FIRST_ONLY}.`,
    );
    const whole = browseFiles(store, { ...SITE, snapshot_days: spansOf('2020-01-02..2020-03-08') });
    for (const path of [HOME, monthPage('2020-03')]) expect(whole.get(path)).not.toMatch(/days without|in \d+ days/i);
  });

  it('names what is missing from the data', async () => {
    const lack = { base_url: 'https://history.example', finished_at: '2024-01-01T00:00:00Z', request_count: 2 };
    const incomplete = [{ ...lack, counted: { records: 9, accounts: 2 }, missing: { records: 4, accounts: 0 } }];
    const page = browseFiles(await storeOf(historyOf([])), { ...SITE, incomplete }).get(ABOUT);
    expect(texts(page, 'li')).toEqual(['the mirror of https://history.example lacks at least 4 of 9 records\n']);
  });
});
