import { bluesky } from './bluesky.ts';
import type { SnapshotFormat } from './format.ts';
import { mastodon } from './mastodon.ts';
import { neutral } from './neutral.ts';
import { twitterArchive } from './twitter-archive.ts';
import { twitterStream } from './twitter-stream.ts';
import { twitterV1 } from './twitter-v1.ts';
import { twitterV2 } from './twitter-v2.ts';

const ALL = [neutral, twitterV1, twitterStream, twitterV2, twitterArchive, mastodon, bluesky] as const;

export type FormatName = (typeof ALL)[number]['name'];

/** All formats, in the order in which they are tried. The first that recognizes a value reads it. */
export const FORMATS: readonly SnapshotFormat[] = ALL;

export const FORMAT_NAMES: readonly FormatName[] = ALL.map(({ name }) => name);
