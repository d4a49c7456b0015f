import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { errorIn, profileOf, readValues } from './reading.ts';

const whole = fixture('twitter-v2');

describeFormat({
  name: 'twitter-v2',
  observations: [
    observation({
      ...MIRA,
      bio: 'Maps of rivers & roads. Shop: https://shop.example.org/',
      profile_image_url: 'https://images.example.org/mira_normal.png',
    }),
  ],
  fields: { screen_name: 'username', id: 'id', verified: 'verified', account_creation_date: 'created_at' },
  texts: { bio: 'description', location: 'location', profile_image_url: 'profile_image_url' },
  absent: { bio: '', location: '' },
});

describe('a user of the Twitter API 2', () => {
  it('leaves fields undefined that were not requested', async () => {
    const asked = { id: '501', name: 'Tove', username: 'tove_lind' };
    expect(await profileOf(asked)).toEqual({ screen_name: 'tove_lind', id: '501', display_name: 'Tove' });
  });

  it('has no website if url is missing', async () => {
    const { url: _, entities: __, ...bare } = whole;
    expect(await profileOf(bare)).toMatchObject({ website: null });
  });

  it('is not unescaped, because this API does not escape', async () => {
    expect(await profileOf({ ...whole, name: 'A &amp; B' }, { unescape: true })).toMatchObject({ display_name: 'A &amp; B' });
  });

  it.each([undefined, 'twitter-v2' as const])('is read from every kind of response (from %s)', async (from) => {
    const status = { id: '1', text: 'Hello', author_id: '501' };
    const found = await readValues(
      [
        { data: whole },
        { data: [whole, whole], meta: { result_count: 2 } },
        { data: status, includes: { users: [whole] }, matching_rules: [] },
        { data: [status], includes: { users: [whole, 7] } },
        { meta: { result_count: 0 } },
      ],
      { from },
    );
    expect(found.map(({ kind, place }) => [kind, place.line, place.field])).toEqual([
      ['observation', 1, 'data'],
      ['observation', 2, 'data[0]'],
      ['observation', 2, 'data[1]'],
      ['observation', 3, 'includes.users[0]'],
      ['observation', 4, 'includes.users[0]'],
      ['error', 4, 'includes.users[1]'],
    ]);
  });

  it.each([{ data: [] }, { data: { id: '1', text: 'Hello' } }, { data: null }, { includes: { users: {} } }, { data: ['x'] }])(
    'is reported as missing from %j',
    async (answer) => expect(errorIn(await readValues([answer]))).toMatchObject({ code: 'bad-field', place: { field: 'data' } }),
  );

  it('is rejected if its name is not a string', async () => {
    expect(errorIn(await readValues([changed(whole, ['name'], 7)]))).toMatchObject({ place: { field: 'name' } });
  });
});
