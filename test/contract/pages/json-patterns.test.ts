import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Account, encodeIdentity, encodeSummary, parseAccount } from '../../../src/contract/account.ts';
import { ACCOUNT_END_PATTERN, ACCOUNT_START_PATTERN, isRecordJson, RECORD_PATTERN } from '../../../src/contract/pages/json-patterns.ts';
import { encodeRecord, parseRecord } from '../../../src/contract/record.ts';
import { histories } from '../../support/histories.ts';
import { times } from '../../support/proof.ts';

/** Returns the encoded JSON, or 'invalid' if the text is not valid. */
function canonical(encode: () => string): string {
  try {
    return encode();
  } catch {
    return 'invalid';
  }
}

const encodedAccount = (account: Account) =>
  [`${encodeIdentity(account).slice(0, -1)},"data":[`, `],"data_page_count":0,${encodeSummary(account).slice(1)}`] as const;

const EDITED = times('edited records and accounts', 300, 2000);
const records = histories(8).map(({ records }) => records.map(encodeRecord));
/** The JSON of accounts without their records: what is before the records, and what is after them. */
const accounts = histories(3).map(({ accounts }) => accounts.map(encodedAccount));

/** Whether a pattern matches a whole text. */
function matches(pattern: RegExp, text: string): boolean {
  const bytes = Buffer.from(text).toString('latin1');
  pattern.lastIndex = 0;
  return pattern.test(bytes) && pattern.lastIndex === bytes.length;
}

/** Edits of JSON. The result has the same values, has other values, or is not JSON. */
const edit: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc
    .tuple(
      fc.nat({ max: 10_000 }),
      fc.constantFrom(' ', '\n', '0', '.0', 'e0', '-', '\\', '"', ',', '\u2028', '\u2029', '\u007f', '\\u0041', '\u{1F600}'),
    )
    .map(([at, added]) => (text: string) => {
      const place = Math.floor((at / 10_000) * text.length);
      return text.slice(0, place) + added + text.slice(place);
    }),
  fc.constantFrom(
    (text: string) => text.replaceAll('/', '\\/'),
    (text: string) => text.replaceAll('\\u2028', '\u2028'),
    (text: string) => text.replaceAll('\\u2029', '\u2029'),
    (text: string) => text.replaceAll('\\n', '\\u000a'),
    (text: string) => text.replaceAll('\\"', '\\u0022'),
    (text: string) => text.replace(/\\u00(..)/g, (_, digits: string) => `\\u00${digits.toUpperCase()}`),
    (text: string) => text.replace(/("[a-z_]+":)(null|\d+)/, '$1$2,$1$2'),
    (text: string) => text.replace(/("[a-z_]+":[^,]*),("[a-z_]+":[^,]*)/, '$2,$1'),
    (text: string) => text.replace(/:(\d+)/, ':0$1'),
    (text: string) => text.replace(/:(\d+)/, ':$1.0'),
    (text: string) => text.replace(/:(\d+)/, ':-$1'),
  ),
);

describe('the patterns of canonical JSON', () => {
  test('match the JSON that the encoder writes if and only if it has no \\u escape', () => {
    const hasNoUnicodeEscape = (text: string) => !text.includes('\\u');
    fc.assert(
      fc.property(records, accounts, (items, all) => {
        for (const item of items)
          expect([matches(RECORD_PATTERN, item), isRecordJson(item)]).toEqual([hasNoUnicodeEscape(item), hasNoUnicodeEscape(item)]);
        for (const [start, end] of all) {
          expect(matches(ACCOUNT_START_PATTERN, start)).toBe(hasNoUnicodeEscape(start));
          expect(matches(ACCOUNT_END_PATTERN, end)).toBe(hasNoUnicodeEscape(end));
        }
      }),
    );
  });

  test('match no record that the encoder writes in another way', () => {
    fc.assert(
      fc.property(records, fc.array(edit, { minLength: 1, maxLength: 2 }), (items, edits) => {
        for (const item of items) {
          const text = edits.reduce((edited, change) => change(edited), item).toWellFormed();
          if (matches(RECORD_PATTERN, text) || isRecordJson(text))
            expect(canonical(() => encodeRecord(parseRecord(JSON.parse(text))))).toBeOneOf([text, 'invalid']);
        }
      }),
      { numRuns: EDITED },
    );
  });

  test('match no account that the encoder writes in another way', () => {
    fc.assert(
      fc.property(accounts, edit, fc.boolean(), (items, change, isStart) => {
        for (const [start, end] of items) {
          const [head, tail] = isStart ? [change(start).toWellFormed(), end] : [start, change(end).toWellFormed()];
          const text = `${head}${tail}`;
          if (!matches(ACCOUNT_START_PATTERN, head) || !matches(ACCOUNT_END_PATTERN, tail)) continue;
          expect(canonical(() => encodedAccount(parseAccount(JSON.parse(text))).join(''))).toBeOneOf([text, 'invalid']);
        }
      }),
      { numRuns: EDITED },
    );
  });

  test.each([
    ['a', 20_000_000, true],
    ['\\n', 100_000, false],
    ['“', 100_000, false],
  ])('read a text that repeats %j without an overflow of the stack', (part, times, isMatched) => {
    const record = { id: 1, account: 'a', data_type: 'Bio', previous: null, text: 'b', first_encountered_date: '2020-01-01T00:00:00Z' };
    const text = `${JSON.stringify(record).slice(0, -1)},"diff_html":"${part.repeat(times)}","web_archive_url":null}`;
    expect(matches(RECORD_PATTERN, text)).toBe(isMatched);
    expect(matches(RECORD_PATTERN, text.slice(0, -2))).toBe(false);
  });
});
