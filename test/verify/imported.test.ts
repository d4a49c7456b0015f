import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

/** The lines of a command that changes a store. */
interface Step {
  readonly command: readonly string[];
  readonly lines: readonly object[];
}

const imported = (...lines: readonly object[]): Step => ({ command: ['import'], lines });
const replaced = (...lines: readonly object[]): Step => ({ command: ['import', '--on-conflict', 'replace'], lines });
const observed = (...lines: readonly object[]): Step => ({ command: ['observe'], lines });

const bio = (id: number, day: number, text: string, more: object = {}) =>
  bioRecord(id, {
    account: 'ann',
    text,
    first_encountered_date: `2020-01-0${day}T00:00:00Z`,
    diff_html: `<ins style="background:#e6ffe6;">${text}</ins>`,
    ...more,
  });
const website = (id: number, text: string) =>
  bio(id, 1, text, { data_type: 'Website', diff_html: `\n<del></del><br /><ins>${text}</ins>\n` });
const snapshot = (day: number, fields: object) => ({ observed_at: `2021-01-0${day}T00:00:00Z`, screen_name: 'ann', ...fields });
const profile = (fields: object) => ({
  ...{ screen_name: 'ann', account_creation_date: null, profile_image_url: '', data: [], data_page_count: 0 },
  ...{ display_name: '', website: null, location: '', bio: '' },
  ...fields,
});

/** Steps that a command accepts, and the notes of verify about the tree. */
const CASES: readonly (readonly [name: string, steps: readonly Step[], notes: readonly string[]])[] = [
  [
    'records whose dates disagree with the order of their ids',
    [imported(bio(10, 2, 'a'), bio(11, 1, 'b', { account: 'bob' }))],
    ['imported-record-date'],
  ],
  [
    'an imported record that is newer than an observed one',
    [observed(snapshot(1, { bio: 'b' })), imported(bio(10, 1, 'a', { account: 'bob', first_encountered_date: '2022-01-01T00:00:00Z' }))],
    ['imported-record-date'],
  ],
  ['markup that the API does not have', [imported(bio(10, 1, 'a', { diff_html: '<b>a</b>' }))], ['imported-record-markup']],
  [
    'a record whose predecessor the service deleted, after older ones',
    [imported(bio(10, 1, 'a'), bio(12, 2, 'ab', { previous: 11, diff_html: '<span>a</span><ins style="background:#e6ffe6;">b</ins>' }))],
    ['record-predecessor'],
  ],
  ['two accounts that had one handle', [imported(bio(10, 1, 'a'), bio(11, 2, 'b'))], ['record-predecessor']],
  [
    'a previous of another account, of another field and of a later record',
    [
      imported(
        bio(10, 1, 'a'),
        bio(11, 1, 'b', { account: 'bob', previous: 10 }),
        bio(12, 1, 'c', { data_type: 'Name', previous: 10 }),
        bio(13, 1, 'd', { account: 'cat', previous: 14 }),
      ),
    ],
    ['imported-record-previous'],
  ],
  [
    'a history that was imported after snapshots of the account',
    [observed(snapshot(1, { bio: 'b' })), imported(bio(10, 1, 'a'))],
    ['record-predecessor'],
  ],
  [
    'a record that was corrected after an observed change',
    [imported(bio(10, 1, 'a')), observed(snapshot(1, { bio: 'b' })), replaced(bio(10, 1, 'x'))],
    ['imported-diff-previous'],
  ],
  [
    'a website that was corrected after an observed scheme',
    [imported(website(10, 'a.example')), observed(snapshot(1, { website: 'https://a.example' })), replaced(website(10, 'b.example'))],
    ['imported-diff-form', 'imported-diff-previous'],
  ],
  [
    'addresses with other schemes',
    [imported(bio(10, 1, 'a', { web_archive_url: 'javascript:x' }), profile({ profile_image_url: 'data:x' }))],
    ['url-scheme'],
  ],
  ['a profile that disagrees with its records', [imported(bio(10, 1, 'a'), profile({ bio: 'z', website: 'not a URL' }))], []],
];

describe('verify of a tree with imported records', () => {
  it.each(CASES)('has notes and no violations for %s', async (_, steps, notes) => {
    const cwd = temporaryFolder();
    for (const { command, lines } of steps) {
      writeFileSync(join(cwd, 'lines.ndjson'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      await palimpsestJson([...command, 'lines.ndjson', '--store', 's.db'], { cwd });
    }
    await palimpsestJson(['build', '--store', 's.db', '--html'], { cwd });
    const { code, stdout } = await palimpsestHere(['verify', '--store', 's.db', '--json'], { cwd });
    const { violations, notes_by_rule } = JSON.parse(stdout);
    expect([code, violations, Object.keys(notes_by_rule).sort()]).toEqual([0, [], notes]);
  });

  it('has notes and no violations for two stores that observed one account', async () => {
    const cwd = temporaryFolder();
    for (const [store, days] of Object.entries({ 'a.db': [1, 3], 'b.db': [2] })) {
      writeFileSync(join(cwd, 'lines.ndjson'), days.map((day) => JSON.stringify(snapshot(day, { bio: `day ${day}` }))).join('\n'));
      await palimpsestJson(['observe', 'lines.ndjson', '--store', store], { cwd });
    }
    await palimpsestJson(['export', 'ndjson', '--to', 'b.ndjson', '--store', 'b.db'], { cwd });
    await palimpsestJson(['import', 'b.ndjson', '--store', 'a.db'], { cwd });
    await palimpsestJson(['build', '--store', 'a.db'], { cwd });
    const { violations, notes_by_rule } = await palimpsestJson(['verify', '--store', 'a.db'], { cwd });
    expect([violations, notes_by_rule]).toEqual([[], { 'record-predecessor': 2 }]);
  });
});
