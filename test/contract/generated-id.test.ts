import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstId, ID_RANGE, isGenerated } from '../../src/contract/generated-id.ts';
import { parseInstant, timestampOf } from '../../src/contract/instant.ts';

/** Moments of which a million more can be held. */
const moment = fc.integer({ min: ID_RANGE + 1, max: Number.MAX_SAFE_INTEGER - ID_RANGE });

describe('the id of a record that palimpsest makes', () => {
  it('tells the moment that the record tells', () => {
    fc.assert(
      fc.property(moment, (moment) => {
        expect(parseInstant(timestampOf(firstId(moment)))).toBe(moment);
      }),
    );
  });

  it('is an id of its own from its moment on, as far as there is room', () => {
    fc.assert(
      fc.property(moment, fc.nat({ max: ID_RANGE - 1 }), (moment, further) => {
        const first_encountered_date = timestampOf(moment);
        expect(isGenerated({ id: firstId(moment) + further, first_encountered_date })).toBe(true);
        expect(isGenerated({ id: firstId(moment) + ID_RANGE + further, first_encountered_date })).toBe(false);
        expect(isGenerated({ id: firstId(moment) - 1 - further, first_encountered_date })).toBe(false);
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
  ])('is none that counts records: %i of %s', (id, first_encountered_date) => {
    expect(isGenerated({ id, first_encountered_date })).toBe(false);
  });

  it('may be the last one that JSON readers hold', () => {
    const last = Number.MAX_SAFE_INTEGER;
    expect(timestampOf(last)).toBe('2255-06-05T23:47:34.740991Z');
    expect(isGenerated({ id: last, first_encountered_date: timestampOf(last) })).toBe(true);
  });
});
