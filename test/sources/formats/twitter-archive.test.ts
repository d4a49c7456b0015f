import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture } from './format-suite.ts';
import { errorIn, NOON, observationsIn, readValues } from './reading.ts';

const archive = fixture('twitter-archive');

describeFormat({
  name: 'twitter-archive',
  observations: [
    {
      observed_at: 1_667_629_987_558_000,
      web_archive_url: null,
      profile: {
        screen_name: 'mira_okonjo',
        id: '878301212025782272',
        display_name: 'Mira Okonjo 🌿',
        bio: 'Maps of rivers & roads. https://t.co/AbCdEf1234',
        location: 'Port Vell',
        website: 'https://t.co/QwErTy5678',
        verified: true,
        profile_image_url: 'https://images.example.org/mira.png',
        account_creation_date: '2010-11-29T21:18:15Z',
      },
      former_names: ['mira_maps', 'mapmira'],
    },
  ],
  fields: {
    screen_name: { keys: ['account', 0, 'account', 'username'], path: 'account.username' },
    id: { keys: ['account', 0, 'account', 'accountId'], path: 'account.accountId' },
    display_name: { keys: ['account', 0, 'account', 'accountDisplayName'], path: 'account.accountDisplayName' },
    bio: { keys: ['profile', 0, 'profile', 'description', 'bio'], path: 'profile.description.bio', absent: '' },
    location: { keys: ['profile', 0, 'profile', 'description', 'location'], path: 'profile.description.location', absent: '' },
    website: { keys: ['profile', 0, 'profile', 'description', 'website'], path: 'profile.description.website', absent: null },
    verified: { keys: ['verified', 0, 'verified', 'verified'], path: 'verified.verified' },
    profile_image_url: { keys: ['profile', 0, 'profile', 'avatarMediaUrl'], path: 'profile.avatarMediaUrl' },
    account_creation_date: { keys: ['account', 0, 'account', 'createdAt'], path: 'account.createdAt' },
  },
  isTimed: true,
  isStrict: false,
});

describe('the account of a Twitter archive', () => {
  it('has the time of the archive, or of --observed-at', async () => {
    const { manifest: _, ...bare } = archive;
    expect(observationsIn(await readValues([bare]))).toMatchObject([{ observed_at: NOON }]);
    expect(errorIn(await readValues([bare], { observedAt: undefined })).hint).toContain('--observed-at');
    const broken = changed(archive, ['manifest', 'archiveInfo', 'generationDate'], 'lately');
    expect(errorIn(await readValues([broken]))).toMatchObject({ place: { field: 'manifest.archiveInfo.generationDate' } });
  });

  it('has each former handle once, without the current one', async () => {
    const change = (from: unknown) => ({ screenNameChange: { screenNameChange: { changedFrom: from } } });
    const names = ['a', 'b', 'mira_okonjo', 'a'];
    const found = await readValues([{ ...archive, 'screen-name-change': names.map(change) }]);
    expect(observationsIn(found)).toMatchObject([{ former_names: ['a', 'b'] }]);
    expect(errorIn(await readValues([{ ...archive, 'screen-name-change': [change(7)] }]))).toMatchObject({
      place: { field: 'screen-name-change[0].changedFrom' },
    });
  });
});
