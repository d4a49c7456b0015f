import { describe, expect, it } from 'vitest';
import { encodeExclusion, handleHash, parseExclusion, sharedHandleHash, stableIdHash } from '../../../src/contract/accounts/exclusion.ts';

const VALID = {
  excluded_at: '2026-11-21T23:00:00Z',
  handles: [handleHash('a'), handleHash('b')].toSorted(),
  stable_ids: [stableIdHash('12')],
  records: [1, 2],
};

describe('an exclusion', () => {
  it('has the hashes that docs/export.md describes', () => {
    // printf 'palimpsest exclusion handle nina_k' | sha256sum
    expect(handleHash('Nina_K')).toBe('d216ccbab29053e050cee21ae582f75f7b6a8e6832c6b1841a62b185a1f3d976');
    // printf 'palimpsest exclusion stable_id 12' | sha256sum
    expect(stableIdHash('12')).toBe('cf1573c18dffb0455000bbb2a732cd49eab030f9069d57aece67802f389c1650');
  });

  it('is read as it was written', () => {
    expect(parseExclusion(JSON.parse(encodeExclusion(VALID)))).toEqual(VALID);
  });

  it.each([
    ['excluded_at', { ...VALID, excluded_at: '2026-11-21' }],
    ['excluded_at', { ...VALID, excluded_at: 'on 2026-11-21T23:00:00Z' }],
    ['excluded_at', { ...VALID, excluded_at: '2026-11-21T23:00:00Z and later' }],
    ['handles', { ...VALID, handles: ['nina_k'] }],
    ['handles', { ...VALID, handles: [handleHash('a'), 'nina_k'] }],
    ['handles', { ...VALID, handles: [`0${handleHash('a')}`] }],
    ['handles', { ...VALID, handles: [`${handleHash('a')}0`] }],
    ['handles', { ...VALID, handles: [[handleHash('a')]] }],
    ['handles', { ...VALID, handles: VALID.handles.toReversed() }],
    ['handles', { ...VALID, handles: [handleHash('a'), handleHash('a')] }],
    ['stable_ids', { ...VALID, stable_ids: '12' }],
    ['records', { ...VALID, records: [2, 1] }],
    ['records', { ...VALID, records: [-1, 1] }],
    ['name', { ...VALID, name: 'nina_k' }],
  ])('is refused with a wrong field %s', (field, value) => {
    expect(() => parseExclusion(value)).toThrow(expect.objectContaining({ field }));
  });

  it('needs a handle or a stable id', () => {
    for (const part of [{ handles: [] }, { stable_ids: [] }]) expect(parseExclusion({ ...VALID, ...part })).toEqual({ ...VALID, ...part });
    expect(() => parseExclusion({ ...VALID, handles: [], stable_ids: [] }, 'line')).toThrow(
      'line: expected at least one handle or stable id, found none',
    );
  });

  it('has the hash of a shared handle together with a record', () => {
    expect(sharedHandleHash('Nina_K', 7)).toBe(handleHash('nina_k\n7'));
  });
});
