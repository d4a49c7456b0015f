import { describe, expect, it } from 'vitest';
import { startAccountWalk } from '../../src/mirror/walk/account-walk.ts';
import { startFeedWalk, walkFeedAgain } from '../../src/mirror/walk/feed-walk.ts';
import {
  afterPage,
  type Beginning,
  isNewRound,
  nextPage,
  type PageOutcome,
  type Plan,
  startPlan,
} from '../../src/mirror/walk/reading-plan.ts';

const BEGINNING: Beginning = {
  ...{ watermark: 7, excess: { data: 1, account: 2 }, accounts: 3, isFull: false },
  changed: { data: undefined, account: undefined },
};
const PLAN = startPlan(BEGINNING);
const { feed: FEED, accounts: ACCOUNTS } = PLAN;
const FEED_PAGE = { number: 1, count: 50, hasNext: true, pages: 5, highest: 100, lowest: 91, isOrdered: true };
const feedPage = (page: Partial<typeof FEED_PAGE> = {}, known = 0, wanted = 0): PageOutcome => ({
  ...{ kind: 'feed', page: { ...FEED_PAGE, ...page }, tally: { known, onPages: known, wanted } },
});
const accountsPage = (known: number, number = 1): PageOutcome => ({
  ...{ kind: 'accounts', page: { number, count: 30, items: 10, hasNext: true }, tally: { known, seen: 0, wanted: 0 } },
});
const unread = (pages = 5): PageOutcome => ({ kind: 'unread', isMissing: false, reason: 'status 500', count: 0, pages });
/** The outcome with which the feed ends: the only page, with all records but one. */
const FEED_END = feedPage({ count: 10, hasNext: false, pages: 1 }, 9);
/** The outcome with which the accounts end: all but two are known. */
const ACCOUNTS_END = accountsPage(28);
const FEED_DONE = {
  ...FEED,
  state: 'complete',
  page: 2,
  newest: 100,
  top: 100,
  frontier: 91,
  lastPage: 1,
  count: 10,
  watermark: 100,
} as const;
const ACCOUNTS_DONE = { ...ACCOUNTS, state: 'complete', count: 30 } as const;
const AGAIN = startAccountWalk('back', 2);
const GAP = { page: 4, reason: 'status 500', newer: null, older: null };
const ACCOUNTS_GAP = { page: 5, reason: 'status 500' };
const WITH_GAPS = { ...FEED_DONE, state: 'incomplete', gaps: [GAP, { ...GAP, page: 6, reason: null }] } as const;
const RETRIES = [
  { collection: 'data', number: 4 },
  { collection: 'account', number: 5 },
] as const;
const none = { data: undefined, account: undefined };
const changed = (data?: readonly number[], account?: readonly number[]) => ({ changed: { data, account } });

describe('a plan begins', () => {
  it.each<readonly [string, Partial<Beginning>, Partial<Plan>]>([
    ['with the feed down to its watermark', {}, { feed: startFeedWalk(7, 1), accounts: startAccountWalk('back', 2) }],
    [
      'with the whole feed if all is to be read',
      { isFull: true },
      { feed: startFeedWalk(null, 1), accounts: startAccountWalk('sweep', 2) },
    ],
    [
      'with all accounts if it knows none',
      { accounts: 0, isFull: true },
      { feed: startFeedWalk(null, 1), accounts: startAccountWalk('forward', 2) },
    ],
    ['with the changed pages', changed([3, 1], [2]), { ...changed([3, 1], [2]) }],
    [
      'with the accounts if the feed has not changed',
      changed([], [2]),
      { ...changed([], [2]), stage: 'accounts', feed: { ...FEED, state: 'complete' } },
    ],
    [
      'with its end if nothing has changed',
      changed([], []),
      {
        ...changed([], []),
        stage: 'done',
        feed: { ...FEED, state: 'complete' },
        accounts: { ...ACCOUNTS, state: 'complete' },
        retries: [],
      },
    ],
  ])('%s', (_, beginning, plan) => {
    const start = { stage: 'feed', pass: 1, checks: 0, changed: none, feed: FEED, accounts: ACCOUNTS, retries: null, unread: [] };
    expect(startPlan({ ...BEGINNING, ...beginning })).toEqual({ ...start, ...plan });
  });
});

