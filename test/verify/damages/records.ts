import type { Rule } from '../../../src/verify/violation.ts';
import type { Json } from '../damaged-tree.ts';
import { type Damage, damaged, sealed } from './damage.ts';

/** Record 94 of ada: Location, previous 10, the newest of its field. It is on page 3 of the feed and page 1 of the accounts. */
const ID = 94;
const SUBJECT = `record ${ID}`;
const FIRST_PAGE = 'rest/data/index.json';
const FEED_PAGE = 'rest/data/page/3/index.json';
const ACCOUNT_PAGE = 'rest/account/index.json';

/** Damages of records, each in both the feed and the account. `invalid-pages.test.ts` has invalid fields. */
export const RECORD_DAMAGES: readonly Damage[] = sealed([
  damaged(
    'a record has a field that is not valid',
    ['record-field', FEED_PAGE, undefined, 'results[3].previous'],
    setting(ID, { previous: ID }),
    'account-field',
    'account-data-missing',
  ),
  damaged(
    'two records of the feed are swapped',
    ['record-order', FIRST_PAGE, 'record 128', 'an id below 126'],
    (tree) => tree.editFeed((records) => [...records.slice(1, 2), ...records.slice(0, 1), ...records.slice(2)]),
    'imported-record-date',
  ),
  damaged('the feed has a record twice', ['record-order', FEED_PAGE, SUBJECT], (tree) =>
    tree.editFeed((records) => records.flatMap((record) => (record.id === ID ? [record, record] : [record]))),
  ),
  damaged(
    'a record has a later date than the record before it',
    ['imported-record-date', FEED_PAGE, SUBJECT, '23:59:43.000043Z'],
    setting(ID, { first_encountered_date: '2016-02-28T23:59:43.000044Z' }),
  ),
  damaged(
    'a record has a script in its diff_html',
    ['imported-record-markup', FEED_PAGE, SUBJECT],
    setting(ID, { diff_html: '<script>alert(1)</script>' }),
  ),
  ...['javascript:alert(1)', 'https://a.example/\u0085'].map((url) =>
    damaged(
      `a record has the web_archive_url ${JSON.stringify(url)}`,
      ['url-scheme', ACCOUNT_PAGE, SUBJECT, 'web_archive_url'],
      setting(ID, { web_archive_url: url }),
    ),
  ),
  previous('is null though there is an earlier record', 'record-predecessor', ID, null),
  previous('does not exist though there is an earlier record', 'record-predecessor', ID, 9),
  previous('is from before this history', 'record-predecessor', 10, 3),
  previous('is a record of another field', 'imported-record-previous', ID, 22),
  previous('is a later record, though it is the first of its field', 'imported-record-previous', 10, ID),
  previous('is a record of another account', 'imported-record-previous', 32, 16, 'record 16 of dee and Website'),
  previous('is an unknown id above its own', 'imported-record-previous', 32, 999),
]);

function previous(what: string, rule: Rule, id: number, previous: number | null, mentions = String(previous)): Damage {
  return damaged(`the previous of record ${id} ${what}`, [rule, ACCOUNT_PAGE, `record ${id}`, mentions], setting(id, { previous }));
}

function setting(id: number, changes: Json): Damage['damage'] {
  return (tree) => tree.editRecord(id, (record) => Object.assign(record, changes));
}
