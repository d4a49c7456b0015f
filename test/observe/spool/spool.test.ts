import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Observation, Profile } from '../../../src/contract/snapshots/observation.ts';
import { Spool } from '../../../src/observe/spool/spool.ts';
import { profile } from '../../store/accounts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { times } from '../../support/proof.ts';

const MEGABYTE = 2 ** 20;

/** Returns an observation of `ann`. One without a time is as old as the others. */
function observed(seen: Partial<Profile>, more: Partial<Observation> = {}): Observation {
  return { observed_at: 0, web_archive_url: null, former_names: [], profile: { ...profile('ann', '1'), ...seen }, ...more };
}

/** Stores observations. Returns them as they are read, and the number of stored profiles. */
function stored(all: readonly Observation[]) {
  const spool = new Spool(join(temporaryFolder(), 'spool'));
  onTestFinished(() => spool.close());
  for (const [line, each] of all.entries()) spool.add(each, { file: `file ${Math.floor(line / 3)}`, line });
  const rows = [...spool.inOrder()];
  return { read: rows.map((row) => spool.observation(row)), places: rows.map((row) => spool.place(row)), profiles: spool.profiles };
}

const bios = (texts: readonly string[]) => texts.map((bio) => observed({ bio }));

describe('Spool', () => {
  it('returns every observation with its place, whatever came before', () => {
    const text = fc.option(
      fc.oneof(
        fc.constantFrom('', 'a'),
        fc.string({ unit: 'binary' }).map((any) => any.toWellFormed()),
      ),
      {
        nil: undefined,
      },
    );
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
    const more = fc.record({
      web_archive_url: fc.constantFrom(null, '', 'https://archive.example/1'),
      former_names: fc.array(fc.constantFrom('c', 'd'), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(seen, more), { maxLength: 40 }), (all) => {
        const observations = all.map(([seen, more], observed_at) => observed(seen, { ...more, observed_at }));
        const { read, places } = stored(observations);
        expect(read).toEqual(JSON.parse(JSON.stringify(observations)));
        expect(places).toEqual(observations.map((_, line) => ({ file: `file ${Math.floor(line / 3)}`, line })));
      }),
      { numRuns: times('lists of observations', 15, 200) },
    );
  });

  it('stores a profile again only after another one of its account', () => {
    const repeated = Array.from({ length: 2000 }, (_, index) => observed({ id: `${index % 2}`, bio: 'a' }));
    expect(stored(repeated).profiles).toBe(2);
    expect(stored([...repeated, ...bios(['b', 'b', 'a'])]).profiles).toBe(4);
  });

  it('forgets profiles if there are too many, but loses none', () => {
    const others = Array.from({ length: 20 }, (_, index) => observed({ id: `x${index}`, bio: `${index} ${'long '.repeat(200_000)}` }));
    const all = [...bios(['first']), ...others, ...bios(['first'])].map((each, observed_at) => ({ ...each, observed_at }));
    const { read, profiles } = stored(all);
    expect(read.every(({ profile }, index) => profile.bio === all[index]?.profile.bio)).toBe(true);
    expect(profiles).toBe(22);
  });

  // the JSON of a profile is longer than its bio
  it.each([MEGABYTE - 100, MEGABYTE, 5 * MEGABYTE])('returns profiles of about %i bytes between short ones', (length) => {
    const all = bios(['before', 'é'.repeat(length / 2), 'after', 'y'.repeat(length), '']);
    const { read } = stored(all.map((each, observed_at) => ({ ...each, observed_at })));
    expect(read.map(({ profile }, index) => profile.bio === all[index]?.profile.bio)).toEqual(all.map(() => true));
  });
});
