import { expect, it } from 'vitest';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { networkOf } from '../../src/diff/networks.ts';
import { linksIn } from './browser.ts';

const twitter = { screen_name: 'nina_k', id: '501' };
const bluesky = { screen_name: 'nina.example', id: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz' };
const mastodon = { screen_name: 'nina@social.example:8443', id: '501@social.example:8443' };
const withoutHandle = { screen_name: undefined, id: mastodon.id };

it.each([
  ['@jack, @jack.example', twitter, ['https://twitter.com/jack', 'https://twitter.com/jack']],
  ['@jack #naïve', { screen_name: 'n', id: undefined }, ['https://twitter.com/jack', 'https://twitter.com/search?q=%23na%C3%AFve']],
  [
    '(@name.example.zone), @Jack.bsky.social.',
    bluesky,
    ['https://bsky.app/profile/name.example.zone', 'https://bsky.app/profile/Jack.bsky.social'],
  ],
  ['@name.example.zone', { screen_name: 'nina.bsky.example', id: undefined }, ['https://bsky.app/profile/name.example.zone']],
  ['@jack @1.2 @a_b.example me@x.example @x.example@y.example @-', bluesky, []],
  ['#naïve', { ...bluesky, screen_name: undefined }, ['https://bsky.app/hashtag/na%C3%AFve']],
  ['@jack@other.example @a.b-c@x.y.example.', mastodon, ['https://other.example/@jack', 'https://x.y.example/@a.b-c']],
  ['@jack, #naïve', mastodon, ['https://social.example:8443/@jack', 'https://social.example:8443/tags/na%C3%AFve']],
  ['@jack #x', withoutHandle, ['https://social.example:8443/@jack', 'https://social.example:8443/tags/x']],
  ['@jack@例.example', mastodon, ['https://%E4%BE%8B.example/@jack']],
  ['@jack@1.2.3.400 @jack@localhost @jack@x@y.example jack@x.example', mastodon, []],
  ['@jack', { screen_name: 'a@b@c.example', id: undefined }, ['https://twitter.com/jack']],
  ['@jack', { screen_name: 'a@b.example/c', id: undefined }, ['https://twitter.com/jack']],
])('links the mentions and hashtags in %j as the service of %j does', (text, keys, expected) => {
  for (const html of [diffHtml('Bio', undefined, text, networkOf(keys)), diffHtml('Name', 'x', text, networkOf(keys))]) {
    expect(linksIn(html)).toEqual(expected);
  }
});

it('replaces the templates of each service by others', () => {
  const mention_url = "https://social.example/@{}?a=1&b='2'";
  const html = (keys: typeof twitter, text: string) => diffHtml('Bio', undefined, text, networkOf(keys, { mention_url }));
  expect(html(twitter, '@jack #$& #x')).toBe(
    '<ins style="background:#e6ffe6;"><a href="https://social.example/@jack?a=1&amp;b=&#39;2&#39;">@jack</a> #$&amp; ' +
      '<a href="https://twitter.com/search?q=%23x">#x</a></ins>',
  );
  expect(linksIn(html(mastodon, '@jack@x.example'))).toEqual(["https://social.example/@jack%40x.example?a=1&b='2'"]);
  expect(linksIn(diffHtml('Bio', undefined, '#x', networkOf(bluesky, { hashtag_url: 'https://h.example/{}/{}' })))).toEqual([
    'https://h.example/x/x',
  ]);
});

it('only a service with servers has one', () => {
  const [none, named] = ['https://x.example/{server}', 'https://x.example/{server}/{user}'];
  for (const keys of [twitter, bluesky, { screen_name: undefined, id: undefined }]) {
    const html = diffHtml('Bio', undefined, '@nina.example #x', networkOf(keys, { mention_url: none, hashtag_url: named }));
    expect(linksIn(html)).toEqual(['https://x.example/', 'https://x.example//']);
  }
  expect(networkOf({ screen_name: undefined, id: undefined }).server).toBe('');
});
