import { describe, expect, it } from 'vitest';
import { cut, encodeJson, show } from '../../src/contract/json.ts';

describe('the JSON of a value', () => {
  it.each([
    [{ a: '\u2028\u2029', b: ['/é😀'] }, '{"a":"\\u2028\\u2029","b":["/é😀"]}'],
    ['\u2029 and \u2029', '"\\u2029 and \\u2029"'],
    ['\ud800', '"\\ud800"'],
  ])('of %j', (value, json) => expect(encodeJson(value)).toBe(json));
});

describe('a value in an error message', () => {
  it.each([
    [undefined, 'nothing'],
    [[1, 2], 'an array of 2'],
    [{}, 'an object with no fields'],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, 'an object with a, b, c, d, e'],
    [Number.POSITIVE_INFINITY, 'a number too large for JSON readers'],
    [Number.NEGATIVE_INFINITY, 'a number too large for JSON readers'],
    [-0, '-0'],
    [0, '0'],
    [1.5, '1.5'],
    [2 ** 53 - 1, '9007199254740991'],
    [2 ** 53, '9007199254740992, an integer too large for JSON readers to represent exactly'],
    [null, 'null'],
    ['a', '"a"'],
    ['a'.repeat(58), `"${'a'.repeat(58)}"`],
    ['a'.repeat(59), `"${'a'.repeat(56)}…`],
  ])('shows %j as %s', (value, shown) => expect(show(value)).toBe(shown));

  it('is not cut inside a character', () => {
    expect(cut(`${'a'.repeat(56)}😀😀😀`)).toBe(`${'a'.repeat(56)}\ufffd…`);
  });
});
