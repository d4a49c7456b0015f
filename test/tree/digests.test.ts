import { describe, expect, it } from 'vitest';
import { indexPath, pagePath } from '../../src/tree/layout.ts';
import { Digests } from '../../src/tree/manifest/digests.ts';

const LAYOUT = { pages: { data: 2, account: 1 }, encodings: [] };

describe('the digests of two trees', () => {
  it.each([0, 15, 31])('are not equal for a path if byte %i of its digest differs', (place) => {
    const [one, other] = [new Digests(LAYOUT), new Digests(LAYOUT)];
    const path = pagePath('data', 1);
    const digest = Buffer.alloc(32, 7);
    one.set(path, digest);
    other.set(path, digest);
    expect(one.equals(other, path)).toBe(true);
    digest[place] = 8;
    other.set(path, digest);
    expect([indexPath('data'), path, pagePath('data', 2)].map((each) => one.equals(other, each))).toEqual([true, false, true]);
  });

  it('are compared by path, not by the place in the layout', () => {
    const [one, other] = [new Digests(LAYOUT), new Digests({ pages: { data: 5, account: 9 }, encodings: ['gzip'] })];
    for (const digests of [one, other]) digests.set(pagePath('account', 'last'), Buffer.alloc(32, 7));
    expect(one.equals(other, pagePath('account', 'last'))).toBe(true);
    other.copy(one, pagePath('account', 1));
    expect(other.get(pagePath('account', 1))).toBeUndefined();
  });
});

describe('a path that the layout does not have', () => {
  it('has no digest', () => {
    const digests = new Digests(LAYOUT);
    digests.set(pagePath('data', 3), Buffer.alloc(32, 7));
    expect([digests.has(pagePath('data', 3)), digests.get(pagePath('data', 3))]).toEqual([false, undefined]);
    expect([...digests.entries()].filter(({ digest }) => digest !== undefined)).toEqual([]);
  });
});
