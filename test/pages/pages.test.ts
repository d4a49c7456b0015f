import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { collectionPages } from '../../src/pages/collection-pages.ts';
import { type PageSpan, type Pages, SPAN_PAGES, spansOf } from '../../src/pages/pagination.ts';
import { storeOf } from '../browse/small-site.ts';
import { type History, histories } from '../support/histories.ts';
import { times } from '../support/proof.ts';

function rendered(pages: Pages, span: PageSpan): [number, string][] {
  return Array.from(pages.walk(span), (page): [number, string] => [page.number, Buffer.concat([...page.render()]).toString()]);
}

/** Returns the pages of the interface, made without the code under test. */
function expected(history: History, site: { page_size: number; account_page_size: number }): { data: string[]; account: string[] } {
  const first = (data: readonly { id: number }[]) => data.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const accounts = history.accounts.toSorted(
    (a, b) => first(a.data) - first(b.data) || Buffer.compare(Buffer.from(a.screen_name), Buffer.from(b.screen_name)),
  );
  const items = accounts.map(({ data, screen_name, account_creation_date, profile_image_url, ...summary }) => ({
    screen_name,
    account_creation_date,
    profile_image_url,
    data,
    data_page_count: Math.ceil(data.length / site.page_size),
    ...summary,
  }));
  return { data: envelopes('data', history.records, site.page_size), account: envelopes('account', items, site.account_page_size) };
}

function envelopes(collection: string, items: readonly object[], size: number): string[] {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const url = (page: number) => `https://example.org/api/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
  return Array.from({ length: pages }, (_, index) =>
    JSON.stringify({
      count: items.length,
      next: index + 1 < pages ? url(index + 2) : null,
      previous: index > 0 ? url(index) : null,
      results: items.slice(index * size, (index + 1) * size),
    })
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029'),
  );
}

describe('pages', () => {
  it('have the bytes of the interface, in whatever order spans are walked', async () => {
    const sizes = fc.record({ page_size: fc.integer({ min: 1, max: 40 }), account_page_size: fc.integer({ min: 1, max: 9 }) });
    await fc.assert(
      fc.asyncProperty(histories(80), sizes, async (history, size) => {
        fc.pre(history.records.length + history.accounts.length > 0);
        const store = await storeOf(history);
        const site = { base_url: 'https://example.org/api', ...size };
        const pages = expected(history, size);
        for (const collection of COLLECTIONS) {
          const found = collectionPages(store, site)[collection];
          const numbered = pages[collection].map((page, index): [number, string] => [index + 1, page]);
          const spans = spansOf(collection, numbered.length);
          expect(spans.flatMap((span) => rendered(found, span))).toEqual(numbered);
          for (const span of spans.toReversed()) expect(rendered(found, span)).toEqual(numbered.slice(span.from - 1, span.to));
          expect(spans.every(({ index, from }) => from === 1 + index * SPAN_PAGES)).toBe(true);
        }
        store.close();
      }),
      { numRuns: times('generated histories', 25, 1000) },
    );
  });
});
