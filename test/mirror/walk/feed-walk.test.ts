import { describe, expect, it } from 'vitest';
import type { UnreadPage } from '../../../src/mirror/page-reader.ts';
import {
  afterFeedPage,
  afterFeedRetry,
  afterFeedUnread,
  type FeedPage,
  type FeedTally,
  type FeedWalk,
  startFeedWalk,
  withoutUnread,
} from '../../../src/mirror/walk/feed-walk.ts';
import type { Gap } from '../../../src/mirror/walk/gaps.ts';

const START = startFeedWalk(null, 0);
/** After two of five pages with ten records each. */
const WALK: FeedWalk = { ...START, page: 3, newest: 100, top: 100, frontier: 81, lastPage: 2, count: 50 };
const PAGE: FeedPage = { number: 3, count: 50, hasNext: true, pages: 5, highest: 80, lowest: 71, isOrdered: true };
const TALLY: FeedTally = { known: 30, onPages: 30 };
const FIRST: Partial<FeedPage> = { number: 1, highest: 100, lowest: 91 };
const LAST: Partial<FeedPage> = { number: 5, hasNext: false, highest: 60, lowest: 51 };
const BEFORE_LAST: Partial<FeedWalk> = { page: 5, lastPage: 4, frontier: 61 };
const ALL: Partial<FeedTally> = { known: 50 };
const AFTER: Partial<FeedWalk> = { page: 4, lastPage: 3, frontier: 71 };
const UNREAD: Gap = { page: 3, reason: 'status 500', newer: 81, older: null };
const SKIPPED: Gap = { page: 2, reason: null, newer: 91, older: 90 };

type Case = readonly [string, Partial<FeedWalk>, Partial<FeedPage>, Partial<FeedTally>, Partial<FeedWalk>];
const round2 = (walk: Partial<FeedWalk> = {}): FeedWalk => ({ ...START, round: 2, ...walk });
const ended = (walk: Partial<FeedWalk>): Partial<FeedWalk> => ({
  page: 6,
  lastPage: 5,
  frontier: 51,
  state: 'complete',
  watermark: 100,
  ...walk,
});

