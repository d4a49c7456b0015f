import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/browse/byte-text.ts';
import { parseRecords } from '../../src/browse/record-text.ts';
import { type ChangeRecord, DATA_TYPES, encodeRecord } from '../../src/contract/record.ts';

/** Texts that look like the JSON around them, and characters with escapes. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '},{"id":1',
    '","text":"',
    ',"diff_html":',
    '\\',
    '\\"',
    '"',
    'null',
    '',
    '\n\t\r',
    '\u2028',
    '東京 🌹',
    '\u007f',
    '\ufffe',
    '\b',
  ),
);

const record: fc.Arbitrary<ChangeRecord> = fc.record({
  id: fc.maxSafeNat(),
  account: text.map((name) => `x${name}`),
  data_type: fc.constantFrom(...DATA_TYPES),
  previous: fc.option(fc.maxSafeNat()),
  text: fc.option(text),
  first_encountered_date: fc.constantFrom('2024-03-01T00:00:00Z', '2024-03-01T00:00:00.123456Z'),
  diff_html: fc.oneof(
    text,
    text.map((value) => `<del style="background:#ffe6e6;">${value}</del>`),
  ),
  web_archive_url: fc.option(text),
});

/** What pages show of a text: characters that HTML forbids are replaced. */
const shown = (value: string | null) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  value === null ? null : value.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '\ufffd');

const plain = (value: string | null) => (value === null ? null : plainText(value));

describe('parseRecords', () => {
  it('reads every field of every record', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const json = Buffer.from(records.map(encodeRecord).join(','));
        const found = parseRecords(json);
        expect(
          found.map((one) => ({
            ...one,
            account: plain(one.account),
            text: plain(one.text),
            diff_html: plain(one.diff_html),
            web_archive_url: plain(one.web_archive_url),
          })),
        ).toEqual(
          records.map((one) => ({
            ...one,
            account: shown(one.account),
            text: shown(one.text),
            diff_html: shown(one.diff_html),
            web_archive_url: shown(one.web_archive_url),
          })),
        );
      }),
      { numRuns: 300 },
    );
  });
});
