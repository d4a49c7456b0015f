import { describe, expect, it } from 'vitest';
import { closestNames } from '../../src/contract/closest-names.ts';

const NAMES = ['HackneyAbbott', 'Debbie_abrahams', 'BimAfolami', 'jack', 'jackie', 'JackDorsey', 'ja', 'x'];

describe('closestNames', () => {
  it.each<[string, readonly string[]]>([
    ['jakc', ['ja', 'jack', 'jackie']],
    ['JACK', ['jack', 'jackie', 'ja']],
    ['hackneyabott', ['HackneyAbbott']],
    ['DebbieAbrahams', ['Debbie_abrahams']],
    ['BimAfolam', ['BimAfolami']],
    ['somebody_else', []],
  ])('returns for %s the names %j', (name, names) => expect(closestNames(name, NAMES, 3)).toEqual(names));

  it('returns a longer name that begins with the given one, if the difference is small', () => {
    expect(closestNames('Deb', ['Debbie1', 'Debbie_abrahams'], 3)).toEqual(['Debbie1']);
  });

  it('returns at most the requested number of names, best first, and equal ones in alphabetical order', () => {
    const names = ['aaab', 'aaac', 'aaaa', 'aabb'];
    expect(closestNames('aaaa', names, 3)).toEqual(['aaaa', 'aaab', 'aaac']);
    expect(closestNames('aaaa', names.toReversed(), 2)).toEqual(['aaaa', 'aaab']);
    expect(closestNames('aaaa', names, 0)).toEqual([]);
  });

  it('finds a name among twenty thousand, and compares very long names', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `user_${index}`);

    expect(closestNames('user_19999x', many, 1)).toEqual(['user_19999']);
    expect(closestNames('x'.repeat(100_000), ['y'.repeat(100_001)], 1)).toEqual([]);
  });
});
