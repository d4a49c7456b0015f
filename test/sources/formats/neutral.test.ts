import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { errorIn, NOON, observationsIn, readText, readValues } from './reading.ts';

const whole = fixture('neutral');

describeFormat({
  name: 'neutral',
  observations: [
    observation(
      { ...MIRA, bio: 'Cartographer.\nMaps of rivers & roads.', verified: false },
      {
        observed_at: 1_700_324_952_006_921,
        web_archive_url: 'https://web.archive.org/web/20231118162912/https://social.example/mira_okonjo',
      },
    ),
  ],
  fields: { screen_name: 'screen_name', id: 'id', verified: 'verified', account_creation_date: 'account_creation_date' },
  texts: {
    display_name: 'display_name',
    bio: 'bio',
    location: 'location',
    website: 'website',
    profile_image_url: 'profile_image_url',
  },
  isTimed: true,
  isStrict: true,
  hasOptionalHandle: true,
});

describe('a neutral snapshot', () => {
  it('requires only a time and a handle', async () => {
    const least = { observed_at: '2023-11-18T16:29:12Z', screen_name: 'mira' };
    expect(observationsIn(await readValues([least]))).toEqual([
      {
        observed_at: 1_700_324_952_000_000,
        web_archive_url: null,
        profile: { screen_name: 'mira' },
        former_names: [],
      },
    ]);
  });

  it('is one observation for each of its times', async () => {
    const [first = expect.unreachable()] = observationsIn(await readValues([whole]));
    const also_observed_at = ['2023-11-19T00:00:00.000001Z', '2023-11-18T23:30:00-01:00'];
    const found = observationsIn(await readValues([{ ...whole, also_observed_at }, whole]));
    expect(found).toEqual(
      [1_700_324_952_006_921, 1_700_352_000_000_001, 1_700_353_800_000_000, 1_700_324_952_006_921].map((observed_at) => ({
        ...first,
        observed_at,
      })),
    );
    expect(errorIn(await readValues([{ ...whole, also_observed_at: ['2023-11-19T00:00:00Z', 'never'] }])).place.field).toBe(
      'also_observed_at[1]',
    );
    const many = (length: number) => readValues([{ ...whole, also_observed_at: Array(length).fill('2023-11-19T00:00:00Z') }]);
    expect(await many(1000)).toHaveLength(1001);
    expect(errorIn(await many(1001))).toMatchObject({ place: { field: 'also_observed_at' }, found: 'an array of 1001' });
    expect(errorIn(await readValues([{ ...whole, also_observed_at: null }])).place.field).toBe('also_observed_at');
  });

  it('may have the former names of the account', async () => {
    expect(observationsIn(await readValues([{ ...whole, former_names: ['mira', 'Mira_O'] }]))).toMatchObject([
      { former_names: ['mira', 'Mira_O'] },
    ]);
    expect(errorIn(await readValues([{ ...whole, former_names: ['mira', ''] }])).place.field).toBe('former_names[1]');
  });

  it('has the time of --observed-at if it contains no time', async () => {
    const { observed_at: _, ...timeless } = whole;
    for (const from of [undefined, 'neutral'] as const) {
      expect(observationsIn(await readValues([timeless, whole], { from })).map(({ observed_at }) => observed_at)).toEqual([
        NOON,
        1_700_324_952_006_921,
      ]);
      expect(errorIn(await readValues([timeless], { from, observedAt: undefined })).hint).toContain('--observed-at');
    }
  });

  it.each(['display_name', 'bio', 'website', 'account_creation_date', 'web_archive_url'])(
    'is recognized without a time by the field %s',
    async (field) => {
      const timeless = [{ screen_name: 'mira', [field]: whole[field] }];
      expect(observationsIn(await readValues(timeless))).toMatchObject([{ observed_at: NOON }]);
      expect(await readValues(timeless)).toEqual(await readValues(timeless, { from: 'neutral' }));
    },
  );

  it('may lack the handle if it has an id', async () => {
    const nameless = changed(whole, ['screen_name'], undefined);
    expect(observationsIn(await readValues([nameless]))).toMatchObject([{ profile: { screen_name: undefined, id: whole['id'] } }]);
    expect(errorIn(await readValues([changed(nameless, ['id'], undefined)]))).toMatchObject({ place: { field: 'screen_name' } });
  });

  it.each([null, '', 'today', '2023-11-18T16:29:12', 1_700_324_952, '1969-12-31T23:59:59Z'])(
    'is rejected with the time %j',
    async (time) => {
      expect(errorIn(await readValues([changed(whole, ['observed_at'], time)]))).toMatchObject({ place: { field: 'observed_at' } });
    },
  );

  it('is rejected with an unknown field, and the error names it', async () => {
    expect(errorIn(await readValues([{ ...whole, biography: 'x' }]))).toMatchObject({ place: { field: 'biography' } });
    expect(errorIn(await readText('{"observed_at":"2023-11-18T16:29:12Z","screen_name":"m","__proto__":1}'))).toMatchObject({
      place: { field: '__proto__' },
    });
  });

  it.each([
    ['172', '172'],
    [172, '172'],
    [0, '0'],
    [9007199254740991, '9007199254740991'],
    ['', undefined],
    [null, undefined],
  ])('has its id %j read as %j', async (id, expected) => {
    expect(observationsIn(await readValues([changed(whole, ['id'], id)]))[0]?.profile.id).toBe(expected);
  });

  it.each([1.5, 9007199254740992, -1, true])('is rejected with the id %j, with the hint to write a string', async (id) => {
    const inputError = errorIn(await readValues([changed(whole, ['id'], id)]));
    expect(inputError).toMatchObject({ place: { field: 'id' }, hint: expect.stringContaining('write ids as strings') });
  });

  it.each(['', null])('keeps the archive URL %j unchanged', async (url) => {
    expect(observationsIn(await readValues([changed(whole, ['web_archive_url'], url)]))[0]?.web_archive_url).toBe(url);
  });

  it.each(['web.archive.org', 'javascript:alert(1)', 'java\nscript:x', 'java\0script:x', ' https://a.example/', 'https://', 7])(
    'is rejected with the archive or image URL %j',
    async (url) => {
      for (const field of ['web_archive_url', 'profile_image_url']) {
        const inputError = errorIn(await readValues([changed(whole, [field], url)]));
        expect(inputError).toMatchObject({ place: { field }, expected: 'an http or https URL, "" or null' });
      }
    },
  );
});
