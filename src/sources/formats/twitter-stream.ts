import { type Instant, instantOfMilliseconds, parseInstant } from '../../contract/instant.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, Violation } from '../../contract/json-shape.ts';
import type { JsonObject, Snapshot, SnapshotFormat } from './format.ts';
import { isoOf, twitterV1 } from './twitter-v1.ts';

/** Tweets from the Twitter stream. Each contains snapshots of its author and of the authors that it retweets or quotes. */
export const twitterStream: SnapshotFormat<'twitter-stream'> = {
  name: 'twitter-stream',
  title: 'a tweet of the Twitter stream (with user)',
  singleName: 'twitter-v1',
  recognizes: (value) => 'user' in value || isNotice(value),
  snapshotsIn: usersOf,
  observe: twitterV1.observe,
};

/** The keys of the messages in a stream that are not tweets. */
const NOTICES: ReadonlySet<string> = new Set([
  'delete',
  'scrub_geo',
  'limit',
  'status_withheld',
  'user_withheld',
  'disconnect',
  'warning',
  'friends',
  'friends_str',
  'event',
  'control',
]);

function isNotice(value: JsonObject): boolean {
  for (const key in value) return NOTICES.has(key);
  return false;
}

/** How deep tweets may be nested. Twitter nests a quoted tweet in a retweeted one, and no deeper. */
const MAX_DEPTH = 4;

/** Returns all users of a tweet. Their time is the time of the outermost tweet: for a retweet, the time of the retweet. */
function usersOf(tweet: JsonObject, path: string): readonly Snapshot[] {
  if (!('user' in tweet) && isNotice(tweet)) return [];
  const users: Snapshot[] = [];
  addUsers(users, tweet, path, instantOfTweet(tweet, path), MAX_DEPTH);
  return users;
}

function addUsers(users: Snapshot[], tweet: JsonObject, path: string, observedAt: Instant | undefined, depthLeft: number): void {
  if (depthLeft === 0) throw new Violation(path, `at most ${MAX_DEPTH} nested tweets`, 'more');
  users.push({ value: tweet['user'], path: at(path, 'user'), observedAt });
  for (const field of ['retweeted_status', 'quoted_status']) {
    const inner = tweet[field];
    if (isObject(inner)) addUsers(users, inner, at(path, field), observedAt, depthLeft - 1);
  }
}

/** Returns the time of a tweet. Tweets before 2014 have no timestamp_ms. */
function instantOfTweet(tweet: JsonObject, path: string): Instant | undefined {
  const field = tweet['timestamp_ms'] === undefined ? 'created_at' : 'timestamp_ms';
  const found = tweet[field];
  if (found === undefined) return undefined;
  const instant = field === 'timestamp_ms' ? instantOfCount(found) : instantOfText(isoOf(found));
  if (instant !== undefined) return instant;
  const expected = field === 'timestamp_ms' ? 'milliseconds since 1970' : 'a time such as "Mon Nov 29 21:18:15 +0000 2010"';
  throw new Violation(at(path, field), expected, show(found));
}

function instantOfCount(found: unknown): Instant | undefined {
  const isCount = typeof found === 'number' || (typeof found === 'string' && /^\d{1,16}$/.test(found));
  return isCount ? instantOfMilliseconds(Number(found)) : undefined;
}

function instantOfText(found: unknown): Instant | undefined {
  return typeof found === 'string' ? parseInstant(found) : undefined;
}
