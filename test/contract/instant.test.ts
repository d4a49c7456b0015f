import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOfMilliseconds, isTimestamp, isWholeSecond, parseInstant, timestampOf } from '../../src/contract/instant.ts';

const dates = fc.date({ min: new Date('1970-01-02T00:00:00Z'), max: new Date('2254-12-30T00:00:00Z'), noInvalidDate: true });

describe('parseInstant', () => {
  it('returns the microseconds of a UTC date', () => {
    fc.assert(fc.property(dates, (date) => parseInstant(date.toISOString()) === date.getTime() * 1000));
  });

  it('reads back every timestamp that timestampOf writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (instant) => {
        expect(parseInstant(timestampOf(instant))).toBe(instant);
      }),
    );
  });

  it('returns the same instant for every zone', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -1439, max: 1439 }), fc.constantFrom(':', ''), (date, minutes, colon) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) => String(part).padStart(2, '0'));
        expect(parseInstant(`${local}${minutes < 0 ? '-' : '+'}${hours}${colon}${rest}`)).toBe(date.getTime() * 1000);
      }),
    );
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:30:00-01:00', 1_800_000_000],
    ['2023-11-18t16:29:12.006921z', 1_700_324_952_006_921],
    ['2023-11-18 16:29:12.006921999+00:00', 1_700_324_952_006_921],
    ['2023-11-18T16:29:12.5Z', 1_700_324_952_500_000],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000_000],
  ])('parses %s as %i', (text, instant) => expect(parseInstant(text)).toBe(instant));

  it.each([
    '',
    '2023-11-18',
    '2023-11-18T16:29:12',
    '2023-11-18T16:29Z',
    '2023-11-18T16:29:12.Z',
    '2023-11-18T16:29:12.0123456789Z',
    '2023-11-18T16:29:12+24:00',
    '2023-11-18T16:29:12+01:60',
    '2023-11-18T24:00:00Z',
    '2023-11-18T16:60:00Z',
    '2023-11-18T16:29:60Z',
    '2023-02-29T00:00:00Z',
    '2023-13-10T00:00:00Z',
    '2023-04-31T00:00:00Z',
    '2023-04-00T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2256-01-01T00:00:00Z',
    '+2023-11-18T16:29:12Z',
    '２０２３-11-18T16:29:12Z',
    '2023-11-18T16:29:12Z\n',
    '2023-11-1 T16:29:12Z',
  ])('rejects %j', (text) => expect(parseInstant(text)).toBeUndefined());

  it('instantOfMilliseconds converts milliseconds and rejects values out of range', () => {
    expect(instantOfMilliseconds(1_700_324_952_006)).toBe(1_700_324_952_006_000);
    expect(instantOfMilliseconds(-1)).toBeUndefined();
    expect(instantOfMilliseconds(Number.NaN)).toBeUndefined();
    expect(instantOfMilliseconds(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it.each([
    '2023-12-18T16:29:12Z',
    '2023-12-18t16:29:12.006921Z',
    '2200-12-18 16:29:12.5z',
    '2023-12-18T16:29:12+01:30',
    '2023-12-18T16:29:12.1234567-0130',
  ])('reads or rejects %s with any other character at any place', (text) => {
    const form = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-]\d\d):?(\d\d))$/;
    const expected = (changed: string) => {
      const [, date, time, fraction = '', hours = '+00', minutes = '00'] = form.exec(changed) ?? [];
      const instant = Date.parse(`${date}T${time}${hours}:${minutes}`) * 1000 + Number(`${fraction}000000`.slice(0, 6));
      return Number.isSafeInteger(instant) && instant >= 0 ? instant : undefined;
    };
    for (let at = 0; at < text.length; at += 1) {
      for (let code = 0; code < 128; code += 1) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        expect(parseInstant(changed), changed).toBe(expected(changed));
      }
    }
  });
});

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
