import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeIdentity, encodeSummary, parseAccount } from '../../src/contract/account.ts';
import { encodeJson } from '../../src/contract/json.ts';
import { encodeRecord, parseRecord } from '../../src/contract/record.ts';
import { ACCOUNT_END, ACCOUNT_START, RECORD } from '../../src/verify/canonical-json.ts';
import { histories } from '../support/histories.ts';

const records = histories(8).map(({ records }) => records.map(encodeRecord));
/** Accounts with one record at most, as JSON before the records, and after them. */
const accounts = histories(3).map(({ accounts }) =>
  accounts.map((account) => [
    `${encodeIdentity(account).slice(0, -1)},"data":[`,
    `],"data_page_count":0,${encodeSummary(account).slice(1)}`,
  ]),
);

/** Whether a form matches a whole text. */
function matches(form: RegExp, text: string): boolean {
  const bytes = Buffer.from(text).toString('latin1');
  form.lastIndex = 0;
  return form.test(bytes) && form.lastIndex === bytes.length;
}

/** JSON with the same values or other ones, or no JSON at all. */
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
    (text: string) => text.replaceAll('\\u000', '\\u000'.toUpperCase()),
    (text: string) => text.replace(/("[a-z_]+":)(null|\d+)/, '$1$2,$1$2'),
    (text: string) => text.replace(/("[a-z_]+":[^,]*),("[a-z_]+":[^,]*)/, '$2,$1'),
    (text: string) => text.replace(/:(\d+)/, ':0$1'),
    (text: string) => text.replace(/:(\d+)/, ':$1.0'),
    (text: string) => text.replace(/:(\d+)/, ':-$1'),
  ),
);

describe('the forms of canonical JSON', () => {
  test('match records and accounts as the encoder writes them, if they have no escapes with four digits', () => {
    const isCommon = (text: string) => !text.includes('\\u');
    fc.assert(
      fc.property(records, accounts, (items, [account = ['', '']]) => {
        for (const item of items) expect(matches(RECORD, item)).toBe(isCommon(item));
        const [start = '', end = ''] = account;
        if (start !== '') expect([matches(ACCOUNT_START, start), matches(ACCOUNT_END, end)]).toEqual([isCommon(start), isCommon(end)]);
      }),
    );
  });

  test('match no other JSON of a record', () => {
    fc.assert(
      fc.property(records, fc.array(edit, { minLength: 1, maxLength: 2 }), (items, edits) => {
        for (const item of items) {
          const text = edits.reduce((edited, change) => change(edited), item).toWellFormed();
          if (matches(RECORD, text)) expect(canonical(() => encodeRecord(parseRecord(JSON.parse(text))))).toBeOneOf([text, 'invalid']);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('match no other JSON of an account', () => {
    fc.assert(
      fc.property(accounts, edit, fc.boolean(), (items, change, isStart) => {
        for (const [start = '', end = ''] of items) {
          const [head, tail] = [isStart ? change(start) : start, isStart ? end : change(end)].map((text) => text.toWellFormed());
          const text = `${head}${tail}`;
          if (!matches(ACCOUNT_START, head ?? '') || !matches(ACCOUNT_END, tail ?? '')) continue;
          const encoded = canonical(() => {
            const value: unknown = JSON.parse(text);
            parseAccount(value);
            return encodeJson(value);
          });
          expect(encoded).toBeOneOf([text, 'invalid']);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('do not use up the stack with long texts', () => {
    const [item] = fc.sample(
      records.filter((items) => items.length > 0),
      1,
    )[0] ?? [''];
    for (const long of ['a'.repeat(20_000_000), '\\n'.repeat(10_000_000), '“'.repeat(5_000_000)]) {
      const text = (item ?? '').replace('"diff_html":"', () => `"diff_html":"${long}`);
      expect(() => matches(RECORD, text)).not.toThrow();
      expect(() => matches(RECORD, text.slice(0, -2))).not.toThrow();
    }
  });
});

/** Returns the encoded JSON, or 'invalid' if the text is not valid. */
function canonical(encode: () => string): string {
  try {
    return encode();
  } catch {
    return 'invalid';
  }
}
