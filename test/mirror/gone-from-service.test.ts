import { describe, expect, it } from 'vitest';
import { idsCovered, rangesShown, unseenRecordsGone } from '../../src/mirror/gone-from-service.ts';
import { startRun } from '../../src/mirror/run-state.ts';
import type { FeedPage, FeedWalk } from '../../src/mirror/walk/feed-walk.ts';
import type { Gap } from '../../src/mirror/walk/gaps.ts';
import type { Plan } from '../../src/mirror/walk/reading-plan.ts';

const STATE = startRun(
  { summary: undefined, count: () => 0 },
  { isFull: true, isVersion: false, changed: { data: undefined, account: undefined } },
);
const START = STATE.plan.feed;
/** After two of five pages with ten records each. */
const WALK: FeedWalk = { ...START, page: 3, newest: 100, top: 100, frontier: 81, lastPage: 2, count: 50 };
const PAGE: FeedPage = { number: 3, count: 50, hasNext: true, pages: 5, highest: 80, lowest: 71, isOrdered: true };
const FIRST: Partial<FeedPage> = { number: 1, highest: 100, lowest: 91 };
const LAST: Partial<FeedPage> = { number: 5, hasNext: false, highest: 60, lowest: 51 };
const BEFORE_LAST: Partial<FeedWalk> = { page: 5, lastPage: 4, frontier: 61 };
const SKIPPED: Gap = { page: 2, reason: null, newer: 91, older: 90 };
const planWith = (feed: Partial<FeedWalk>, plan: Partial<Plan> = {}): Plan => ({ ...STATE.plan, feed: { ...WALK, ...feed }, ...plan });

describe('the ids that a page of the feed covers', () => {
  const TOP = Number.MAX_SAFE_INTEGER + 1;
  const CHANGED: Partial<Plan> = { changed: { data: [1], account: undefined } };
  const RETRY: Partial<Plan> = { stage: 'retry' };

  it.each<readonly [string, Partial<FeedWalk>, Partial<FeedPage>, number, object | undefined]>([
    ['begin below the page before', {}, {}, 0, { low: 71, high: 81 }],
    ['begin at the top on page 1', { ...START }, FIRST, 0, { low: 91, high: TOP }],
    ['begin below the page before on page 1, read again', { frontier: 99 }, FIRST, 0, { low: 91, high: 99 }],
    ['begin at the top below empty pages', { frontier: null }, {}, 0, { low: 71, high: TOP }],
    ['are none on an empty page', {}, { highest: null, lowest: null }, 0, { low: 81, high: 81 }],
    ['are not known without order', { isOrdered: false }, {}, 0, undefined],
    ['are not known on a page without order', {}, { isOrdered: false }, 0, undefined],
    ['are not known on page 1 with only other records', {}, { number: 1 }, 0, undefined],
    ['are those of the page below skipped records', {}, { count: 49 }, 0, { low: 71, high: 81 }],
    [
      'are those of the last page and all lower ones below skipped records',
      { ...BEFORE_LAST, lastPage: 3 },
      LAST,
      50,
      { low: 0, high: 61 },
    ],
    ['are none on an empty page below skipped records', {}, { count: 49, highest: null, lowest: null }, 0, { low: 0, high: 0 }],
    ['end at 0 on the last page', BEFORE_LAST, LAST, 50, { low: 0, high: 61 }],
    ['end at 0 on the last page with the excess of before', { ...BEFORE_LAST, excess: 2 }, LAST, 48, { low: 0, high: 61 }],
    ['end with the last record if the count does not agree', BEFORE_LAST, LAST, 49, { low: 51, high: 61 }],
    ['end with the last record if there is a next page', {}, {}, 50, { low: 71, high: 81 }],
  ])('%s', (_, walk, page, records, expected) => {
    expect(idsCovered(planWith(walk), { ...PAGE, ...page }, records)).toEqual(expected);
  });

  it.each<readonly [string, Partial<Plan>, Partial<FeedPage>, object | undefined]>([
    ['are those of the page on a changed page of a tree', CHANGED, {}, { low: 91, high: 101 }],
    ['are those of the page on a page that is read at the end', RETRY, {}, { low: 91, high: 101 }],
    ['are not known on such a page without order', RETRY, { isOrdered: false }, undefined],
    ['are not known on such a page without a lowest id', RETRY, { lowest: null }, undefined],
    ['are not known on such a page without a highest id', RETRY, { highest: null }, undefined],
  ])('%s', (_, plan, page, expected) => {
    expect(idsCovered(planWith(START, plan), { ...PAGE, ...FIRST, ...page }, 0)).toEqual(expected);
  });
});

