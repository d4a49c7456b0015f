import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import type { RecordFacts } from '../../src/browse/accounts/record-lookup.ts';
import { accountEntry, type Entry, entriesOf, feedEntry } from '../../src/browse/change-list.ts';
import { markup } from '../../src/browse/markup.ts';
import { accountPage, changesPage, HOME, monthPage } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { elementsNamed, textOf as textIn } from './parsed-html.ts';
import { browseFiles, historyOf, SITE, storeOf } from './small-site.ts';

function record(text: string | null, diff_html: string, data_type: ChangeRecord['data_type'], previous: number | null = 1): ChangeRecord {
  const first_encountered_date = '2024-03-05T14:03:06Z';
  return { id: 2, account: 'nina_k', data_type, previous, text, first_encountered_date, diff_html, web_archive_url: null };
}

const UNKNOWN: RecordFacts = { addressOf: () => markup`x.html#r2`, textOf: () => undefined, handleAt: ({ account }) => account };

/** Returns the markup of the values of a record, without its heading: in the feed, and on the page of its account. */
function shown(entry: ChangeRecord, textOf = UNKNOWN.textOf): readonly string[] {
  const facts = { ...UNKNOWN, textOf };
  return [feedEntry([entry], '', facts), accountEntry([entry], () => markup`#r2`, facts, new Map())].map(
    (html) => /<\/header>(.*)<\/article>/.exec(html)?.[1] ?? '',
  );
}

const values = (...texts: readonly string[]) => texts.map((text) => `<div dir=auto>${text}</div>`).join('');

describe('a change of Verified', () => {
  const verified = (text: string, html: string, previous: number | null = 1) => shown(record(text, html, 'Verified', previous));

  it('has the words of the profile, also if the difference is a part of a word', () => {
    const part = '<del>f</del><ins>tru</ins><del>als</del><span>e</span>';
    expect(verified('true', part)[0]).toBe(values('<del>No</del><ins>Yes</ins>'));
    expect(verified('true', '<del style="background:#ffe6e6;">false</del><ins style="background:#e6ffe6;">true</ins>')).toEqual([
      values('<del>No</del><ins>Yes</ins>'),
      values('<del>No</del>', '<ins>Yes</ins>'),
    ]);
  });

  it('has one word if the value is the first one, or the same as before', () => {
    expect(verified('false', '\n<ins>false</ins>\n', null)).toEqual(Array(2).fill(values('No')));
    expect(verified('true', '<span>true</span>')[0]).toBe(values('Yes'));
    expect(verified('true', '')[0]).toBe(values('<ins>Yes</ins>'));
  });

  it('shows a difference of other values unchanged', () => {
    expect(verified('true', '<del>maybe</del><ins>true</ins>')[0]).toBe(values('<del>maybe</del><ins>true</ins>'));
  });
});

describe('a record whose diff_html is outside of the grammar', () => {
  const html = '<b>a &lt; b</b>';
  it.each([
    ['the texts of the store', 'then', ['<del>then</del><ins>n&lt;ow</ins>', '<del>then</del>', '<ins>n&lt;ow</ins>']],
    ['an empty text before', '', ['<ins>n&lt;ow</ins>', '<i>empty</i>', '<ins>n&lt;ow</ins>']],
    ['an absent text before', null, ['<ins>n&lt;ow</ins>', '<i>empty</i>', '<ins>n&lt;ow</ins>']],
    ['the same text before', 'n<ow', ['n&lt;ow', 'n&lt;ow', 'n&lt;ow']],
  ] as const)('shows %s', (_, before, [inline, ...sides]) => {
    for (const diff of [html, '']) {
      expect(shown(record('n<ow', diff, 'Bio'), (id) => (id === 1 ? before : undefined))).toEqual([values(inline), values(...sides)]);
    }
  });

  it('says that the text before is not known if the store does not have it', () => {
    expect(shown(record('now', html, 'Bio'))).toEqual([values('<ins>now</ins>'), `<p>Unknown</p>${values('<ins>now</ins>')}`]);
  });

  it('shows an absent value as empty, in a word, and "No" for an unverified account', () => {
    expect(shown(record(null, html, 'Website'), () => 'http://a.example')[1]).toBe(values('<del>http://a.example</del>', '<i>empty</i>'));
    expect(shown(record('false', html, 'Verified'), () => 'true')[1]).toBe(values('<del>Yes</del>', '<ins>No</ins>'));
  });

  it('shows only the value if it is the first one', () => {
    expect(shown(record('now', html, 'Bio', null))).toEqual(Array(2).fill(values('now')));
  });
});

it.each<[before: string, after: string, sides: readonly [before: string, after: string]]>([
  ['maps', 'maps &amp; mills', ['maps', 'maps<ins> &amp; mills</ins>']],
  ['of maps', 'maps', ['<del>of </del>maps', 'maps']],
  ['a<br>b', 'a<br>b<br>c', ['a\nb', 'a\nb<ins><i></i>\nc</ins>']],
  ['amp; b', 'a &amp; b', ['<del>amp; b</del>', '<ins>a &amp; b</ins>']],
  ['maps', 'mills', ['<del>maps</del>', '<ins>mills</ins>']],
])('a diff_html that marks all of %s and of %s shows only what was added or removed', (before, after, sides) => {
  const html = `<del style="background:#ffe6e6;">${before}</del><ins style="background:#e6ffe6;">${after}</ins>`;
  expect(accountEntry([record('', html, 'Bio')], () => markup`#r2`, UNKNOWN, new Map())).toContain(values(...sides));
});

