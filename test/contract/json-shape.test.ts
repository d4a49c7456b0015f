import { describe, expect, it } from 'vitest';
import * as shape from '../../src/contract/json-shape.ts';
import { checkLengths } from '../../src/contract/json-shape.ts';

const URL = 'https://x.example/ä';
const RULES: readonly (readonly [string, shape.Rule<unknown>, readonly unknown[], readonly unknown[]])[] = [
  ['a string', shape.text, ['', 'a'], [undefined, null, 1]],
  ['a string or null', shape.textOrNull, ['', null], [undefined, 1]],
  ['an integer from 0 to 9007199254740991', shape.identifier, [0, 2 ** 53 - 1], [-1, -0, 0.5, 2 ** 53, '1', null]],
  ['an integer from 0 to 9007199254740991, or null', shape.identifierOrNull, [0, null], [undefined, -1]],
  ['an integer of 0 or more', shape.count, [0], [-1, null]],
  [
    'a screen name: not empty, no control characters of ASCII, valid Unicode',
    shape.handle,
    [' ', 'a\u0080', '\ud7ff', '\ue000', '😀'],
    ['', 'a\u001f', '\u0000', 'a\u007fb', '\ud800', '\udfffa', 1],
  ],
  [
    'a UTC time such as "2023-11-18T16:29:12Z" or "2023-11-18T16:29:12.006921Z"',
    shape.timestamp,
    ['2023-11-18T16:29:12Z', '2023-11-18T16:29:12.006921Z'],
    ['2023-11-18', null],
  ],
  [
    'a UTC time such as "2023-11-18T16:29:12Z", or null',
    shape.wholeSecondOrNull,
    ['2023-11-18T16:29:12Z', null],
    ['2023-11-18T16:29:12.006921Z', 0, undefined],
  ],
  ['an absolute URL or ""', shape.urlOrEmpty, ['', URL, 'ftp://x.example'], ['/x', null, 1]],
  ['an absolute URL, "" or null', shape.urlOrEmptyOrNull, ['', null, URL], ['/x', undefined]],
  [
    'an http or https URL, or ""',
    shape.webUrlOrEmpty,
    ['', URL, 'HTTP://x.example/\u00a0'],
    ['ftp://x.example', 'shttp://x.example', 'http:x.example', 'https://x.example/\u001f', 'https://x.example/\u009fa', '/x', null],
  ],
  ['an array', shape.list, [[], [1]], [{}, null, 'a']],
  ['false, or nothing', shape.falseOrNothing, [false, undefined], [true, null, 0]],
];

describe('the rule of a field', () => {
  it.each(RULES)('accepts only %s', (expected, rule, accepted, refused) => {
    expect(rule.expected).toBe(expected);
    expect(accepted.filter((value) => !rule.accepts(value))).toEqual([]);
    expect(refused.filter((value) => rule.accepts(value))).toEqual([]);
  });

  it('names the texts that it accepts', () => {
    const rule = shape.oneOf('a', 'b');
    expect([rule.expected, ...['a', 'b', 'c'].map(rule.accepts)]).toEqual(['one of a, b', true, true, false]);
  });
});

describe('parseShape', () => {
  const parse = (value: unknown, path: string) => shape.parseShape({ name: shape.text, complete: shape.falseOrNothing }, value, path);

  it('accepts an object without its optional field', () => {
    for (const value of [{ name: 'a' }, { name: 'a', complete: false }]) expect(parse(value, '')).toBe(value);
  });

  it.each([
    [7, '', 'item: expected an object, found 7'],
    [[], 'data[1]', 'data[1]: expected an object, found an array of 0'],
    [{}, '', 'name: expected a string, found no such field'],
    [{ name: null }, 'data[1]', 'data[1].name: expected a string, found null'],
    [{ name: 'a', toString: 1 }, '', 'toString: expected only the fields of the interface, found 1 in an unknown field'],
    [{ name: 'a', complete: false, other: 'b' }, '', 'other: expected only the fields of the interface, found "b" in an unknown field'],
  ])('refuses %j at %j', (value, path, message) => {
    expect(() => parse(value, path)).toThrow(expect.objectContaining({ name: 'Violation', message }));
  });
});

const text = (length: number) => 'x'.repeat(length);

it('accepts texts of the greatest length, and does not check the items of a list', () => {
  const texts = { text: text(10_000), diff_html: text(100_000), none: null, count: 5 };
  checkLengths({ ...texts, list: [texts, text(10_000)], data: [text(10_001)], results: [text(10_001)] }, '');
});

it.each([
  [{ text: text(10_001) }, '', 'text', 10_000, 10_001],
  [{ diff_html: text(100_001) }, 'results[3]', 'results[3].diff_html', 100_000, 100_001],
  [{ user: { urls: ['a', { url: text(10_002) }] } }, 'line', 'line.user.urls[1].url', 10_000, 10_002],
])('refuses a longer text, and says where it is', (item, path, field, most, length) => {
  const violation = { field, expected: `at most ${most} characters`, found: String(length) };
  expect(() => checkLengths(item, path)).toThrow(expect.objectContaining(violation));
});
