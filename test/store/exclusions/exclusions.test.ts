import { beforeEach, describe, expect, it } from 'vitest';
import { handleHash, stableIdHash } from '../../../src/contract/accounts/exclusion.ts';
import type { Exclusions } from '../../../src/store/exclusions/exclusions.ts';
import type { Batch } from '../../../src/store/writing/batch.ts';
import { bioOf, emptyBatch, profile } from '../accounts.ts';

let batch: Batch;
let exclusions: Exclusions;

/** Excludes an account in the batch. */
function exclude(handles: readonly string[], ids: readonly string[] = [], records: readonly number[] = []): void {
  const hashes = { handles: handles.map(handleHash), stable_ids: ids.map(stableIdHash) };
  batch.exclusions.add({ excluded_at: '2026-01-01T00:00:00Z', ...hashes, records }, true);
}

beforeEach(() => {
  batch = emptyBatch();
  ({ exclusions } = batch);
});

describe('the exclusions of a store', () => {
  it('exclude a handle in upper and lower case, and no other', () => {
    exclude(['Ann']);
    expect(['ann', 'ANN', 'anna', 'an'].map((name) => exclusions.hasHandle(name))).toEqual([true, true, false, false]);
    expect(exclusions.excludesRecord(bioOf('aNN', 1))).toBe(true);
    expect(exclusions.hasItem({ account: 'ANN' })).toBe(true);
    expect(exclusions.hasItem({ screen_name: 'Ann', data: 1 })).toBe(true);
    expect([null, 'ann', ['ann'], { account: 1 }].map((item) => exclusions.hasItem(item))).toEqual([false, false, false, false]);
  });

  it('do not take a stable id for a handle', () => {
    exclude(['12'], ['13']);
    expect(exclusions.excludesProfile(profile('ann', '12'), [])).toBe(false);
    expect(exclusions.hasHandle('13')).toBe(false);
    expect(exclusions.excludesProfile(profile('ann', '13'), [])).toBe(true);
  });

  it('learn the new handle of an excluded stable id, and the stable id of an excluded handle', () => {
    exclude(['ann'], ['1']);
    exclude(['bob']);
    expect(exclusions.excludesProfile(profile('anna', '1'), ['annie'])).toBe(true);
    expect(exclusions.excludesProfile(profile('bob', '2'), [])).toBe(true);
    expect(exclusions.excludesProfile(profile('bobby', '2'), [])).toBe(true);
    expect(['anna', 'annie', 'bobby'].every((name) => exclusions.hasHandle(name))).toBe(true);
    // the handle has a new holder, whose stable id is not that of the excluded account
    expect(exclusions.excludesProfile(profile('ann', '77'), [])).toBe(true);
    expect(exclusions.excludesProfile(profile('later', '77'), [])).toBe(false);
  });

  it('do not learn a handle that an account in the store has', () => {
    exclude(['ann'], ['1']);
    batch.ensureAccount('cyd');
    expect(exclusions.excludesProfile(profile('Cyd', '1'), [])).toBe(true);
    expect(exclusions.hasHandle('cyd')).toBe(false);
  });

  it('do not learn the handle that Bluesky shows for many accounts', () => {
    exclude(['ann', 'handle.invalid'], ['did:1']);
    expect(exclusions.excludesProfile(profile('handle.invalid', 'did:1'), [])).toBe(true);
    expect(exclusions.excludesProfile(profile('handle.invalid', 'did:2'), [])).toBe(false);
  });

  it('exclude by a former handle, unless both stable ids are known', () => {
    exclude(['ann']);
    exclude(['bob'], ['2']);
    expect(exclusions.excludesProfile(profile('new', '9'), ['ann'])).toBe(true);
    expect(exclusions.excludesProfile(profile('other', '8'), ['bob'])).toBe(false);
    expect(exclusions.excludesProfile(profile('third'), ['bob'])).toBe(true);
  });

  it('recognize an account under a new handle by its records and their successors', () => {
    exclude(['ann'], [], [10]);
    expect(exclusions.excludesRecord({ ...bioOf('bob', 11), previous: 9 })).toBe(false);
    expect(exclusions.excludesRecord({ ...bioOf('new', 12), previous: 10 })).toBe(true);
    expect(exclusions.excludesRecord(bioOf('new', 13))).toBe(true);
    expect([...exclusions.learned]).toEqual(['new']);
    expect(exclusions.excludesRecord({ ...bioOf('newer', 14), previous: 12 })).toBe(true);
    expect(exclusions.excludesRecord(bioOf('cyd', 10))).toBe(true);
  });

  it('do not remember ids that palimpsest generates, because another account can get them', () => {
    exclude(['ann']);
    const generated = Date.parse('2020-01-01T00:00:00Z') * 1000;
    expect(exclusions.excludesRecord(bioOf('ann', generated))).toBe(true);
    expect(exclusions.excludesRecord(bioOf('bob', generated))).toBe(false);
  });

  it.each(['2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z', ''])('give a removal at %j a later time than all others', (now) => {
    exclude(['ann']);
    expect(exclusions.timeOfRemoval(now)).toBe('2026-01-01T00:00:01Z');
    expect(exclusions.timeOfRemoval('2026-01-02T00:00:00Z')).toBe('2026-01-02T00:00:00Z');
  });
});
