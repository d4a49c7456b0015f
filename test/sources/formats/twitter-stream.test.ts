import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { errorIn, NOON, observationsIn, readValues } from './reading.ts';

const tweet = fixture('twitter-stream');
const DELIVERED = 1_358_090_018_657_000;

const UNSET = { location: '', website: null, verified: false };

describeFormat({
  name: 'twitter-stream',
  observations: [
    { ...MIRA, bio: 'Maps of rivers &amp; roads.', profile_image_url: 'https://images.example.org/mira_normal.png' },
    {
      ...UNSET,
      screen_name: 'tove_lind',
      id: '501',
      display_name: 'Tove Lind',
      bio: '',
      profile_image_url: 'https://images.example.org/tove_normal.png',
      account_creation_date: '2011-02-01T08:00:00Z',
    },
    {
      ...UNSET,
      screen_name: 'harbour_office',
      id: '502',
      display_name: 'Harbour Office',
      bio: 'Notices',
      profile_image_url: 'https://images.example.org/harbour_normal.png',
      account_creation_date: '2011-03-02T08:00:00Z',
    },
  ].map((profile) => observation(profile, { observed_at: DELIVERED })),
  fields: { screen_name: 'user.screen_name', id: 'user.id_str', verified: 'user.verified', account_creation_date: 'user.created_at' },
  texts: {
    display_name: 'user.name',
    bio: 'user.description',
    location: 'user.location',
    website: 'user.url',
    profile_image_url: 'user.profile_image_url_https',
  },
  absent: { display_name: '', bio: '', location: '', website: null },
  isTimed: true,
});

describe('a tweet of the stream', () => {
  it.each([
    ['1358090018657', DELIVERED],
    [1358090018657, DELIVERED],
    [undefined, 1_358_090_018_000_000],
  ])('with timestamp_ms %j has the time %d', async (timestamp, instant) => {
    const observations = observationsIn(await readValues([changed(tweet, ['timestamp_ms'], timestamp)]));
    expect(observations.map(({ observed_at }) => observed_at)).toEqual([instant, instant, instant]);
  });

  it('requires --observed-at if it has no time', async () => {
    const { timestamp_ms: _, created_at: __, ...timeless } = tweet;
    expect(observationsIn(await readValues([timeless]))[0]?.observed_at).toBe(NOON);
    const found = await readValues([timeless], { observedAt: undefined });
    expect(found.map((item) => item.kind === 'error' && item.hint)).toEqual(Array(3).fill(expect.stringContaining('--observed-at')));
  });

  it.each([
    ['timestamp_ms', 'soon'],
    ['timestamp_ms', 1e300],
    ['timestamp_ms', -1],
    ['timestamp_ms', null],
    ['timestamp_ms', '12345678901234567890'],
  ])('is rejected with %s %j', async (field, value) => {
    expect(errorIn(await readValues([changed(tweet, [field], value)]))).toMatchObject({ place: { field } });
  });

  it.each(['delete', 'scrub_geo', 'limit', 'status_withheld', 'user_withheld', 'disconnect', 'warning'])(
    'is read after a %s notice, which is ignored',
    async (notice) => {
      const found = await readValues([{ [notice]: { status: { id_str: '1', user_id_str: '2' } } }, tweet]);
      expect(observationsIn(found)).toHaveLength(3);
      expect(observationsIn(await readValues([{ [notice]: {} }], { from: 'twitter-stream' }))).toEqual([]);
    },
  );

  it('gives the other profiles if one is broken', async () => {
    const found = await readValues([changed(tweet, ['retweeted_status', 'user', 'screen_name'], 7)]);
    expect(found.map(({ kind }) => kind)).toEqual(['observation', 'error', 'observation']);
    expect(found[1]?.place).toEqual({ file: 'snapshots', line: 1, field: 'retweeted_status.user.screen_name' });
  });

  it('is rejected if tweets are nested too deeply', async () => {
    let deep: object = tweet;
    for (let depth = 0; depth < 1000; depth += 1) deep = { ...tweet, quoted_status: deep };
    expect(errorIn(await readValues([deep])).expected).toContain('nested tweets');
  });
});
