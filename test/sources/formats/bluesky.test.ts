import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { profileOf } from './reading.ts';

const detailed = fixture('bluesky');

describeFormat({
  name: 'bluesky',
  observations: [
    observation({
      ...MIRA,
      screen_name: 'mira.example.org',
      id: 'did:plc:qq4hb2xkzt7v3m5ndwy6scfa',
      bio: 'Maps of rivers & roads.',
      location: undefined,
      profile_image_url: 'https://cdn.example.org/img/avatar/mira@jpeg',
      account_creation_date: '2023-04-27T14:23:34Z',
    }),
  ],
  fields: { screen_name: 'handle', id: 'did', verified: 'verification.verifiedStatus', account_creation_date: 'createdAt' },
  texts: { display_name: 'displayName', bio: 'description', website: 'website', profile_image_url: 'avatar' },
  absent: { display_name: '', bio: '', website: null, profile_image_url: '' },
});

describe('a Bluesky profile', () => {
  it('leaves fields undefined that a basic view does not contain', async () => {
    const basic = { did: detailed['did'], handle: 'mira.example.org' };
    expect(await profileOf(basic)).toEqual({ screen_name: 'mira.example.org', id: detailed['did'] });
  });

  describe('of which only a profileView is known', () => {
    const { did } = detailed;
    const profile = { screen_name: 'mira.example.org', id: did };
    const empty = { ...profile, display_name: '', bio: '', profile_image_url: '', website: undefined };

    it.each<[string, object]>([
      ['with indexedAt', { did, handle: 'mira.example.org', indexedAt: '2024-05-01T00:00:00Z' }],
      ['as the creator of a list', { uri: 'at://x', purpose: 'modlist', creator: { did, handle: 'mira.example.org' } }],
    ])('has an empty bio if it lacks one: %s', async (_, value) => {
      expect(await profileOf(value)).toMatchObject(empty);
      expect(await profileOf({ ...value, observed_at: '2024-05-01T00:00:00Z' })).toMatchObject(empty);
    });
  });

  it.each<[unknown, boolean | null | undefined]>([
    [{ verifiedStatus: 'valid' }, true],
    [{ verifiedStatus: 'invalid' }, false],
    [{ verifiedStatus: 'none' }, false],
    [{ verifiedStatus: 'some later word' }, false],
    ...[null, undefined].map((verification): [unknown, null] => [verification, null]),
    ...[{ verifiedStatus: null }, {}, 7, []].map((verification): [unknown, undefined] => [verification, undefined]),
  ])('with the verification %j gives verified %j', async (verification, verified) => {
    expect((await profileOf(changed(detailed, ['verification'], verification)))?.verified).toBe(verified);
  });

  it('has no handle if it has the placeholder for handles that do not resolve', async () => {
    const { screen_name: _, ...rest } = (await profileOf(detailed)) ?? {};
    expect(await profileOf({ ...detailed, handle: 'handle.invalid' })).toEqual({ ...rest, screen_name: undefined });
  });
});