describe('records that a round has not seen', () => {
  const KEYS = [7, 'sha256:00'];

  it.each<readonly [string, Partial<FeedWalk>, Partial<FeedPage>, number, readonly (number | string)[]]>([
    ['are gone at the end of the round', {}, {}, 50, KEYS],
    ['are gone if they have no id and the feed has an order', { isOrdered: true }, { isOrdered: true }, 50, ['sha256:00']],
    ['are not gone before the end of the round', {}, { hasNext: true }, 50, []],
    ['are not gone if the count changed', {}, { count: 49 }, 49, []],
    ['are not gone if the count changed before', { isSteady: false }, {}, 50, []],
    ['are not gone with a gap', { gaps: [SKIPPED] }, {}, 50, []],
    ['are not gone if records are missing', {}, {}, 49, []],
    ['are gone after the only page', { lastPage: 0, count: 0 }, {}, 50, KEYS],
  ])('%s', (_, walk, page, seen, expected) => {
    const [feed, last] = [
      { ...BEFORE_LAST, isOrdered: false, ...walk },
      { ...PAGE, ...LAST, isOrdered: false, ...page },
    ];
    const isGone = unseenRecordsGone(planWith(feed), last, seen);
    expect(KEYS.filter((key) => isGone?.(key))).toEqual(expected);
    expect(unseenRecordsGone(planWith(feed, { stage: 'retry' }), last, seen)).toBeUndefined();
  });
});

describe('ranges of ids that other pages have shown', () => {
  const UNREAD: Gap = { page: 3, reason: 'status 500', newer: 81, older: 70 };
  const UNREAD_LAST: Gap = { page: 5, reason: 'status 500', newer: 61, older: null };
  const [RANGE, LAST_RANGE] = [expect.objectContaining({ low: 71, high: 81 }), expect.objectContaining({ low: 0, high: 61 })];

  it.each<readonly [string, Partial<FeedWalk>, Partial<Plan>, number, number, object]>([
    ['are all unread ranges', {}, {}, 10, 10, { ranges: [RANGE, LAST_RANGE], isAll: true }],
    ['lack a range with records that no page showed', {}, {}, 9, 10, { ranges: [], isAll: false }],
    [
      'lack the last range if another one is missing, because its number of records comes from the count',
      {},
      {},
      10,
      9,
      { ranges: [RANGE], isAll: false },
    ],
    ['are none before the end', {}, { stage: 'accounts' }, 10, 10, { ranges: [], isAll: false }],
    ['are none if the count changed', { isSteady: false }, {}, 10, 10, { ranges: [], isAll: false }],
    ['are none if the count changed afterwards', { count: 49 }, {}, 10, 10, { ranges: [], isAll: false }],
  ])('%s', (_, walk, plan, shown, shownLast, expected) => {
    const state = {
      ...STATE,
      plan: planWith({ gaps: [UNREAD, UNREAD_LAST], ...walk }, { stage: 'retry', ...plan }),
      data: { ...STATE.data, count: 50, shortest: 10 },
    };
    expect(rangesShown(state, ({ low }) => (low === 0 ? shownLast : shown))).toEqual(expected);
  });
});
