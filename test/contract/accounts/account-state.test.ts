import { describe, expect, it } from 'vitest';
import * as states from '../../../src/contract/accounts/account-state.ts';

const LINE = {
  screen_name: 'new',
  stable_id: '1',
  observed_to: '2020-01-01T00:04:00.000000Z',
  observed_fields: ['Location', 'Bio'],
  former_handles: [{ handle: 'old', seen_to: '2020-01-01T00:01:00.000001Z' }],
  account_creation_date: '2010-11-29T21:18:15Z',
  profile_image_url: '',
  profile: { display_name: 'N', website: null, location: 'L', bio: 'B' },
  profile_record: 7,
};
const EMPTY = { ...LINE, stable_id: null, observed_to: null, observed_fields: [], former_handles: [], profile_record: null };
const TIME = 'a UTC time such as "2023-11-18T16:29:12.006921Z"';

describe('the state of an account', () => {
  it.each([LINE, EMPTY])('is written as it was read: %j', (line) => {
    expect(states.encodeAccountState(states.parseAccountState(line))).toBe(JSON.stringify(line));
  });

  it.each([
    ['stable_id', { stable_id: '' }, 'a stable id: not empty, no control characters of ASCII, valid Unicode, or null'],
    ['observed_to', { observed_to: '2020-01-01T00:00:00Z' }, `${TIME}, or null`],
    ['observed_to', { observed_to: 'now' }, `${TIME}, or null`],
    ['observed_to', { observed_to: 5 }, `${TIME}, or null`],
    [
      'observed_fields',
      { observed_fields: ['Bio', 'Location'] },
      'an array of Location, Bio, Name, Website, Verified, each at most once and in this order',
    ],
    ['observed_fields', { observed_fields: 'Bio' }, expect.any(String)],
    ['former_handles[0].seen_to', { former_handles: [{ handle: 'old', seen_to: null }] }, TIME],
    ['former_handles[0].handle', { former_handles: [{ seen_to: LINE.observed_to }] }, expect.any(String)],
    ['profile', { profile: undefined }, 'an object'],
    ['profile.bio', { profile: { ...LINE.profile, bio: null } }, 'a string'],
    ['verified', { verified: true }, expect.any(String)],
  ])('is refused at %s for %j', (field, change, expected) => {
    expect(() => states.parseAccountState({ ...LINE, ...change })).toThrow(expect.objectContaining({ field, expected }));
  });

  it('is equal to another with the same line', () => {
    const [one, other] = [states.parseAccountState(LINE), states.parseAccountState(EMPTY)];
    expect([states.isSameState(one, { ...one }), states.isSameState(one, other)]).toEqual([true, false]);
  });

  it('has each former handle once, by time and then by handle', () => {
    const [a, b, c] = [
      { handle: 'b', seen_to: 1 },
      { handle: 'a', seen_to: 2 },
      { handle: 'b', seen_to: 2 },
    ];
    for (const handles of [
      [a, b, c, { ...a }],
      [c, b, a],
      [b, c, a],
    ])
      expect(states.sortedHandles(handles)).toEqual([a, b, c]);
  });
});

describe('the first line of an export', () => {
  it.each([
    [0, { format: 'palimpsest-store', version: 1, accounts: 2, records: 3 }],
    [1, { format: 'palimpsest-store', version: 1, exclusions: 1, accounts: 2, records: 3 }],
  ])('with %i exclusions is read as it was written', (exclusions, header) => {
    expect(states.encodeExportHeader({ accounts: 2, records: 3, exclusions })).toBe(JSON.stringify(header));
    expect(states.parseExportHeader(header)).toEqual(header);
  });

  it('says what the store lacks, and how many items services no longer have', () => {
    const report = { base_url: 'https://history.example', finished_at: '2026-01-31T00:00:00Z', request_count: 9 };
    const amounts = { counted: { records: 3, accounts: 2 }, missing: { records: 1, accounts: 0 } };
    const incomplete = [{ ...report, ...amounts }];
    for (const parts of [{ incomplete }, { gone: 1 }, { incomplete, exclusions: 1, gone: 1 }]) {
      const header = { format: 'palimpsest-store', version: 1, ...parts, accounts: 2, records: 3 };
      expect(states.encodeExportHeader({ accounts: 2, records: 3, ...parts })).toBe(JSON.stringify(header));
      expect(states.parseExportHeader(header)).toEqual(header);
    }
  });

  it.each([
    ['version', { version: 2 }, '1 (a newer palimpsest wrote this export)'],
    ['incomplete', { incomplete: [{}] }, 'reports of incomplete mirrors, or nothing'],
    ['exclusions', { exclusions: -1 }, 'an integer of 0 or more, or nothing'],
    ['gone', { gone: null }, 'an integer of 0 or more, or nothing'],
    ['days', { days: 1 }, 'only the fields of the interface'],
    ['format', { format: 'other' }, 'one of palimpsest-store'],
    ['records', { records: -1 }, 'an integer of 0 or more'],
  ])('is refused at %s for %j', (field, change, expected) => {
    const header = { format: 'palimpsest-store', version: 1, accounts: 2, records: 3, ...change };
    expect(() => states.parseExportHeader(header)).toThrow(expect.objectContaining({ field, expected }));
  });

  it.each([null, 'text'])('is refused if it is %j', (value) => {
    expect(() => states.parseExportHeader(value)).toThrow(expect.objectContaining({ field: 'item' }));
  });
});
