import { describe, expect, it } from 'vitest';
import type { DataType } from '../../src/contract/record.ts';
import type { Profile } from '../../src/contract/snapshots/observation.ts';
import { changesOf, conflictsOf } from '../../src/observe/changes-and-conflicts.ts';
import { accountWithoutValues, bitOf, type KnownAccount, knownUntil, type Version } from '../../src/store/accounts/known-account.ts';
import { profile } from '../store/accounts.ts';

const NOTHING: Profile = profile('jack');

/** An account with the history of one field: each value and its time. */
function account(type: DataType, observed_to: number | undefined, ...values: readonly (readonly [string | null, number])[]): KnownAccount {
  const versions: { [T in DataType]: Version[] } = { Name: [], Bio: [], Location: [], Website: [], Verified: [] };
  versions[type] = values.map(([text, since], id) => ({ id, text, since }));
  const identity = { screen_name: 'jack', account_creation_date: null, profile_image_url: '' };
  return { ...accountWithoutValues(1, identity, undefined), observed_to, versions };
}

/** Returns the changes of a snapshot: the new text of each field, or why it is late. */
function changed(known: KnownAccount | undefined, seen: Partial<Profile>, instant: number): unknown {
  const changes = changesOf(known, { ...NOTHING, ...seen }, instant);
  return 'late' in changes ? changes : changes.map(({ type, text }) => [type, text]);
}

describe('a snapshot after the watermark', () => {
  const bio = account('Bio', 20, ['a', 10], ['b', 15]);

  it('names the previous version', () => {
    expect(changesOf(bio, { ...NOTHING, bio: 'c' }, 21)).toEqual([{ type: 'Bio', before: { id: 1, text: 'b', since: 15 }, text: 'c' }]);
    expect(changesOf(bio, { ...NOTHING, location: 'c' }, 21)).toEqual([{ type: 'Location', before: undefined, text: 'c' }]);
  });
});

describe('a snapshot of a source that shows only verified accounts as such', () => {
  it.each<[string, number, readonly (readonly [string, number])[], unknown]>([
    ['ends a known verification', 30, [['true', 10]], [['Verified', 'false']]],
    ['changes nothing if the account is known not to be verified', 30, [['false', 10]], []],
    ['changes nothing if nothing is known', 30, [], []],
    ['changes nothing at a time before the first known value', 5, [['true', 10]], []],
    ['contradicts a verification of that time if it is late', 15, [['true', 10]], { late: 'Verified', known: 'true', seen: 'false' }],
  ])('%s', (_, instant, values, expected) => {
    expect(changed(account('Verified', 20, ...values), { verified: null }, instant)).toEqual(expected);
  });
});

describe('a snapshot before the watermark', () => {
  const bio = account('Bio', 30, ['a', 10], ['b', 20], ['c', 20]);

  it.each<[number, string, boolean]>([
    [10, 'a', true],
    [19, 'a', true],
    [19, 'b', false],
    [20, 'a', true],
    [20, 'b', true],
    [20, 'c', true],
    [20, 'd', false],
    [21, 'a', false],
    [21, 'b', false],
    [21, 'c', true],
    [29, 'd', false],
    [9, 'a', false],
  ])('at %i with %j is accepted: %s', (instant, text, fits) => {
    const found = changed(bio, { bio: text }, instant);
    if (fits) expect(found).toEqual([]);
    else expect(found).toMatchObject({ late: 'Bio', seen: text });
  });

  it('names the value in the store', () => {
    expect(changed(bio, { bio: 'x' }, 15)).toEqual({ late: 'Bio', known: 'a', seen: 'x' });
    expect(changed(bio, { bio: 'x' }, 1)).toEqual({ late: 'Bio', known: undefined, seen: 'x' });
  });

  it('is late after an observation without changes too', () => {
    expect(changed(account('Bio', 30, ['a', 10]), { bio: 'x' }, 29)).toMatchObject({ late: 'Bio' });
    expect(changed(account('Bio', undefined, ['a', 10]), { bio: 'x' }, 29)).toEqual([['Bio', 'x']]);
    expect(changed(account('Bio', undefined, ['a', 30]), { bio: 'x' }, 29)).toMatchObject({ late: 'Bio' });
  });

  it('may be the first to observe a field, but is late as a whole if another field contradicts', () => {
    expect(changed(bio, { location: 'x' }, 5)).toEqual([['Location', 'x']]);
    expect(changed(bio, { location: 'x', bio: 'x' }, 15)).toMatchObject({ late: 'Bio' });
  });
});

describe('a snapshot at the watermark', () => {
  it('may change a field that another snapshot of that time observed, but does not change it back', () => {
    const bio = account('Bio', 20, ['a', 10], ['b', 20]);
    expect(changed(bio, { bio: 'c' }, 20)).toEqual([['Bio', 'c']]);
    expect(changed(bio, { bio: 'b' }, 20)).toEqual([]);
    expect(changed(bio, { bio: 'a' }, 20)).toEqual([]);
  });
});

describe('conflictsOf', () => {
  const conflicts = (known: KnownAccount, seen: Partial<Profile>, instant: number) => conflictsOf(known, { ...NOTHING, ...seen }, instant);
  const bio = account('Bio', 30, ['a', 10], ['b', 20], ['c', 20]);

  it.each<[number, string, readonly string[], boolean]>([
    [20, 'a', ['b', 'c'], false],
    [20, 'b', ['c'], true],
    [20, 'd', ['b', 'c'], true],
    [10, 'b', ['a'], true],
  ])('reports that the value at %i, %j, conflicts with %j', (instant, seen, others, isRecorded) => {
    expect(conflicts(bio, { bio: seen }, instant)).toEqual([{ type: 'Bio', seen, others, isRecorded }]);
  });

  it('reports a verification after null at the same time, as in the other order', () => {
    const unverified = { ...account('Verified', 20), observed_fields: bitOf('Verified') };
    const conflict = { type: 'Verified', seen: 'true', others: ['false'], isRecorded: true };
    expect(conflicts(unverified, { verified: true }, 20)).toEqual([conflict]);
    expect(conflicts(unverified, { verified: false }, 20)).toEqual([]);
  });

  it('reports nothing for a time at which no value began', () => {
    expect(conflicts(bio, { bio: 'd' }, 21)).toEqual([]);
    expect(conflicts(bio, { bio: 'd' }, 30)).toEqual([]);
    expect(conflicts(bio, { bio: 'd' }, 31)).toEqual([]);
    expect(conflicts(account('Website', 20, ['', 20]), { website: null }, 20)).toEqual([]);
  });
});

describe('knownUntil', () => {
  const bio = account('Bio', 30, ['a', 10], ['b', 20], ['c', 20]);

  it.each([
    [5, 10],
    [10, 20],
    [19, 20],
    [20, 30],
    [29, 30],
    [30, Number.POSITIVE_INFINITY],
    [31, Number.POSITIVE_INFINITY],
  ])('returns for %i the end %d of the value', (instant, until) => expect(knownUntil(bio, instant)).toBe(until));

  it('and changesOf read few of a hundred thousand values of one field', () => {
    let reads = 0;
    const values = Array.from({ length: 100_000 }, (_, since): Version => ({ id: since, text: `${since}`, since }));
    const Bio = new Proxy(values, {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    const long = { ...bio, observed_to: 100_000, versions: { ...bio.versions, Bio } };
    for (const instant of [0, 1, 50_000, 99_999]) {
      reads = 0;
      expect([changed(long, { bio: String(instant) }, instant), knownUntil(long, instant)]).toEqual([[], instant + 1]);
      expect(reads).toBeLessThan(200);
    }
  });
});
