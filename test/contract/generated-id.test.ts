import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST_ID_WITHOUT_ROOM, ID_RANGE, isGenerated, leavesRoom } from '../../src/contract/generated-id.ts';
import { parseInstant, timestampOf } from '../../src/contract/instant.ts';

describe('a generated id', () => {
  it('is the microseconds of its instant, and is recognized up to the end of the reserved range', () => {
    // with a full range of safe ids after it
    const instant = fc.integer({ min: ID_RANGE + 1, max: Number.MAX_SAFE_INTEGER - ID_RANGE });
    fc.assert(
      fc.property(instant, fc.nat({ max: ID_RANGE - 1 }), (instant, further) => {
        const first_encountered_date = timestampOf(instant);
        expect(isGenerated({ id: instant + further, first_encountered_date })).toBe(true);
        expect(isGenerated({ id: instant + ID_RANGE + further, first_encountered_date })).toBe(false);
        expect(isGenerated({ id: instant - 1 - further, first_encountered_date })).toBe(false);
      }),
    );
  });

  it.each([
    [6921, '2023-11-18T16:29:12Z'],
    [6921, '2023-11-18T16:29:12.006921Z'],
    [0, '1970-01-01T00:00:00Z'],
    [6921, '1970-01-01T00:00:00Z'],
    [1_000_000, '1970-01-01T00:00:01Z'],
    [6921, '0001-01-01T00:00:00Z'],
    [Number.MAX_SAFE_INTEGER, '9999-12-31T23:59:59Z'],
  ])('is not confused with the sequential id %i of a record of %s', (id, first_encountered_date) => {
    expect(isGenerated({ id, first_encountered_date })).toBe(false);
  });

  it('can be the greatest integer that JSON readers represent exactly', () => {
    const last = Number.MAX_SAFE_INTEGER;
    expect(timestampOf(last)).toBe('2255-06-05T23:47:34.740991Z');
    expect(isGenerated({ id: last, first_encountered_date: timestampOf(last) })).toBe(true);
  });
});

describe('an id', () => {
  const first_encountered_date = '2255-06-05T00:00:00.000000Z';
  const instant = parseInstant(first_encountered_date) ?? 0;

  it.each([
    [instant, true],
    [instant + ID_RANGE - 1, true],
    [instant + ID_RANGE, false],
    [FIRST_ID_WITHOUT_ROOM, false],
    [FIRST_ID_WITHOUT_ROOM - 1, true],
  ])('of %i leaves room for later records: %s', (id, leaves) => expect(leavesRoom({ id, first_encountered_date })).toBe(leaves));
});