describe('a walk through the feed', () => {
  it.each<Case>([
    ['reads the next page', {}, {}, {}, AFTER],
    ['begins with page 1', START, FIRST, {}, { page: 2, lastPage: 1, newest: 100, top: 100, frontier: 91, count: 50 }],
    ['sees a page again that has records of the page before', {}, { count: 49, highest: 81 }, {}, { ...AFTER, count: 49, isSteady: false }],
    ['sees that the count changes', {}, { count: 51 }, {}, { ...AFTER, count: 51, isSteady: false }],
    ['sees that the count was not steady before', { isSteady: false }, {}, {}, AFTER],
    ['sees that records are not ordered', {}, { isOrdered: false }, {}, { ...AFTER, isOrdered: false }],
    ['sees that records were not ordered before', { isOrdered: false }, {}, {}, AFTER],
    ['keeps its place on an empty page', {}, { highest: null, lowest: null }, {}, { page: 4, lastPage: 3 }],
    ['goes back if records may have been skipped', {}, { count: 49 }, {}, { page: 2, stepsBack: 1 }],
    ['goes back if a page may have been skipped', { lastPage: 1 }, {}, {}, { page: 2, stepsBack: 1 }],
    ['goes back twenty times', { stepsBack: 19 }, { count: 49 }, {}, { page: 2, stepsBack: 20 }],
    [
      'notes a gap after that',
      { stepsBack: 20, gaps: [SKIPPED] },
      { count: 49 },
      {},
      { ...AFTER, count: 49, isSteady: false, top: 80, gaps: [SKIPPED, { page: 3, reason: null, newer: 81, older: 80 }] },
    ],
    [
      'notes the end of a page that could not be read',
      { page: 4, gaps: [SKIPPED, UNREAD] },
      { number: 4, highest: 70, lowest: 61 },
      {},
      { page: 5, lastPage: 4, frontier: 61, top: 70, gaps: [SKIPPED, { ...UNREAD, older: 70 }] },
    ],
    [
      'has the records of a page that could not be read if the next page has them',
      { page: 4, gaps: [SKIPPED, UNREAD] },
      { number: 4, highest: 81, lowest: 71 },
      {},
      { page: 5, lastPage: 4, frontier: 71, gaps: [SKIPPED] },
    ],
    [
      'goes on with page 1 if it still has a record of the last pages',
      { frontier: 81 },
      { number: 1, highest: 81 },
      {},
      { page: 2, lastPage: 1, newest: 81, frontier: 71 },
    ],
    ['goes on below its watermark if new records are not known', { watermark: 75 }, {}, {}, AFTER],
    ['ends at its watermark', { watermark: 71 }, {}, ALL, { ...AFTER, state: 'complete', watermark: 100 }],
    [
      'goes on below its watermark with a page that could not be read',
      { watermark: 71, gaps: [{ ...UNREAD, older: 85 }] },
      {},
      ALL,
      { ...AFTER, gaps: [{ ...UNREAD, older: 85 }] },
    ],
    ['goes on above its watermark', { watermark: 70 }, {}, ALL, AFTER],
    ['goes on without order', { watermark: 75, isOrdered: false }, {}, ALL, AFTER],
    ['goes on if its watermark is above all records', { watermark: 101 }, {}, ALL, AFTER],
    ['ends if its watermark is the newest record', { watermark: 100 }, {}, ALL, { ...AFTER, state: 'complete' }],
    ['ends below its watermark', { watermark: 75 }, {}, ALL, { ...AFTER, state: 'complete', watermark: 100 }],
    [
      'asks for a further page if records are missing',
      BEFORE_LAST,
      { ...LAST, pages: 6 },
      { known: 48 },
      { page: 6, lastPage: 5, frontier: 51, endExcess: 2 },
    ],
    ['ends with the last page if records are missing', BEFORE_LAST, LAST, { known: 48 }, ended({ excess: 2 })],
    [
      'ends with the last page if as many records are missing as before',
      { ...BEFORE_LAST, excess: 2 },
      { ...LAST, pages: 6 },
      { known: 48 },
      ended({}),
    ],
    ['ends with the last page if all are known', BEFORE_LAST, { ...LAST, pages: 6 }, ALL, ended({})],
    ['trusts no order that was wrong', { ...BEFORE_LAST, isOrdered: false, watermark: 7 }, LAST, ALL, ended({ watermark: null })],
    [
      'keeps its watermark in an empty feed',
      { ...START, watermark: 7 },
      { ...LAST, number: 1, count: 0, pages: 1, highest: null, lowest: null },
      { known: 0 },
      { state: 'complete', page: 2, lastPage: 1 },
    ],
    [
      'is incomplete with a page that could not be read, and knows how many records more are counted than are on all pages',
      { ...BEFORE_LAST, gaps: [{ ...UNREAD, older: 70 }] },
      LAST,
      { known: 41, onPages: 48 },
      ended({ state: 'incomplete', excess: 2 }),
    ],
    [
      'does not know that if the count changed',
      { ...BEFORE_LAST, gaps: [{ ...UNREAD, older: 70 }], isSteady: false },
      LAST,
      { known: 41, onPages: 48 },
      ended({ state: 'incomplete' }),
    ],
    ['begins again after a gap', { ...BEFORE_LAST, gaps: [SKIPPED] }, LAST, ALL, round2({ watermark: 100 })],
    ['begins again if the count changed', { ...BEFORE_LAST, isSteady: false }, LAST, ALL, round2({ watermark: 100 })],
    ['ends after four rounds', { ...BEFORE_LAST, isSteady: false, round: 4 }, LAST, ALL, ended({})],
    [
      'begins again if page 1 has only other records',
      { lastPage: 3, watermark: 7, excess: 1 },
      { number: 1, highest: 80 },
      {},
      round2({ watermark: 7, excess: 1 }),
    ],
    ['begins again if page 1 is empty', { frontier: 0 }, { number: 1, highest: null, lowest: null }, {}, round2()],
    ['is incomplete after four rounds', { round: 4 }, { number: 1, highest: 80 }, {}, { state: 'incomplete' }],
    [
      'no longer trusts its watermark after records without order',
      { isOrdered: false, watermark: 7 },
      { number: 1, highest: 80 },
      {},
      round2({ isOrdered: false }),
    ],
  ])('%s', (_, walk, page, tally, expected) => {
    const before = { ...WALK, ...walk };
    expect(afterFeedPage(before, { ...PAGE, ...page }, { ...TALLY, ...tally })).toEqual({ ...before, ...expected });
  });
});

