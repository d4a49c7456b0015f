import type { DamagedTree, Json, RecordJson } from '../damaged-tree.ts';
import { BRACKETS, type Damage } from './damage.ts';

/** Record 94 of ada: Location, previous 10, the newest of its field. It is on page 3 of the feed and page 1 of the accounts. */
const ID = 94;
const SUBJECT = `record ${ID}`;
const FEED_PAGE = 'rest/data/page/3/index.json';
const ACCOUNT_PAGE = 'rest/account/index.json';

/** Damages of records, each in both the feed and the account. All are resealed. */
export const RECORD_DAMAGES: readonly Damage[] = [
  ...field('has an id that is a string', { id: '94' }, 'results[3].id'),
  ...field('has a negative id', { id: -94 }, 'results[3].id'),
  ...field('has an id with a fraction', { id: 94.5 }, 'results[3].id'),
  ...field('has an id above the safe integers', { id: 2 ** 53 }, 'results[3].id'),
  ...field('has no account', { account: undefined }, 'results[3].account'),
  ...field('has an empty account', { account: '' }, 'results[3].account'),
  ...field('has an account with a control character', { account: 'ada\n' }, 'results[3].account'),
  ...field('has an unknown type', { data_type: 'Birthday' }, 'results[3].data_type'),
  ...field('has a type in lower case', { data_type: 'location' }, 'results[3].data_type'),
  ...field('has a previous that is a string', { previous: '10' }, 'results[3].previous'),
  ...field('has itself as previous', { previous: ID }, 'results[3].previous'),
  ...field('has a text that is a number', { text: 94 }, 'results[3].text'),
  ...field('has the type Verified and a text that is neither true nor false', { data_type: 'Verified', text: 'True' }, 'results[3].text'),
  ...field('has a date that does not exist', { first_encountered_date: '2016-02-30T00:00:00Z' }, 'results[3].first_encountered_date'),
  ...field('has a date with milliseconds', { first_encountered_date: '2016-02-28T23:59:42.000Z' }, 'results[3].first_encountered_date'),
  ...field('has a date with an offset', { first_encountered_date: '2016-02-28T23:59:42+00:00' }, 'results[3].first_encountered_date'),
  ...field('has no diff_html', { diff_html: null }, 'results[3].diff_html'),
  ...field('has a relative web_archive_url', { web_archive_url: '/web/1' }, 'results[3].web_archive_url'),
  ...field('has an unknown field', { note: 'x' }, 'results[3].note'),
  ...item('is null', 'null'),
  ...item('is a list', '[]'),
  ...item('is a number', '94'),
  ...item('is an empty object', '{}'),
  ...item('is deeply nested', '['.repeat(BRACKETS) + ']'.repeat(BRACKETS)),
  ...item('is a deeply nested object', `${'{"id":'.repeat(BRACKETS)}1${'}'.repeat(BRACKETS)}`),

  {
    name: 'two records of the feed are swapped',
    damage: (tree) => tree.editFeed(swap),
    expects: 'record-order',
    path: 'rest/data/index.json',
    subject: 'record 128',
    mentions: 'an id below 126',
    also: ['imported-record-date'],
    deep: true,
  },
  {
    name: 'the feed is in ascending order',
    damage: (tree) => tree.editFeed((records) => records.toReversed()),
    expects: 'record-order',
    path: 'rest/data/index.json',
    subject: 'record 12',
    also: ['imported-record-date'],
    deep: true,
  },
  {
    name: 'the feed has a record twice',
    damage: (tree) => tree.editFeed((records) => records.flatMap((record) => (record.id === ID ? [record, record] : [record]))),
    expects: 'record-order',
    path: FEED_PAGE,
    subject: SUBJECT,
    deep: true,
  },
  {
    name: 'the feed has a record twice, at the end of a page and at the start of the next',
    damage: (tree) => tree.editFeed((records) => [...records.slice(0, 14), ...records.slice(13)]),
    expects: 'record-order',
    path: FEED_PAGE,
    subject: 'record 102',
    deep: true,
  },
  ...edited(
    'imported-record-date',
    'has a later date than the record before it',
    { first_encountered_date: '2016-02-28T23:59:43.000044Z' },
    '23:59:43.000043Z',
  ),
  ...edited('imported-record-date', 'has a date that is later by a day', { first_encountered_date: '2016-02-29T00:00:00Z' }, '2016-02-29'),
  {
    name: 'a record has a date with a fraction after a date without a fraction in the same second (imported-record-date)',
    damage: (tree) => {
      tree.editRecord(ID, (record) => Object.assign(record, { first_encountered_date: '2016-02-28T23:59:43.000001Z' }));
      tree.editRecord(96, (record) => Object.assign(record, { first_encountered_date: '2016-02-28T23:59:43Z' }));
    },
    expects: 'imported-record-date',
    path: FEED_PAGE,
    subject: SUBJECT,
    deep: true,
  },
  ...[
    '<script>alert(1)</script>',
    '<img src="x" onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://ok.example" onclick="alert(1)">x</a>',
    '<span style="background:url(https://evil.example)">x</span>',
    '<ins style="background:#e6ffe6;">never closed',
    '<del><ins></del></ins>',
    '</span>',
    '<',
    '<!-- --><span>x</span>',
  ].flatMap((diff_html) => edited('imported-record-markup', `has the diff_html ${diff_html}`, { diff_html })),

  ...accountRule('record-predecessor', 'has a previous that is null though there is an earlier record', { previous: null }, 'null'),
  ...['javascript:alert(1)', 'data:text/html,x', 'https://a.example/\u0085'].map(
    (url): Damage => ({
      name: `a record has the web_archive_url ${JSON.stringify(url)}`,
      damage: editing(ID, { web_archive_url: url }),
      expects: 'url-scheme',
      path: ACCOUNT_PAGE,
      subject: SUBJECT,
      mentions: 'web_archive_url',
      deep: true,
    }),
  ),
  {
    name: 'the previous of a record skips a record',
    damage: editing(106, { previous: 22 }),
    expects: 'record-predecessor',
    path: ACCOUNT_PAGE,
    subject: 'record 106',
    mentions: '22',
    deep: true,
  },
  ...accountRule('imported-record-previous', 'has a previous of another field', { previous: 22 }, '22'),
  ...accountRule('imported-record-previous', 'has a previous that is a later record', { previous: 98 }, '98'),
  ...accountRule('record-predecessor', 'has a previous that does not exist though there is an earlier record', { previous: 9 }, '9'),
  {
    name: 'the previous of the first record of a field is a later record',
    damage: editing(10, { previous: ID }),
    expects: 'imported-record-previous',
    path: ACCOUNT_PAGE,
    subject: 'record 10',
    mentions: '94',
    deep: true,
  },
  {
    name: 'the previous of the first record of a field is a record of another account',
    damage: editing(32, { previous: 16 }),
    expects: 'imported-record-previous',
    path: ACCOUNT_PAGE,
    subject: 'record 32',
    mentions: 'record 16 of dee and Website',
    deep: true,
  },
  {
    name: 'the previous of the first record of a field is an unknown id above its own',
    damage: editing(32, { previous: 999 }),
    expects: 'imported-record-previous',
    path: ACCOUNT_PAGE,
    subject: 'record 32',
    mentions: '999',
    deep: true,
  },
  {
    name: 'the previous of the first record of a field is from before this history',
    damage: editing(10, { previous: 3 }),
    expects: 'record-predecessor',
    path: ACCOUNT_PAGE,
    subject: 'record 10',
    mentions: 'record 3',
    deep: true,
  },
];