describe('the next page', () => {
  it.each<readonly [Partial<Plan>, ReturnType<typeof nextPage>]>([
    [{}, { collection: 'data', number: 1 }],
    [
      { stage: 'check', feed: { ...FEED, page: 4 } },
      { collection: 'data', number: 4 },
    ],
    [
      { stage: 'accounts', accounts: { ...ACCOUNTS, page: 3 } },
      { collection: 'account', number: 3 },
    ],
    [changed([9, 2]), { collection: 'data', number: 9 }],
    [
      { stage: 'accounts', ...changed([9], [8]) },
      { collection: 'account', number: 8 },
    ],
    [
      { stage: 'retry', ...changed([9]), retries: RETRIES },
      { collection: 'data', number: 4 },
    ],
    [{ stage: 'done' }, undefined],
  ])('of a plan with %j', (plan, page) => expect(nextPage({ ...PLAN, ...plan })).toEqual(page));
});

describe('a plan', () => {
  const check = { ...PLAN, stage: 'check', accounts: ACCOUNTS_DONE } as const;
  const inAccounts = { ...PLAN, stage: 'accounts', feed: FEED_DONE } as const;
  const inRetry = { ...PLAN, stage: 'retry', feed: WITH_GAPS, accounts: ACCOUNTS_DONE } as const;
  const [first, second] = RETRIES;
  /** The last page of a walk that is not its first. */
  const behind = { ...check, feed: { ...FEED_DONE, state: 'walking', endExcess: null } } as const;
  const behindEnd = feedPage({ number: 2, count: 10, hasNext: false, pages: 2, highest: 90, lowest: 81 }, 9);
  const behindFeed = { ...FEED_DONE, page: 3, lastPage: 2, frontier: 81 };

  it.each<readonly [string, Plan, PageOutcome, Partial<Plan>]>([
    ['reads the feed', PLAN, feedPage(), { feed: { ...FEED_DONE, state: 'walking', watermark: 7, count: 50 } }],
    ['skips a page of the feed', PLAN, unread(), { feed: { ...FEED, page: 2, gaps: [{ ...GAP, page: 1 }] } }],
    ['goes on with the accounts', PLAN, FEED_END, { stage: 'accounts', feed: FEED_DONE }],
    [
      'goes on with the check if no account has changed',
      { ...PLAN, ...changed(undefined, []) },
      FEED_END,
      { stage: 'check', feed: walkFeedAgain(FEED_DONE), accounts: { ...ACCOUNTS, state: 'complete' } },
    ],
    ['reads the accounts', inAccounts, accountsPage(0), { accounts: { ...ACCOUNTS, count: 30, page: 3, top: 3, turns: 1 } }],
    ['skips a page of accounts', inAccounts, unread(), { accounts: { ...ACCOUNTS, page: 0, gaps: [{ ...ACCOUNTS_GAP, page: 1 }] } }],
    ['goes on with the check', inAccounts, ACCOUNTS_END, { stage: 'check', feed: walkFeedAgain(FEED_DONE), accounts: ACCOUNTS_DONE }],
    [
      'ends without a check if it read changed pages',
      { ...inAccounts, ...changed([]) },
      ACCOUNTS_END,
      { stage: 'done', accounts: ACCOUNTS_DONE, retries: [] },
    ],
    [
      'asks for pages again without a check if the feed has gaps',
      { ...inAccounts, feed: WITH_GAPS },
      ACCOUNTS_END,
      { stage: 'retry', accounts: ACCOUNTS_DONE, retries: [first] },
    ],
    ['ends with the check', check, FEED_END, { stage: 'done', feed: FEED_DONE, retries: [] }],
    ['reads further pages in the check', check, feedPage(), { feed: { ...FEED_DONE, state: 'walking', watermark: 7, count: 50 } }],
    ['checks again until page 1 has all that is new', behind, behindEnd, { checks: 1, feed: walkFeedAgain(behindFeed) }],
    ['checks twenty times', { ...behind, checks: 19 }, behindEnd, { checks: 20, feed: walkFeedAgain(behindFeed) }],
    [
      'checks a feed without order once more',
      { ...behind, checks: 1, feed: { ...behind.feed, isOrdered: false } },
      behindEnd,
      { checks: 2, feed: walkFeedAgain({ ...behindFeed, isOrdered: false, watermark: null }) },
    ],
    [
      'checks a feed without order no more than twice',
      { ...behind, checks: 2, feed: { ...behind.feed, isOrdered: false } },
      behindEnd,
      { stage: 'done', feed: { ...behindFeed, isOrdered: false, watermark: null }, retries: [] },
    ],
    ['checks no more than twenty times', { ...behind, checks: 20 }, behindEnd, { stage: 'done', feed: behindFeed, retries: [] }],
    [
      'reads the accounts again if a record names a new one',
      { ...check, ...changed(undefined, []) },
      feedPage({ count: 10, hasNext: false, pages: 1 }, 9, 1),
      { stage: 'accounts', pass: 2, feed: FEED_DONE, changed: none, accounts: AGAIN },
    ],
    [
      'reads the accounts three times',
      { ...check, pass: 2 },
      feedPage({ count: 10, hasNext: false, pages: 1 }, 9, 1),
      { stage: 'accounts', pass: 3, feed: FEED_DONE, accounts: AGAIN },
    ],
    [
      'reads the accounts no more than three times',
      { ...check, pass: 3 },
      feedPage({ count: 10, hasNext: false, pages: 1 }, 9, 1),
      { stage: 'done', feed: FEED_DONE, retries: [] },
    ],
    [
      'does not read accounts with gaps again',
      { ...check, accounts: { ...ACCOUNTS_DONE, state: 'incomplete', gaps: [ACCOUNTS_GAP] } },
      feedPage({ count: 10, hasNext: false, pages: 1 }, 9, 1),
      { stage: 'retry', feed: FEED_DONE, retries: [second] },
    ],
    [
      'reads the accounts again if the check did not end',
      check,
      unread(1),
      { stage: 'accounts', pass: 2, feed: { ...FEED, state: 'incomplete', page: 2, gaps: [{ ...GAP, page: 1 }] }, accounts: AGAIN },
    ],
    ['ends with the check after pages were asked for again', { ...check, retries: [] }, FEED_END, { stage: 'done', feed: FEED_DONE }],
    [
      'asks for each page again',
      { ...inRetry, retries: RETRIES },
      feedPage({ number: 4, count: 10 }),
      { retries: [second], feed: { ...WITH_GAPS, gaps: [{ ...GAP, page: 6, reason: null }] } },
    ],
    [
      'asks for no page a third time',
      { ...inRetry, retries: [first] },
      unread(),
      { stage: 'done', retries: [], unread: [{ ...first, reason: 'status 500' }] },
    ],
    [
      'checks the feed after its last page that was asked for again',
      { ...inRetry, feed: { ...WITH_GAPS, gaps: [GAP] }, retries: [first] },
      feedPage({ number: 4, count: 10 }),
      { stage: 'check', retries: [], feed: walkFeedAgain(FEED_DONE) },
    ],
    [
      'reads the accounts again after the last page that was asked for again',
      { ...inRetry, accounts: { ...ACCOUNTS, state: 'incomplete', gaps: [ACCOUNTS_GAP] }, retries: [second], ...changed(undefined, []) },
      accountsPage(0, 5),
      { stage: 'accounts', changed: none, retries: [], accounts: AGAIN },
    ],
    [
      'does not read the accounts again if another page is missing',
      { ...inRetry, accounts: { ...ACCOUNTS, state: 'incomplete', gaps: [ACCOUNTS_GAP, { ...ACCOUNTS_GAP, page: 6 }] }, retries: [second] },
      accountsPage(0, 5),
      { stage: 'done', retries: [], accounts: { ...ACCOUNTS, state: 'incomplete', gaps: [{ ...ACCOUNTS_GAP, page: 6 }] } },
    ],
  ])('%s', (_, plan, outcome, expected) => expect(afterPage(plan, outcome, null)).toEqual({ ...plan, ...expected }));

  it('reads all accounts if a page of the feed could not be read, and is complete if these have its records', () => {
    const unreadEnd = { ...PLAN, feed: { ...FEED, page: 5 } };
    expect(afterPage(unreadEnd, unread(), null)).toMatchObject({ stage: 'accounts', accounts: { route: 'sweep' } });
    const lastRetry = { ...inRetry, feed: { ...WITH_GAPS, gaps: [GAP] }, retries: [first] };
    const feed = walkFeedAgain({ ...FEED_DONE, excess: 3 });
    expect(afterPage(lastRetry, unread(), 3)).toMatchObject({ stage: 'check', feed, unread: [first] });
    expect(afterPage({ ...lastRetry, feed: WITH_GAPS }, unread(), 3)).toMatchObject({ stage: 'done', feed: WITH_GAPS });
  });
});