describe('a page of the feed that cannot be read', () => {
  it.each<readonly [string, Partial<FeedWalk>, Partial<UnreadPage>, Partial<FeedWalk>]>([
    ['is a gap', {}, {}, { page: 4, gaps: [UNREAD] }],
    ['is a further gap', { gaps: [SKIPPED] }, {}, { page: 4, gaps: [SKIPPED, UNREAD] }],
    ['is the end if it is the last', {}, { pages: 3 }, { page: 4, gaps: [UNREAD], state: 'incomplete' }],
    ['is the end if it is behind the counted ones', {}, { pages: 2 }, { page: 4, gaps: [UNREAD], state: 'incomplete' }],
    ['begins the next round if the feed is shorter now', {}, { count: 20, pages: 2, isMissing: true }, round2()],
    ['begins the next round if the count changed before', { isSteady: false }, { pages: 2, isMissing: true }, round2()],
    [
      'is the end if it is missing, and the count is the same',
      {},
      { pages: 2, isMissing: true },
      { page: 4, gaps: [UNREAD], state: 'incomplete' },
    ],
    ['is the end if it was asked for because of the count', { endExcess: 0 }, {}, { state: 'complete', watermark: 100, excess: 0 }],
  ])('%s', (_, walk, unread, expected) => {
    const before = { ...WALK, ...walk };
    expect(afterFeedUnread(before, { isMissing: false, reason: 'status 500', count: WALK.count, pages: 5, ...unread })).toEqual({
      ...before,
      ...expected,
    });
  });

  it.each<readonly [string, Partial<FeedWalk>, Partial<FeedPage>, Partial<FeedWalk>]>([
    ['closes its gap', { gaps: [UNREAD, SKIPPED] }, {}, { gaps: [SKIPPED] }],
    [
      'closes no other gap',
      {
        gaps: [
          { ...SKIPPED, page: 3 },
          { ...UNREAD, page: 4, newer: 71 },
        ],
      },
      {},
      {},
    ],
    ['completes the walk', { gaps: [UNREAD] }, {}, { gaps: [], state: 'complete', watermark: 100 }],
    ['completes a walk that has seen no record', { newest: null, watermark: 7 }, {}, { state: 'complete' }],
    ['moves no watermark if the count changed', { watermark: 7 }, { count: 51 }, { state: 'complete', isSteady: false }],
    ['moves no watermark if the count changed before', { watermark: 7, isSteady: false }, {}, { state: 'complete' }],
    ['moves no watermark without order', { watermark: 7 }, { isOrdered: false }, { state: 'complete', isOrdered: false }],
    ['moves no watermark without order before', { watermark: 7, isOrdered: false }, {}, { state: 'complete' }],
    [
      'takes its ids from the unread pages around it',
      { gaps: [2, 3, 4].map((page) => ({ ...UNREAD, page, newer: 91 })) },
      {},
      {
        gaps: [
          { ...UNREAD, page: 2, newer: 91, older: 80 },
          { ...UNREAD, page: 4, newer: 71 },
        ],
      },
    ],
    [
      'takes no ids from unread pages if it reaches beyond them',
      {
        gaps: [
          { ...UNREAD, page: 2, newer: 80, older: 60 },
          { ...UNREAD, page: 4, newer: 91, older: 71 },
        ],
      },
      {},
      {},
    ],
  ])('%s when it is read at last', (_, walk, page, expected) => {
    const before: FeedWalk = { ...WALK, state: 'incomplete', ...walk };
    expect(afterFeedRetry(before, { ...PAGE, ...page })).toEqual({ ...before, ...expected });
  });
});

describe('pages of the feed that cannot be read', () => {
  const gap: Gap = { ...UNREAD, older: 70 };

  it.each<readonly [string, Partial<FeedWalk>, Partial<FeedWalk>]>([
    ['are no gap', { gaps: [gap], excess: 3 }, { gaps: [], state: 'complete', excess: 2, watermark: 100 }],
    ['are no gap without order', { gaps: [gap], isOrdered: false }, { gaps: [], state: 'complete', excess: 2 }],
    ['are no gap if no page was walked', { gaps: [gap], newest: null, watermark: 7 }, { gaps: [], state: 'complete', excess: 2 }],
    ['stay a gap beside skipped records', { gaps: [gap, SKIPPED] }, {}],
    ['are nothing if there are none', {}, {}],
  ])('%s if other pages have their records', (_, walk, expected) => {
    const before: FeedWalk = { ...WALK, state: 'incomplete', ...walk };
    expect(withoutUnread(before, 2)).toEqual({ ...before, ...expected });
  });
});