function editing(id: number, changes: Json): Damage['damage'] {
  return (tree) => tree.editRecord(id, (record) => Object.assign(record, changes));
}

/** A field of record 94 with an invalid value. */
function field(what: string, changes: Json, mentions: string): Damage[] {
  return [
    {
      name: `a record ${what}`,
      damage: editing(ID, changes),
      expects: 'record-field',
      path: FEED_PAGE,
      mentions,
      also: ['account-field', 'account-data-missing'],
      deep: true,
    },
  ];
}

/** Record 94, in the feed only, replaced by something that is not a record. */
function item(what: string, json: string): Damage[] {
  const damage = (tree: DamagedTree) => tree.editText('data', 3, (text) => text.replace(/\{"id":94,.*?\}(?=,\{"id":92,)/, json));
  return [
    {
      name: `a record ${what}`,
      damage,
      expects: 'record-field',
      path: FEED_PAGE,
      mentions: 'results[3]',
      also: ['account-data-surplus'],
      deep: true,
    },
  ];
}

/** Record 94 with a violation in the feed. */
function edited(expects: Damage['expects'], what: string, changes: Json, mentions?: string): Damage[] {
  const name = `a record ${what} (${expects})`;
  const damage = { name, damage: editing(ID, changes), expects, path: FEED_PAGE, subject: SUBJECT, deep: true };
  return [mentions === undefined ? damage : { ...damage, mentions }];
}

/** Record 94 with a violation in its account. */
function accountRule(expects: Damage['expects'], what: string, changes: Json, mentions: string): Damage[] {
  return [
    {
      name: `a record ${what} (${expects})`,
      damage: editing(ID, changes),
      expects,
      path: ACCOUNT_PAGE,
      subject: SUBJECT,
      mentions,
      deep: true,
    },
  ];
}

function swap([first, second, ...others]: RecordJson[]): RecordJson[] {
  if (first === undefined || second === undefined) throw new Error('no two records');
  return [second, first, ...others];
}