describe('a plan with changed pages', () => {
  const data = { ...PLAN, ...changed([4, 2], [5, 3]) };
  const lastData = { ...PLAN, ...changed([4], [5]) };
  const account = { ...data, stage: 'accounts', ...changed([], [5, 3]) } as const;
  const lastAccount = { ...account, ...changed([], [5]) };

  it.each<readonly [string, Plan, PageOutcome, Partial<Plan>]>([
    ['reads them', data, feedPage(), changed([2], [5, 3])],
    ['reads those of the accounts', account, accountsPage(0), changed([], [3])],
    ['skips one', data, unread(), { ...changed([2], [5, 3]), feed: { ...FEED, gaps: [GAP] } }],
    [
      'skips a further one',
      { ...data, feed: { ...FEED, gaps: [GAP] } },
      unread(),
      { ...changed([2], [5, 3]), feed: { ...FEED, gaps: [GAP, GAP] } },
    ],
    ['skips one of the accounts', account, unread(), { ...changed([], [3]), accounts: { ...ACCOUNTS, gaps: [ACCOUNTS_GAP] } }],
    [
      'skips a further one of the accounts',
      { ...account, accounts: { ...ACCOUNTS, gaps: [ACCOUNTS_GAP] } },
      unread(),
      { ...changed([], [3]), accounts: { ...ACCOUNTS, gaps: [ACCOUNTS_GAP, ACCOUNTS_GAP] } },
    ],
    ['reads all if one does not exist', data, unread(3), { ...changed(undefined, [5, 3]), feed: startFeedWalk(null, 0) }],
    ['reads all accounts if one does not exist', account, unread(4), { ...changed([]), accounts: startAccountWalk('sweep', 0) }],
    ['skips the last page', data, unread(4), { ...changed([2], [5, 3]), feed: { ...FEED, gaps: [GAP] } }],
    [
      'goes on with the accounts',
      lastData,
      feedPage({}, 50),
      { ...changed([], [5]), stage: 'accounts', feed: { ...FEED, state: 'complete' } },
    ],
    [
      'goes on with the accounts, although one is missing',
      lastData,
      unread(),
      { ...changed([], [5]), stage: 'accounts', feed: { ...FEED, gaps: [GAP], state: 'incomplete' } },
    ],
    ['reads all if the count does not agree', lastData, feedPage({}, 48), { ...changed(undefined, [5]), feed: startFeedWalk(null, 0) }],
    [
      'ends',
      lastAccount,
      accountsPage(30),
      { ...changed([], []), stage: 'done', accounts: { ...ACCOUNTS, state: 'complete' }, retries: [] },
    ],
    [
      'asks for one of the accounts again',
      lastAccount,
      unread(),
      { ...changed([], []), stage: 'retry', accounts: { ...ACCOUNTS, gaps: [ACCOUNTS_GAP], state: 'incomplete' }, retries: [RETRIES[1]] },
    ],
    [
      'reads all accounts if the count does not agree',
      lastAccount,
      accountsPage(29),
      { ...changed([]), accounts: startAccountWalk('sweep', 0) },
    ],
  ])('%s', (_, plan, outcome, expected) => expect(afterPage(plan, outcome, null)).toEqual({ ...plan, ...expected }));
});

