import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/contract/observation.ts';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { foldAccount } from '../../src/observe/fold.ts';
import { accountKey, partitionOf } from '../../src/observe/partition.ts';
import { StoredVersions } from '../../src/store/stored-versions.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, observe } from '../support/snapshots.ts';

const START = Date.UTC(2020, 0, 1);
const text = fc.constantFrom(undefined, '', 'one', 'one two', 'zwei 🌹 #three');
/** Snapshots of one account in order of time; some have the same time. */
const snapshots = fc
  .array(
    fc.record({
      gap: fc.constantFrom(0, 1000),
      display_name: text,
      bio: text,
      website: fc.constantFrom(undefined, null, 'https://a.example'),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((all) => {
    let time = START;
    return all.map(({ gap, ...fields }) => {
      time += gap;
      return { instant: time * 1000, observed_at: new Date(time).toISOString(), profile: profileOf(fields) };
    });
  });

function profileOf(fields: Partial<Profile>): Profile {
  const none = { location: undefined, verified: undefined, profile_image_url: undefined, account_creation_date: undefined };
  return { screen_name: 'ann', id: '1', display_name: undefined, bio: undefined, website: undefined, ...none, ...fields };
}

describe('foldAccount', () => {
  it('finds the changes that observe writes, from an empty store and from a store with earlier snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, fc.nat(), async (all, place) => {
        const store = join(temporaryFolder(), 'store.db');
        const cut = place % (all.length + 1);
        const changes: object[] = [];
        for (const part of [all.slice(0, cut), all.slice(cut)]) {
          const before = changes.length === 0 ? undefined : historyIn(store, all[cut]?.instant ?? 0);
          for (const found of foldAccount(before, part, TWITTER)) changes.push(...found);
          await observe(
            store,
            part.map(({ observed_at, profile }) => ({ observed_at, ...profile })),
          );
        }
        const records = contentsOf(store).feed.toReversed();
        const written = records.map(({ data_type, text: value, diff_html }) => ({ type: data_type, text: value, diff_html }));
        expect(changes.map((change) => ({ ...change, before: undefined }))).toEqual(written.map((one) => ({ ...one, before: undefined })));
      }),
      { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 15) },
    );
  });
});

function historyIn(store: string, from: number) {
  const stored = StoredVersions.open(store);
  try {
    return stored.of(profileOf({}), from);
  } finally {
    stored.close();
  }
}

describe('accountKey', () => {
  it('is the same for all snapshots of an id, and for a handle in upper and lower case', () => {
    expect(accountKey({ id: '12', screen_name: 'ann' })).toBe(accountKey({ id: '12', screen_name: 'bob' }));
    expect(accountKey({ id: undefined, screen_name: 'Ann' })).toBe(accountKey({ id: undefined, screen_name: 'ann' }));
    expect(accountKey({ id: '12', screen_name: 'ann' })).not.toBe(accountKey({ id: '13', screen_name: 'ann' }));
  });

  it.each([
    [[2, 3, 7, 64], 1_000_000, 64_000, 0.2],
    [[2, 3, 4], 0, 300, 0.3],
  ])('spreads consecutive ids evenly over %j partitions, from id %d', (numbers, first, accounts, tolerance) => {
    for (const partitions of numbers) {
      const counts = new Array<number>(partitions).fill(0);
      for (let id = first; id < first + accounts; id += 1) {
        const partition = partitionOf(accountKey({ id: String(id), screen_name: undefined }), partitions);
        counts[partition] = (counts[partition] ?? 0) + 1;
      }
      const even = accounts / partitions;
      expect(counts.filter((count) => Math.abs(count - even) > tolerance * even)).toEqual([]);
    }
  });

  it('is a whole number of at most 52 bits', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const key = accountKey({ id, screen_name: undefined });
        expect(Number.isInteger(key) && key >= 0 && key < 2 ** 52).toBe(true);
      }),
    );
  });
});
