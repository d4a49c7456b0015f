import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Observation, Profile } from '../../src/contract/observation.ts';
import { ProfilePool, storedProfile } from '../../src/observe/profile-pool.ts';
import { StringPool } from '../../src/observe/string-pool.ts';
import { openSpool } from '../../src/store/spool-file.ts';
import { profile } from '../store/accounts.ts';
import { temporaryFolder } from '../support/folder.ts';

const NOBODY = profile('ann', '1');

function observed(profile: Partial<Profile>, former_names: readonly string[] = []): Observation {
  return { observed_at: 0, web_archive_url: null, profile: { ...NOBODY, ...profile }, former_names };
}

/** A profile pool with the texts in it, and the size of their file. */
function newPool() {
  const spool = openSpool(join(temporaryFolder(), 'texts'));
  const texts = new StringPool(spool);
  onTestFinished(() => texts.close());
  const contentAt = (place: number) => storedProfile(texts.get(place));
  return { profiles: new ProfilePool(texts), contentAt, size: () => fstatSync(spool.descriptor).size };
}

it('returns the profile and the former names of each observation, whatever came before', () => {
  const text = fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined });
  const seen = fc.record({
    id: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
    screen_name: fc.constantFrom('ann', 'bob'),
    display_name: text,
    bio: text,
    location: text,
    website: fc.option(fc.constantFrom(null, '', 'https://a.example'), { nil: undefined }),
    verified: fc.option(fc.boolean(), { nil: undefined }),
    profile_image_url: text,
    account_creation_date: fc.option(fc.constantFrom(null, '2010-11-29T21:18:15Z'), { nil: undefined }),
  });
  const observation = fc.tuple(seen, fc.array(fc.constantFrom('c', 'd'), { maxLength: 2 }));
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 40 }), (all) => {
      const { profiles, contentAt } = newPool();
      const rows = all.map(([profile, former_names]) => profiles.put(observed(profile, former_names), 0, 1));
      for (const [index, [profile, former_names]] of all.entries()) {
        expect(contentAt(rows[index]?.profile ?? 0)).toEqual(
          JSON.parse(JSON.stringify({ profile: { ...NOBODY, ...profile }, former_names })),
        );
      }
    }),
  );
});

it('stores a profile again only after another one of its account', () => {
  const { profiles, size, contentAt } = newPool();
  const places = ['a', 'b'].map((bio) => profiles.put(observed({ id: bio, bio }), 0, 1).profile);
  for (let time = 0; time < 1000; time += 1) {
    for (const [index, bio] of ['a', 'b'].entries()) expect(profiles.put(observed({ id: bio, bio }), 0, 1).profile).toBe(places[index]);
  }
  contentAt(places[0] ?? 0);
  expect(size()).toBeLessThan(200);
  profiles.put(observed({ id: 'a', bio: 'c' }), 0, 1);
  expect(profiles.put(observed({ id: 'a', bio: 'a' }), 0, 1).profile).not.toBe(places[0]);
});

it('forgets profiles if there are too many, but never loses one at a place', () => {
  const { profiles, contentAt } = newPool();
  const bio = (index: number) => `${index} ${'long '.repeat(200_000)}`;
  const first = profiles.put(observed({ bio: 'first' }), 0, 1).profile;
  const places = Array.from({ length: 20 }, (_, index) => profiles.put(observed({ id: `x${index}`, bio: bio(index) }), 0, 1).profile);
  const again = profiles.put(observed({ bio: 'first' }), 0, 1).profile;
  expect(again).not.toBe(first);
  expect([first, again].map((place) => contentAt(place).profile.bio)).toEqual(['first', 'first']);
  expect(places.every((place, index) => contentAt(place).profile.bio === bio(index))).toBe(true);
});
