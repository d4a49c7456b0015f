import { describe, expect, it } from 'vitest';
import { Violation } from '../../src/contract/json-shape.ts';
import { encodeRecord, parseRecord } from '../../src/contract/record.ts';

const GOOD = {
  id: 12,
  account: 'jack',
  data_type: 'Bio',
  previous: 3,
  text: 'hello',
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '<ins style="background:#e6ffe6;">hello</ins>',
  web_archive_url: null,
};

describe('parseRecord', () => {
  it.each<[string, unknown]>([
    ['id', 0],
    ['id', Number.MAX_SAFE_INTEGER],
    ['previous', null],
    ['text', null],
    ['text', ''],
    ['text', '\ud800 lone'],
    ['text', '\u0000'],
    ['web_archive_url', ''],
    ['web_archive_url', 'https://web.archive.org/web/2017/https://twitter.com/jack'],
    ['first_encountered_date', '2023-11-18T16:29:12.000001Z'],
  ])('accepts %s %j', (field, value) => expect(parseRecord({ ...GOOD, [field]: value })).toMatchObject({ [field]: value }));

  it.each<[string, unknown, string]>([
    ['id', null, 'an integer from 0 to 9007199254740991'],
    ['account', '\udc00', 'a screen name: not empty, no control characters of ASCII, valid Unicode'],
    ['data_type', 'bio', 'one of Location, Bio, Name, Website, Verified'],
    ['previous', 12, 'the id of an earlier record'],
    ['previous', '3', 'an integer from 0 to 9007199254740991, or null'],
    ['text', 5, 'a string or null'],
    ['first_encountered_date', '2023-11-18', 'a UTC time such as "2023-11-18T16:29:12Z" or "2023-11-18T16:29:12.006921Z"'],
    ['diff_html', null, 'a string'],
    ['web_archive_url', 'somewhere', 'an absolute URL, "" or null'],
    ['likes', 3, 'only the fields of the interface'],
  ])('rejects %s %j', (field, value, expected) => {
    expect(() => parseRecord({ ...GOOD, [field]: value }, 'results[4]')).toThrow(
      expect.objectContaining({ constructor: Violation, field: `results[4].${field}`, expected }),
    );
  });

  it.each([
    [{ data_type: 'Verified', text: 'yes' }, 'x.text: expected "true" or "false" for Verified, found "yes"'],
    [{ data_type: 'Verified', text: null }, 'x.text: expected "true" or "false" for Verified, found null'],
    [{ previous: 12 }, 'x.previous: expected the id of an earlier record, found the id of the record itself'],
  ])('says what is wrong with %j', (change, message) => {
    expect(() => parseRecord({ ...GOOD, ...change }, 'x')).toThrow(message);
    for (const text of ['true', 'false']) expect(parseRecord({ ...GOOD, data_type: 'Verified', text }).text).toBe(text);
  });

  it('encodeRecord writes the fields in the order of the interface, with the escapes of DRF', () => {
    const record = parseRecord({
      web_archive_url: null,
      text: '\u2028\u2029/<&\u007f\u0001\n"\\😀\ud800',
      ...without('text', 'web_archive_url'),
    });
    expect(encodeRecord(record)).toBe(
      '{"id":12,"account":"jack","data_type":"Bio","previous":3,"text":"\\u2028\\u2029/<&\u007f\\u0001\\n\\"\\\\😀\\ud800",' +
        '"first_encountered_date":"2023-11-18T16:29:12Z","diff_html":"<ins style=\\"background:#e6ffe6;\\">hello</ins>","web_archive_url":null}',
    );
  });
});

function without(...fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(GOOD).filter(([field]) => !fields.includes(field)));
}
