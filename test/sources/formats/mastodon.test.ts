import { describe, expect, it } from 'vitest';
import { changed, describeFormat, fixture, observation } from './format-suite.ts';
import { errorIn, observationsIn, profileOf, readValues } from './reading.ts';

const account = fixture('mastodon');

describeFormat({
  name: 'mastodon',
  observations: [
    observation({
      screen_name: 'mira@town.example',
      id: '109349320508690443@town.example',
      display_name: 'Mira Okonjo :map:',
      bio: 'Maps of rivers & roads.\nMade by hand, see https://shop.example.org/maps/of/rivers/and/roads\n\nWith @tove for #rivers',
      location: undefined,
      website: undefined,
      verified: undefined,
      profile_image_url: 'https://files.town.example/accounts/avatars/mira.png',
      account_creation_date: '2022-11-15T00:00:00Z',
    }),
  ],
  fields: { screen_name: 'acct', id: 'id', account_creation_date: 'created_at' },
  texts: { display_name: 'display_name', bio: 'note', profile_image_url: 'avatar' },
});

describe('a Mastodon account', () => {
  it('has its server in its handle if it belongs to another server', async () => {
    expect(await profileOf({ ...account, acct: 'tove@hill.example', url: 'https://www.hill.example/@tove' })).toMatchObject({
      screen_name: 'tove@hill.example',
      id: '109349320508690443@hill.example',
    });
  });

  it.each([undefined, null, '', '/@mira', 'mailto:mira@town.example', 7])(
    'is rejected as a local account with the profile URL %j',
    async (url) => {
      expect(errorIn(await readValues([changed(account, ['url'], url)]))).toMatchObject({ place: { field: 'url' } });
    },
  );

  it.each([
    ['', ''],
    ['<p></p>', ''],
    ['plain & simple\n text', 'plain & simple text'],
    ['<p>a</p><p>b</p>', 'a\n\nb'],
    ['<p>a<br>b<br/><br />c</p>', 'a\nb\n\nc'],
    ['<br><p>a</p><br>', 'a'],
    ['<p> a <b> b</b>\n<i>c </i></p> <p>d</p>', 'a b c\n\nd'],
    ['a&nbsp;b&#x1F33F;&lt;br&gt;&eacute;&bogus;', 'a\u00a0b🌿<br>é&bogus;'],
    ['<ul><li>a</li><li>b</li></ul><blockquote>c</blockquote>d', 'a\nb\n\nc\n\nd'],
    ['a<script>alert(1)</script><style>p{}</style><!-- x -->b', 'ab'],
    ['<p>a<p>b</i></p></p><div>c', 'a\n\nb\n\nc'],
    ['&#0;a&#xD800;', '\ufffda\ufffd'],
    ['a<script><p>b</script>c<style>d', 'ac'],
  ])('converts the note %j to %j', async (note, bio) => {
    expect(await profileOf({ ...account, note })).toMatchObject({ bio });
  });

  it.each(['<b id=N>', '<font color=N><table><tr><td>', '<ul><li>', '<script>', '&amp', '<select><option>', '<a N=N ', ' N=N'])(
    'reads a note of the greatest length that repeats %s',
    async (part) => {
      let note = '<b';
      for (let number = 0; note.length < 100_000; number += 1) note += part.replaceAll('N', `x${number}`);
      expect(observationsIn(await readValues([{ ...account, note: note.slice(0, 100_000) }]))).toHaveLength(1);
    },
  );

  it('is rejected with a longer note', async () => {
    expect(errorIn(await readValues([{ ...account, note: 'a'.repeat(100_001) }]))).toMatchObject({ place: { field: 'note' } });
  });
});
