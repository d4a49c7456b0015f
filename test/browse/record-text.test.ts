import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecords, plainText } from '../../src/browse/byte-text.ts';
import { type ChangeRecord, DATA_TYPES, encodeRecord } from '../../src/contract/record.ts';
import { withoutControls } from './parsed-html.ts';

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

const shown = (value: string | null) => (value === null ? null : withoutControls(value));

describe('parseRecords', () => {
  it('reads every field of every record', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const json = Buffer.from(records.map(encodeRecord).join(','));
        const texts = (all: readonly ChangeRecord[], of: (value: string | null) => string | null) =>
          all.map((one) => ({
            ...{ ...one, account: of(one.account), text: of(one.text) },
            ...{ diff_html: of(one.diff_html), web_archive_url: of(one.web_archive_url) },
          }));
        expect(texts(parseRecords(json), (value) => (value === null ? null : plainText(value)))).toEqual(texts(records, shown));
      }),
      { numRuns: 300 },
    );
  });
});
