import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { errorIn, NOON, observationsIn, readValues } from './reading.ts';

const archive = fixture('twitter-archive');

describeFormat({
  name: 'twitter-archive',
  observations: [
    observation(
      { ...MIRA, bio: 'Maps of rivers & roads. https://t.co/AbCdEf1234', website: 'https://t.co/QwErTy5678' },
      { observed_at: 1_667_629_987_558_000, former_names: ['mira_maps', 'mapmira'] },
    ),
  ],
  fields: {
    screen_name: 'account.username',
    id: 'account.accountId',
    verified: 'verified.verified',
    account_creation_date: 'account.createdAt',
  },
  texts: {
    display_name: 'account.accountDisplayName',
    bio: 'profile.description.bio',
    location: 'profile.description.location',
    website: 'profile.description.website',
    profile_image_url: 'profile.avatarMediaUrl',
  },
  absent: { bio: '', location: '', website: null },
  keysOf: ([file = '', ...path]) => [file, 0, file, ...path],
  isTimed: true,
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
