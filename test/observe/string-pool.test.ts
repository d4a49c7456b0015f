import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StringPool } from '../../src/observe/string-pool.ts';
import { openSpool } from '../../src/store/spool-file.ts';
import { temporaryFolder } from '../support/folder.ts';

function newPool(): StringPool {
  const texts = new StringPool(openSpool(join(temporaryFolder(), 'texts')));
  onTestFinished(() => texts.close());
  return texts;
}

describe('StringPool', () => {
  it('returns every Unicode text in any order while more texts are added', () => {
    const unicode = fc.string({ unit: 'binary', maxLength: 50 }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(fc.array(unicode), (all) => {
        const texts = newPool();
        const places = all.map((text) => {
          const place = texts.append(text);
          expect(texts.get(place)).toBe(text);
          return place;
        });
        expect(places.toReversed().map((place) => texts.get(place))).toEqual(all.toReversed());
      }),
      { numRuns: 50 },
    );
  });

  it('never uses place 0, which means "no text"', () => {
    const texts = newPool();
    expect(texts.append('')).toBeGreaterThan(0);
    expect(texts.get(texts.append(''))).toBe('');
  });

  const MEGABYTE = 2 ** 20;
  it.each([MEGABYTE - 5, MEGABYTE - 4, MEGABYTE - 3, 5 * MEGABYTE])('stores a text of %i bytes between short ones', (length) => {
    const texts = newPool();
    const all = ['before', 'é'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2), 'after', 'y'.repeat(length), ''];
    const places = all.map((text) => texts.append(text));
    expect(places.map((place) => texts.get(place) === all[places.indexOf(place)])).toEqual(all.map(() => true));
  });
});
