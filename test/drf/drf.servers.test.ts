import { describe, expect, test } from 'vitest';
import { COLLECTIONS, type Collection } from '../../src/contract/pages/collection.ts';
import { parseEnvelope } from '../../src/contract/pages/envelope.ts';
import { filesIn } from '../support/folder.ts';
import { type BothSides, bothSides } from './both-sides.ts';
import { drf, expectSame } from './live-service.ts';
import { EMPTY, EXTREME, LARGE, SMALL } from './samples.ts';

const CASES = [
  { name: 'an empty store', history: EMPTY, page_size: 100, account_page_size: 100 },
  { name: 'exactly one page', history: SMALL, page_size: SMALL.records.length, account_page_size: SMALL.accounts.length },
  { name: 'a page and one item', history: SMALL, page_size: SMALL.records.length - 1, account_page_size: SMALL.accounts.length - 1 },
  { name: 'ids, dates and names at the limits of their ranges', history: EXTREME, page_size: 1, account_page_size: 1 },
  { name: 'pages of 7 and 2', history: LARGE, page_size: 7, account_page_size: 2 },
];

describe.skipIf(drf.skip)(`a tree and a live Django REST Framework (${drf.reason || 'installed'})`, () => {
  test('are compared with hostile texts', () => {
    const texts = LARGE.records.map((record) => `${record.text}${record.diff_html}`).join('');
    for (const unit of ['\u0000', '\u001f', '\u007f', '\u2028', '\u2029', '\u200d', '\u200f', '\u{1F600}', '\r\n', '"', '\\', '<', '&']) {
      expect(texts).toContain(unit);
    }
  });

  test.for(CASES)('return the same bytes for $name', async ({ history, ...sizes }) => {
    const sides = await bothSides(history, sizes);
    const { live, tree } = sides;
    for (const collection of COLLECTIONS) {
      const pages = await crawl(sides, collection);
      expect(pages).toBe(tree.pages[collection]);
      const values = ['last', '1', String(pages), String(pages + 1), '0', '-1', 'abc'];
      for (const target of values.map((value) => `/rest/${collection}/?page=${value}`)) {
        expectSame(tree.ask(target), await live.ask(target), target);
      }
    }
    expectAllCompared(sides);
  });
});

/** Follows the `next` links of the live service through a collection. Returns the number of pages. */
async function crawl({ live, tree }: BothSides, collection: Collection): Promise<number> {
  let target = `/rest/${collection}/`;
  for (let page = 1; ; page += 1) {
    const theirs = await live.ask(target);
    expectSame(tree.ask(target), theirs, target);
    const { next } = parseEnvelope(JSON.parse(theirs.body.toString()));
    if (next === null) return page;
    expect(next.startsWith(`${live.baseUrl}/rest/${collection}/?`), next).toBe(true);
    target = next.slice(live.baseUrl.length);
  }
}

/** Expects that every file of the tree was compared. The second file of page 1 is a copy that no request reads. */
function expectAllCompared({ tree }: BothSides): void {
  const files = filesIn(tree.folder);
  const pages = [...files.keys()].filter((path) => path.startsWith('rest/'));
  const copies = COLLECTIONS.map((collection) => `rest/${collection}/page/1/index.json`);
  expect([...tree.shown, ...copies].sort()).toEqual(pages.sort());
  for (const copy of copies) expect(files.get(copy)).toEqual(files.get(copy.replace('page/1/', '')));
}
