import { describe, expect, it } from 'vitest';
import { suggest } from '../../src/history/suggest.ts';

const NAMES = ['HackneyAbbott', 'Debbie_abrahams', 'BimAfolami', 'jack', 'jackie', 'JackDorsey', 'ja', 'x'];

describe('the names that one may have meant', () => {
  it.each<[string, readonly string[]]>([
    ['jakc', ['ja', 'jack', 'jackie']],
    ['JACK', ['jack', 'jackie', 'ja']],
    ['hackneyabott', ['HackneyAbbott']],
    ['DebbieAbrahams', ['Debbie_abrahams']],
    ['BimAfolam', ['BimAfolami']],
    ['somebody_else', []],
  ])('by %s are %j', (name, names) => expect(suggest(name, NAMES, 3)).toEqual(names));

  it('begin with it, though much follows, as far as it can be a slip', () => {
    expect(suggest('Deb', ['Debbie1', 'Debbie_abrahams'], 3)).toEqual(['Debbie1']);
  });

  it('are no more than wanted, the likest first, and in an order of their own among equals', () => {
    const names = ['aaab', 'aaac', 'aaaa', 'aabb'];
    expect(suggest('aaaa', names, 3)).toEqual(['aaaa', 'aaab', 'aaac']);
    expect(suggest('aaaa', names.toReversed(), 2)).toEqual(['aaaa', 'aaab']);
    expect(suggest('aaaa', names, 0)).toEqual([]);
  });

  it('are found among many, and in long ones, in no time', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `user_${index}`);
    const started = performance.now();
    expect(suggest('user_99999x', many, 1)).toEqual(['user_99999']);
    expect(suggest('x'.repeat(100_000), ['y'.repeat(100_001)], 1)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('do not have to be there', () => expect(suggest('jack', [], 3)).toEqual([]));
});
