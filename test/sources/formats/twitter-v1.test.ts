import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, MIRA, observation } from './format-suite.ts';
import { errorIn, profileOf, readValues } from './reading.ts';

const whole = fixture('twitter-v1');

describeFormat({
  name: 'twitter-v1',
  observations: [
    observation({
      ...MIRA,
      bio: 'Maps of rivers &amp; roads. Shop: https://shop.example.org/ News: https://news.example.org/?a=1&b=2',
      profile_image_url: 'https://images.example.org/mira_normal.png',
    }),
  ],
  fields: { screen_name: 'screen_name', id: 'id_str', verified: 'verified', account_creation_date: 'created_at' },
  texts: { display_name: 'name', bio: 'description', location: 'location', profile_image_url: 'profile_image_url_https' },
  absent: { display_name: '', bio: '', location: '' },
});

describe('a user of the Twitter API 1.1', () => {
  it.each([
    [null, 'https://t.co/QwErTy5678'],
    ['', 'https://t.co/QwErTy5678'],
    [undefined, 'https://t.co/QwErTy5678'],
  ])('keeps its short link as website if the expanded URL is %j', async (expanded, website) => {
    expect(await profileOf(changed(whole, ['entities', 'url', 'urls', 0, 'expanded_url'], expanded))).toMatchObject({ website });
  });

  it('has expanded links in its bio, whatever the letter case of their scheme and host', async () => {
    const [url, expanded_url] = ['HTTPS://T.co/AbCdEf1234', 'https://shop.example.org/'];
    const entities = { description: { urls: [{ url, expanded_url }] } };
    expect(await profileOf({ ...whole, description: `Shop: ${url}`, entities })).toMatchObject({ bio: `Shop: ${expanded_url}` });
  });

  it.each([
    [undefined, null],
    [null, null],
    ['', ''],
  ])('has no website if its url is %j', async (url, website) => {
    const { entities: _, ...bare } = whole;
    expect(await profileOf(changed({ ...bare }, ['url'], url))).toMatchObject({ website });
  });

  it.each([5, [], {}, { url: 7, description: { urls: 'x' } }, { url: { urls: [null] }, description: { urls: [null, 7] } }])(
    'is read without expanded links if its entities are %j',
    async (entities) => {
      expect(await profileOf({ ...whole, entities })).toMatchObject({
        website: 'https://t.co/QwErTy5678',
        bio: 'Maps of rivers &amp; roads. Shop: https://t.co/AbCdEf1234 News: https://t.co/AbCdEf12',
      });
    },
  );

  it('is unescaped once, and only on request', async () => {
    const value = { ...whole, name: 'A &amp;lt; B &quot;&#39;&gt;', location: '&amp; &nbsp;', description: '&lt;3 https://t.co/AbCdEf12' };
    expect(await profileOf(value)).toMatchObject({ display_name: value.name, location: value.location });
    expect(await profileOf(value, { unescape: true })).toMatchObject({
      display_name: 'A &lt; B "\'>',
      location: '& &nbsp;',
      bio: '<3 https://news.example.org/?a=1&b=2',
    });
  });

  it('is identified by an exact id only if id_str is missing', async () => {
    const { id_str: _, ...bare } = whole;
    expect(await profileOf({ ...bare, id: 501 })).toMatchObject({ id: '501' });
    expect(await profileOf({ ...bare, id: undefined })).toMatchObject({ screen_name: 'mira_okonjo', id: undefined });
    expect(errorIn(await readValues([bare]))).toMatchObject({ place: { field: 'id' } });
  });

  it('leaves fields undefined that a mention does not contain', async () => {
    const mention = { id: 501, id_str: '501', name: 'Tove', screen_name: 'tove_lind', indices: [0, 4] };
    expect(await profileOf(mention)).toEqual({ screen_name: 'tove_lind', id: '501', display_name: 'Tove' });
  });

  it.each(['Mon Foo 29 21:18:15 +0000 2010', 'Mon Nov 31 21:18:15 +0000 2010', 'Mon Nov 29 25:18:15 +0000 2010'])(
    'is rejected with the creation date %s',
    async (date) => expect(errorIn(await readValues([{ ...whole, created_at: date }]))).toMatchObject({ place: { field: 'created_at' } }),
  );
});
