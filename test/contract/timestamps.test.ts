import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimestamp, isWholeSecond } from '../../src/contract/timestamps.ts';

describe('isTimestamp', () => {
  it.each([
    '2023-11-18T16:29:12Z',
    '2023-11-18T16:29:12.006921Z',
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59.999999Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('accepts %s', (text) => expect(isTimestamp(text)).toBe(true));

  it.each([
    '2023-11-18T16:29:12',
    '2023-11-18T16:29:12+00:00',
    '2023-11-18 16:29:12Z',
    '2023-11-18T16:29:12.006Z',
    '2023-11-18T16:29:12.0069210Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-00-01T00:00:00Z',
    '2023-04-31T00:00:00Z',
    '2023-04-00T00:00:00Z',
    '2023-04-01T24:00:00Z',
    '2023-04-01T23:60:00Z',
    '2023-04-01T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '2023-11-18T16:29:12Z\n',
    '٢٠٢٣-11-18T16:29:12Z',
    '',
  ])('rejects %j', (text) => expect(isTimestamp(text)).toBe(false));

  it('accepts every second of a JavaScript date in the years 1 to 9999', () => {
    const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true };
    fc.assert(fc.property(fc.date(range), (date) => isWholeSecond(`${date.toISOString().slice(0, 19)}Z`)));
  });

  it('isWholeSecond rejects a fraction of a second', () => {
    expect(isWholeSecond('2023-11-18T16:29:12Z')).toBe(true);
    expect(isWholeSecond('2023-11-18T16:29:12.000000Z')).toBe(false);
  });

  it.each(['2023-11-11T11:11:11Z', '2023-11-11T11:11:11.006921Z'])('%s has no other character between or below its digits', (text) => {
    for (let at = 0; at < text.length; at += 1) {
      for (const other of ['/', ':', ' ', '-', 'T', 'Z', '.']) {
        if (text[at] !== other) expect(isTimestamp(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
      }
    }
  });
});
