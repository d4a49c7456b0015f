import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/contract/collection.ts';
import { ENCODINGS } from '../../src/tree/encoding.ts';
import {
  type CollectionLayout,
  encodingOf,
  isSecondOfLast,
  pathOf,
  plainSlotOf,
  slotAt,
  slotCount,
  slotIn,
  slotsInWriteOrder,
  slotsOf,
  slotsOfNext,
  variantSlotsOf,
} from '../../src/tree/layout.ts';

const layouts: fc.Arbitrary<CollectionLayout> = fc.record({
  pages: fc.integer({ min: 1, max: 30 }),
  encodings: fc.subarray([...ENCODINGS]),
});
const collections = fc.constantFrom(...COLLECTIONS);

const allSlots = ({ pages, encodings }: CollectionLayout) => [...Array(slotCount(pages, encodings)).keys()];

/** The paths of a page's files, in the order of their slots, without what all have in common. */
const namesOf = (slots: readonly number[], { pages, encodings }: CollectionLayout) =>
  slots.map((slot) => pathOf('data', slot, pages, encodings).replace('rest/data/', '').replace('index.json', ''));

describe('the slots of a collection', () => {
  it('are one for each path', () => {
    fc.assert(
      fc.property(collections, layouts, (collection, layout) => {
        const { pages, encodings } = layout;
        for (const slot of allSlots(layout)) {
          expect(slotAt(collection, pathOf(collection, slot, pages, encodings), pages, encodings)).toBe(slot);
        }
      }),
    );
  });

  it('are each of exactly one page', () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const { pages, encodings } = layout;
        const ofPages = Array.from({ length: pages }, (_, index) => slotsInWriteOrder(index + 1, layout)).flat();
        expect(ofPages.toSorted((a, b) => a - b)).toEqual(allSlots(layout));
        for (let page = 1; page <= pages; page += 1) {
          const copies = encodings.flatMap((_, index) => variantSlotsOf(page, pages, index));
          expect(slotsInWriteOrder(page, layout).toSorted()).toEqual([...slotsOf(page, pages), ...copies].toSorted());
        }
      }),
    );
  });

  it('have the encoding and the uncompressed file that their paths show', () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const { pages, encodings } = layout;
        for (const slot of allSlots(layout)) {
          const path = pathOf('data', slot, pages, encodings);
          expect(encodingOf(slot, pages, encodings)).toBe({ json: undefined, gz: 'gzip', br: 'brotli' }[path.split('.').at(-1) ?? '']);
          expect(pathOf('data', plainSlotOf(slot, pages), pages)).toBe(path.replace(/\.(gz|br)$/, ''));
          expect(isSecondOfLast(slot, pages)).toBe(path.includes('/last/'));
        }
      }),
    );
  });

  it('are found in another layout by their path', () => {
    fc.assert(
      fc.property(collections, layouts, layouts, (collection, one, other) => {
        for (const slot of allSlots(one)) {
          const path = pathOf(collection, slot, one.pages, one.encodings);
          expect(slotIn(other, slot, one)).toBe(slotAt(collection, path, other.pages, other.encodings));
        }
      }),
    );
  });
});

describe('the write order of the files of a page', () => {
  const layout: CollectionLayout = { pages: 3, encodings: ['gzip', 'brotli'] };

  it('ends with the index for the first page, and begins with the second file for the last page', () => {
    expect(namesOf(slotsInWriteOrder(1, layout), layout)).toEqual(['page/1/.br', 'page/1/.gz', 'page/1/', '.br', '.gz', '']);
    expect(namesOf(slotsInWriteOrder(2, layout), layout)).toEqual(['page/2/.br', 'page/2/.gz', 'page/2/']);
    expect(namesOf(slotsInWriteOrder(3, layout), layout)).toEqual([
      ...['page/last/.br', 'page/last/.gz', 'page/last/'],
      ...['page/3/.br', 'page/3/.gz', 'page/3/'],
    ]);
  });

  it('has all three files of a single page', () => {
    expect(namesOf(slotsInWriteOrder(1, { pages: 1, encodings: [] }), { pages: 1, encodings: [] })).toEqual(['page/last/', 'page/1/', '']);
  });

  it('is not that of the files that next links lead to, which are only the numbered ones', () => {
    expect(namesOf(slotsOfNext(1, layout), layout)).toEqual(['page/1/', 'page/1/.gz', 'page/1/.br']);
  });
});