describe('a round through the feed, a round through the accounts', () => {
  it.each<readonly [string, Partial<Plan>, boolean, boolean]>([
    ['goes on with the next page', { feed: { ...FEED, page: 2 }, accounts: { ...ACCOUNTS, page: 2 } }, false, false],
    ['ends if the feed is walked again at the end', { checks: 1 }, true, true],
    ['ends with a round of the feed', { feed: { ...FEED, round: 2 } }, true, false],
    ['ends with a round of the accounts', { accounts: { ...ACCOUNTS, round: 2 } }, false, true],
    ['ends when the way back through the accounts begins', { accounts: { ...ACCOUNTS, turns: 1 } }, false, true],
    ['ends with the changed pages of the feed', changed([]), true, false],
    ['ends with the changed pages of the accounts', changed(undefined, []), false, true],
  ])('%s', (_, plan, data, account) => {
    const after = { ...PLAN, ...plan };
    expect([isNewRound(PLAN, after, 'data'), isNewRound(after, PLAN, 'data')]).toEqual([data, data]);
    expect([isNewRound(PLAN, after, 'account'), isNewRound(after, PLAN, 'account')]).toEqual([account, account]);
  });

  it.each<readonly [Plan['stage'], Plan['stage'], boolean, boolean]>([
    ['feed', 'accounts', false, true],
    ['accounts', 'check', true, false],
    ['check', 'accounts', false, true],
    ['accounts', 'retry', false, false],
    ['retry', 'check', true, false],
  ])('begins with a stage that walks through it: after %s, %s', (before, stage, data, account) => {
    const isNew = (collection: 'data' | 'account') => isNewRound({ ...PLAN, stage: before }, { ...PLAN, stage }, collection);
    expect([isNew('data'), isNew('account')]).toEqual([data, account]);
  });
});