describe('the records of one account and one second', () => {
  const at = (id: number, time: string, more: Partial<ChangeRecord> = {}): ChangeRecord => ({
    ...record(`text ${id}`, `<ins>text ${id}</ins>`, 'Bio'),
    id,
    first_encountered_date: time,
    ...more,
  });

  it('are one entry, also with a record of another account between them', () => {
    const second = '2024-03-05T14:03:06';
    const records = [
      at(5, `${second}.900000Z`),
      at(4, `${second}.100000Z`, { data_type: 'Name' }),
      at(3, `${second}.100000Z`, { account: 'omar' }),
      at(2, `${second}Z`, { data_type: 'Website' }),
      at(1, '2024-03-05T14:03:05.999999Z'),
    ];
    expect(entriesOf(records).map((entry) => entry.map(({ id }) => id))).toEqual([[5, 4, 2], [3], [1]]);
  });

  it('tell the first values among them from the changes', () => {
    const entry: Entry = [at(3, '2024-03-05T14:03:06Z'), at(2, '2024-03-05T14:03:06Z', { previous: null, data_type: 'Name' })];
    for (const html of [accountEntry(entry, () => markup`x`, UNKNOWN, new Map()), feedEntry(entry, '', UNKNOWN)]) {
      const page = parse(html);
      expect(elementsNamed(page, 'h3').map((each) => textIn(each).includes('First seen'))).toEqual([false]);
      expect(elementsNamed(page, 'article').map((each) => textIn(each).includes('First seen'))).toEqual([false, true]);
    }
  });
});

it('several first values of a field are no changes, and the page says so', async () => {
  const page = browseFiles(await storeOf(historyOf([{ previous: null }, { previous: null }]))).get(accountPage('nina'));
  const paragraphs = elementsNamed(parse(page ?? ''), 'p').map((each) => textIn(each));
  expect(paragraphs).toContain(
    'A field has several first values. Their records do not say what the field said before. They are not counted as changes.',
  );
  expect(paragraphs.join(' ')).not.toContain('No source showed a change of these values');
});

it('first values are no changes on any page, and one block on the page of their account', async () => {
  const types = ['Name', 'Bio', 'Location', 'Website', 'Verified'] as const;
  const first = types.map((data_type, second) => ({
    data_type,
    previous: null,
    text: 'true',
    first_encountered_date: `2020-01-01T00:00:0${second < 3 ? 0 : 1}Z`,
  }));
  const change = { previous: 2, text: 'other', first_encountered_date: '2020-02-03T00:00:00Z' };
  const omar = { account: 'omar', previous: null, first_encountered_date: '2020-02-03T00:00:01Z' };
  const files = browseFiles(await storeOf(historyOf([...first, change, omar])), { ...SITE, page_size: 100 });
  const textsOf = (path: string, name: string) =>
    elementsNamed(parse(files.get(path) ?? ''), name).map((each) => textIn(each).replace(/\s+/g, ' ').trim());

  expect(textsOf(HOME, 'dl')).toEqual([
    'Accounts2 Changes1 First values6 First seen1 January 2020 Newest change3 February 2020 Newest first value3 February 2020',
  ]);
  expect(textsOf(HOME, 'svg')[0]).toContain('February 2020: 1 change');
  expect(textsOf(HOME, 'svg')[0]).not.toContain('January');
  expect(textsOf(HOME, 'text')).toEqual(['Most in a month: 1 change', 'Jan 2020', 'Feb 2020']);
  expect(textsOf(monthPage('2020-01'), 'p')[0]).toMatch(/^0 changes and 5 first values\./);
  expect(textsOf(monthPage('2020-02'), 'p')[0]).toMatch(/^1 change and 1 first value\./);
  expect(textsOf('browse/accounts/all.html', 'tr').slice(1)).toEqual(['@nina11 January 20203 February 2020', '@omar03 February 2020']);
  expect(textsOf(accountPage('omar'), 'h2')).toEqual(['0 changes']);
  const columns = [accountPage('nina'), accountPage('omar')].map((path) => textsOf(path, 'p').find((text) => text.startsWith('@')));
  expect(columns).toEqual(['@ninaBeforeAfter', '@omar']);
  const unchanged = 'No source showed a change of these values. Between the days with snapshots, nothing is known.';
  expect([accountPage('omar'), accountPage('nina')].map((path) => textsOf(path, 'p').includes(unchanged))).toEqual([true, false]);
  expect([accountPage('omar'), accountPage('nina')].map((path) => textsOf(path, 'fieldset').length)).toEqual([0, 1]);
  expect(textsOf(accountPage('omar'), 'div')).toContain('For the profile of a day, turn on JavaScript.');
  expect(textsOf(accountPage('omar'), 'dl')).toEqual([
    'Not knownNo source showed a value of Name, Location, Website, Verified. Newest record3 February 2020. Today the profile can differ or be gone.',
  ]);
  expect([textsOf(accountPage('nina'), 'h2'), textsOf(accountPage('nina'), 'h3')]).toEqual([
    ['1 change'],
    ['3 February 2020, 00:00:00 UTC', 'First seen on 1 January 2020, 00:00:00 UTC'],
  ]);
  expect(textsOf(changesPage(1), 'h3')).toEqual([
    '00:00:01 @omar First seen',
    '00:00:00 @nina',
    '00:00:01 @nina First seen',
    '00:00:00 @nina First seen',
  ]);
  expect(textsOf(HOME, 'nav').find((text) => text.startsWith('Show all'))).toContain(' Bio 1 change, 2 first values ');
  expect(textsOf(changesPage(1), 'label')).toEqual([
    'All',
    'Changes 1',
    'First values 6',
    'Name 1 first value',
    'Bio 1 change, 2 first values',
    'Location 1 first value',
    'Website 1 first value',
    'Verified 1 first value',
  ]);
});
