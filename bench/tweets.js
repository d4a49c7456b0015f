// Writes generated tweets of the Twitter stream as NDJSON to standard output:
//   node bench/tweets.js TWEETS ACCOUNTS
// The same arguments give the same bytes. A tweet has about 3,500 bytes with its retweet, as in 2017. One in three is a retweet, one in
// seven lines is a notice. Counters differ in every user, so no two lines are equal. One user in two hundred has a changed bio.
// cspell:ignore favourites favorited DDEEF
import { once } from 'node:events';
import { numbers } from './numbers.js';

const [tweets = 1000, accounts = 1000] = process.argv.slice(2).map(Number);
const WORDS =
  'engineer father of two dogs lover of coffee and mountains opinions my own writing about #climate with @someone 日本語 🌹 from Leeds'.split(
    ' ',
  );
const START = Date.UTC(2017, 0, 1);
const below = numbers(3);
const words = (count) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');
const bios = Array.from({ length: accounts }, () => words(14));

const dateOf = (time) => {
  const [, day, month, date, hours] = /^(\w+), (\d+) (\w+) \d+ ([\d:]+)/.exec(new Date(time).toUTCString()).map(String).concat('') ?? [];
  return `${day} ${date} ${month} ${hours} +0000 2017`;
};

function user(index) {
  if (below(200) === 0) bios[index] = words(14);
  const image = `http://pbs.twimg.com/profile_images/${700_000_000 + index}/normal.jpg`;
  return {
    id: 1_000_000 + index,
    id_str: String(1_000_000 + index),
    name: `User Number ${index}`,
    screen_name: `user_${index}`,
    location: 'Leeds, England',
    url: index % 3 === 0 ? `http://example.org/u/${index}` : null,
    description: bios[index],
    protected: false,
    verified: index % 50 === 0,
    followers_count: below(100_000),
    friends_count: below(1000),
    listed_count: below(100),
    favourites_count: below(10_000),
    statuses_count: below(100_000),
    created_at: 'Mon Nov 29 21:18:15 +0000 2010',
    utc_offset: null,
    time_zone: null,
    geo_enabled: true,
    lang: 'en',
    contributors_enabled: false,
    is_translator: false,
    profile_background_color: 'F5F8FA',
    profile_background_image_url: '',
    profile_background_image_url_https: '',
    profile_background_tile: false,
    profile_link_color: '1DA1F2',
    profile_sidebar_border_color: 'C0DEED',
    profile_sidebar_fill_color: 'DDEEF6',
    profile_text_color: '333333',
    profile_use_background_image: true,
    profile_image_url: image,
    profile_image_url_https: image.replace('http:', 'https:'),
    profile_banner_url: `https://pbs.twimg.com/profile_banners/${1_000_000 + index}/1480000000`,
    default_profile: true,
    default_profile_image: false,
    following: null,
    follow_request_sent: null,
    notifications: null,
  };
}

function tweet(index, time, depth) {
  const id = String(820_000_000_000_000_000n + BigInt(index));
  return {
    created_at: dateOf(time),
    id: Number(820_000_000_000 + index),
    id_str: id,
    text: words(12),
    source: '<a href="http://twitter.com/download/iphone" rel="nofollow">Twitter for iPhone</a>',
    truncated: false,
    in_reply_to_status_id: null,
    in_reply_to_status_id_str: null,
    in_reply_to_user_id: null,
    in_reply_to_user_id_str: null,
    in_reply_to_screen_name: null,
    user: user(below(accounts)),
    geo: null,
    coordinates: null,
    place: null,
    contributors: null,
    ...(depth === 0 && below(3) === 0 ? { retweeted_status: tweet(index - below(1000), time - 60_000, 1) } : {}),
    is_quote_status: false,
    retweet_count: 0,
    favorite_count: 0,
    entities: {
      hashtags: [{ text: 'climate', indices: [10, 18] }],
      urls: [],
      user_mentions: [{ screen_name: 'someone', name: 'Some One', id: 12, id_str: '12', indices: [3, 11] }],
      symbols: [],
    },
    favorited: false,
    retweeted: false,
    filter_level: 'low',
    lang: 'en',
    ...(depth === 0 ? { timestamp_ms: String(time) } : {}),
  };
}

for (let index = 0; index < tweets; index += 1) {
  const time = START + index * 20;
  const notice = { delete: { status: { id: index, id_str: String(index), user_id: 5, user_id_str: '5' }, timestamp_ms: String(time) } };
  const line = JSON.stringify(below(7) === 0 ? notice : tweet(index, time, 0));
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
