import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StringPool } from '../../src/observe/string-pool.ts';
import { openSpool, type SpoolFile } from '../../src/store/spool-file.ts';
import { temporaryFolder } from '../support/folder.ts';

function newFile(): { texts: StringPool; spool: SpoolFile } {
  const spool = openSpool(join(temporaryFolder(), 'texts'));
  const texts = new StringPool(spool);
  onTestFinished(() => texts.close());
  return { texts, spool };
}

describe('StringPool', () => {
  it('returns every Unicode text in any order while more texts are added', () => {
    const unicode = fc.string({ unit: 'binary', maxLength: 50 }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(fc.array(unicode), (all) => {
        const texts = new StringPool(openSpool(join(temporaryFolder(), 'texts')));
        const places = all.map((text) => {
          const place = texts.put(text);
          expect(texts.get(place)).toBe(text);
          return place;
        });
        expect(places.toReversed().map((place) => texts.get(place))).toEqual(all.toReversed());
        texts.close();
      }),
      { numRuns: 50 },
    );
  });

  it('never uses place 0, which means "no text"', () => {
    const { texts } = newFile();
    expect(texts.put('')).toBeGreaterThan(0);
    expect(texts.get(texts.put(''))).toBe('');
  });

  it.each([1024 * 1024 - 5, 1024 * 1024 - 4, 1024 * 1024 - 3, 1024 * 1024, 5_000_000])(
    'stores a text of %i bytes between short ones',
    (length) => {
      const { texts } = newFile();
      const all = ['before', 'é'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2), 'after', 'y'.repeat(length), ''];
      const places = all.map((text) => texts.put(text));
      expect(places.map((place) => texts.get(place) === all[places.indexOf(place)])).toEqual(all.map(() => true));
    },
  );

  it('stores a frequent text once', () => {
    const { texts, spool } = newFile();
    const place = texts.put('often');
    for (let time = 0; time < 1000; time += 1) expect(texts.put(`of${'ten'}`)).toBe(place);
    texts.get(place);
    expect(fstatSync(spool.descriptor).size).toBeLessThan(20);
  });

  it('may forget that it has a text, but never loses the text at a place', () => {
    const { texts } = newFile();
    const long = (index: number) => `${index} ${'long '.repeat(200_000)}`;
    const first = texts.put('first');
    const places = Array.from({ length: 20 }, (_, index) => texts.put(long(index)));
    const again = texts.put('first');
    expect(again).not.toBe(first);
    expect([texts.get(first), texts.get(again)]).toEqual(['first', 'first']);
    expect(places.every((place, index) => texts.get(place) === long(index))).toBe(true);
  });
});
