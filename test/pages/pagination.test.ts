import { describe, expect, it } from 'vitest';
import { encodePage, itemsOn, pagesFor, pageUrl, spansOf } from '../../src/pages/pagination.ts';

const SITE = { base_url: 'https://x.example', page_size: 3, account_page_size: 2 };

describe('a page', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 1],
    [4, 2],
  ])('is one of those for %i items: %i', (items, pages) => expect(pagesFor(items, 3)).toBe(pages));

  it.each([
    [0, [0]],
    [6, [3, 3]],
    [7, [3, 3, 1]],
  ])('of %i items has a length', (items, lengths) => {
    expect(lengths.map((_, index) => itemsOn(index + 1, items, 3))).toEqual(lengths);
  });

  it('is in one span', () => {
    expect(spansOf('account', 70).map(({ collection, index, from, to }) => [collection, index, from, to])).toEqual([
      ['account', 0, 1, 32],
      ['account', 1, 33, 64],
      ['account', 2, 65, 70],
    ]);
  });

  it('has an address', () => {
    expect([1, 2].map((page) => pageUrl(SITE.base_url, 'data', page))).toEqual([
      'https://x.example/rest/data/',
      'https://x.example/rest/data/?page=2',
    ]);
  });

  it.each([
    [1, 'null', '"https://x.example/rest/account/?page=2"'],
    [2, '"https://x.example/rest/account/"', '"https://x.example/rest/account/?page=3"'],
    [3, '"https://x.example/rest/account/?page=2"', 'null'],
  ])('%i of three is encoded around its items', (number, previous, next) => {
    const chunks = [...encodePage(SITE, 'account', 5, number, 3, [Buffer.from('{}')])];
    expect(Buffer.concat(chunks).toString()).toBe(`{"count":5,"next":${next},"previous":${previous},"results":[{}]}`);
  });
});
