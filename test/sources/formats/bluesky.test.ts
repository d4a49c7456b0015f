import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture } from './format-suite.ts';
import { NOON, observationsIn, readValues } from './reading.ts';

const detailed = fixture('bluesky');

async function profileOf(value: unknown) {
  return observationsIn(await readValues([value]))[0]?.profile;
}

describeFormat({
  name: 'bluesky',
  observations: [
    {
      observed_at: NOON,
      web_archive_url: null,
      profile: {
        screen_name: 'mira.example.org',
        id: 'did:plc:qq4hb2xkzt7v3m5ndwy6scfa',
        display_name: 'Mira Okonjo 🌿',
        bio: 'Maps of rivers & roads.',
        location: undefined,
        website: 'https://maps.example.org/mira',
        verified: true,
        profile_image_url: 'https://cdn.example.org/img/avatar/mira@jpeg',
        account_creation_date: '2023-04-27T14:23:34Z',
      },
      former_names: [],
    },
  ],
  fields: {
    screen_name: { keys: ['handle'], path: 'handle' },
    id: { keys: ['did'], path: 'did' },
    display_name: { keys: ['displayName'], path: 'displayName', absent: '' },
    bio: { keys: ['description'], path: 'description', absent: '' },
    website: { keys: ['website'], path: 'website', absent: null },
    verified: { keys: ['verification', 'verifiedStatus'], path: 'verification.verifiedStatus' },
    profile_image_url: { keys: ['avatar'], path: 'avatar', absent: '' },
    account_creation_date: { keys: ['createdAt'], path: 'createdAt' },
  },
  isTimed: false,
  isStrict: false,
});

describe('a Bluesky profile', () => {
  it('leaves fields undefined that a basic view does not contain', async () => {
    const basic = { did: detailed['did'], handle: 'mira.example.org' };
    expect(await profileOf(basic)).toEqual({ screen_name: 'mira.example.org', id: detailed['did'] });
  });

  it.each([
    ['valid', true],
    ['invalid', false],
    ['none', false],
    ['some later word', false],
    [null, undefined],
    [undefined, undefined],
  ])('with the verification status %j gives verified %j', async (status, verified) => {
    expect((await profileOf(changed(detailed, ['verification', 'verifiedStatus'], status)))?.verified).toBe(verified);
  });

  it.each([null, 7, [], undefined])('with the verification %j gives verified undefined', async (verification) => {
    expect((await profileOf(changed(detailed, ['verification'], verification)))?.verified).toBeUndefined();
  });

  it('has no handle if it has the placeholder for handles that do not resolve', async () => {
    const { screen_name: _, ...rest } = (await profileOf(detailed)) ?? {};
    expect(await profileOf({ ...detailed, handle: 'handle.invalid' })).toEqual({ ...rest, screen_name: undefined });
  });

  it('is read from lists', async () => {
    const found = await readValues([{ profiles: [detailed, null, detailed] }]);
    expect(found.map(({ kind, place }) => [kind, place.field])).toEqual([
      ['observation', 'profiles[0]'],
      ['error', 'profiles[1]'],
      ['observation', 'profiles[2]'],
    ]);
  });
});
