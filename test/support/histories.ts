import fc from 'fast-check';
import type { Account } from '../../src/contract/account.ts';
import { type ChangeRecord, DATA_TYPES, type DataType } from '../../src/contract/record.ts';

/** The data of a service: records newest first, and accounts with their records. */
export interface History {
  readonly records: readonly ChangeRecord[];
  readonly accounts: readonly Account[];
}

/** Texts of profiles, hostile ones too: any Unicode, separators, markup, control characters. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    '\u2028\u2029',
    '"\\/',
    '<b>&amp;</b>',
    '\u0000\u0001\u001f\u007f',
    '👩‍👩‍👧‍👦',
    'שלום‏ עולם',
    'a\r\nb\nc',
    '\u{1F600}',
    '__proto__',
    '","data":[',
    '},{"id":1,"text":"',
  ),
);

interface Change {
  readonly account: number;
  readonly data_type: DataType;
  readonly gap: number;
  readonly text: string;
  readonly removed: boolean;
  readonly fraction: boolean;
  readonly archive: string | null;
}

const change: fc.Arbitrary<Change> = fc.record({
  account: fc.nat({ max: 6 }),
  data_type: fc.constantFrom(...DATA_TYPES),
  gap: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 50 }) }),
  text: hostileText,
  removed: fc.boolean(),
  fraction: fc.boolean(),
  archive: fc.constantFrom(null, '', 'https://archive.example/1'),
});

/** Valid histories with up to `maxLength` records of up to seven accounts. */
export function histories(maxLength: number): fc.Arbitrary<History> {
  return fc
    .record({
      changes: fc.array(change, { maxLength, size: 'max' }),
      summary: hostileText,
      silent: fc.boolean(),
      names: fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_\u{1F600}é]{1,10}$/u), { minLength: 8, maxLength: 8 }),
    })
    .map(({ changes, summary, silent, names }) => {
      const records = recordsOf(changes, names);
      const withRecords = [...new Set(records.map((record) => record.account))];
      const extra = silent ? [names[7] ?? 'silent'] : [];
      return { records: records.toReversed(), accounts: [...withRecords, ...extra].map((name) => accountOf(name, records, summary)) };
    });
}

function recordsOf(changes: readonly Change[], names: readonly string[]): ChangeRecord[] {
  let id = 0;
  const newest = new Map<string, number>();
  return changes.map((change) => {
    id += change.gap;
    const account = names[change.account] ?? 'somebody';
    const key = `${account} ${change.data_type}`;
    const previous = newest.get(key) ?? null;
    newest.set(key, id);
    const time = new Date(Date.UTC(2015, 0, 1) + id * 1000).toISOString().slice(0, 19);
    return {
      id,
      account,
      data_type: change.data_type,
      previous,
      text: textOf(change),
      first_encountered_date: change.fraction ? `${time}.${String(id).padStart(6, '0')}Z` : `${time}Z`,
      diff_html: `<ins style="background:#e6ffe6;">${change.text.replace(/[<>&]/g, '')}</ins>`,
      web_archive_url: change.archive,
    };
  });
}

function textOf(change: Change): string | null {
  if (change.data_type === 'Verified') return String(change.removed);
  return change.removed && change.data_type === 'Website' ? null : change.text;
}

function accountOf(name: string, records: readonly ChangeRecord[], summary: string): Account {
  return {
    screen_name: name,
    account_creation_date: name.length % 2 === 0 ? null : '2010-11-29T21:18:15Z',
    profile_image_url: 'https://images.example/1.jpg',
    data: records.filter((record) => record.account === name).toReversed(),
    display_name: summary,
    website: name.length % 3 === 0 ? null : summary,
    location: summary,
    bio: summary,
  };
}

/** Returns the records and accounts of a history as lines of NDJSON, in the form of a service. */
export function toNdjson({ records, accounts }: History): string[] {
  const pages = (account: Account) => ({ ...account, data_page_count: Math.ceil(account.data.length / 100) });
  return [...records.map((record) => JSON.stringify(record)), ...accounts.map((account) => JSON.stringify(pages(account)))];
}
