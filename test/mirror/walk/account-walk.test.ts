import { describe, expect, it } from 'vitest';
import {
  type AccountsPage,
  type AccountTally,
  type AccountWalk,
  afterAccountsPage,
  afterAccountsRetry,
  afterAccountsUnread,
  startAccountWalk,
} from '../../../src/mirror/walk/account-walk.ts';

const FORWARD: AccountWalk = { ...startAccountWalk('forward', 0), page: 3, count: 30 };
/** On the way back from the last of five pages with ten accounts each. */
const BACK: AccountWalk = { ...startAccountWalk('back', 0), page: 3, turns: 1, top: 5, count: 50 };
const SWEEP: AccountWalk = { ...BACK, route: 'sweep' };
const PAGE: AccountsPage = { number: 3, count: 50, items: 10, hasNext: true };
const FIRST = { number: 1 };
const TALLY: AccountTally = { known: 48, seen: 30, wanted: 0 };
const ALL = { known: 50, seen: 50 };
const GAP = { page: 3, reason: 'status 500' };
const INCOMPLETE = { state: 'incomplete' } as const;
const COMPLETE = { state: 'complete' } as const;
const sweep = (round: number, excess = 0): AccountWalk => startAccountWalk('sweep', excess, round);

type Case = readonly [string, AccountWalk, Partial<AccountsPage>, Partial<AccountTally>, Partial<AccountWalk>];

describe('a walk through the accounts', () => {
  it.each<Case>([
    ['reads the next page on its way forward', FORWARD, { count: 30 }, {}, { page: 4 }],
    ['begins with any count', { ...FORWARD, page: 1, count: null }, FIRST, {}, { page: 2, count: 50 }],
    ['sees that the count changes', FORWARD, {}, {}, { page: 4, count: 50, isSteady: false }],
    ['sees that the count changed before', { ...FORWARD, isSteady: false }, { count: 30 }, {}, { page: 4 }],
    ['ends forward with all accounts', FORWARD, { count: 30, hasNext: false }, { known: 30 }, COMPLETE],
    ['forgets its excess then', { ...FORWARD, excess: 3 }, { count: 30, hasNext: false }, { known: 30 }, { ...COMPLETE, excess: 0 }],
    ['sweeps if a known account was not seen', FORWARD, { count: 30, hasNext: false }, { known: 31 }, sweep(2)],
    ['sweeps if an account is not known', { ...FORWARD, excess: 1 }, { count: 31, hasNext: false }, { known: 30 }, sweep(2, 1)],
    ['sweeps if the count is higher', { ...FORWARD, count: 31 }, { count: 31, hasNext: false }, { known: 30 }, sweep(2)],
    ['sweeps if the count changed', { ...FORWARD, isSteady: false }, { count: 30, hasNext: false }, { known: 30 }, sweep(2)],
    ['is incomplete forward with a gap', { ...FORWARD, gaps: [GAP] }, { count: 30, hasNext: false }, { known: 30 }, INCOMPLETE],
    ['is incomplete after three rounds', { ...FORWARD, round: 3 }, { count: 30, hasNext: false }, {}, INCOMPLETE],
    ['turns from page 1 to the last page', { ...SWEEP, page: 1, turns: 0, top: 1 }, FIRST, {}, { page: 5, turns: 1, top: 5 }],
    [
      'turns to page 2, to which page 1 links',
      { ...SWEEP, page: 1, turns: 0 },
      { ...FIRST, count: 11 },
      {},
      { page: 2, top: 2, turns: 1, count: 11, isLinked: true },
    ],
    ['turns to a page that is not full', { ...SWEEP, page: 1, turns: 0, count: 41 }, { ...FIRST, count: 41 }, {}, { page: 5, turns: 1 }],
    ['turns to a page behind an empty one', { ...SWEEP, page: 1, turns: 0 }, { ...FIRST, items: 0 }, {}, { page: 50, top: 50, turns: 1 }],
    ['ends with the only page', { ...SWEEP, page: 1, turns: 0 }, { ...FIRST, hasNext: false }, ALL, { ...COMPLETE, areUnseenGone: true }],
    ['reads the page before on its way back', SWEEP, {}, {}, { page: 2 }],
    ['ends back when all are known', BACK, {}, { known: 50 }, COMPLETE],
    ['ends back with the excess of before', { ...BACK, excess: 2 }, {}, {}, COMPLETE],
    ['goes on back if an account is missing', BACK, {}, {}, { page: 2 }],
    ['goes on back if a record names another account', BACK, {}, { known: 50, wanted: 1 }, { page: 2 }],
    ['goes on back with a gap', { ...BACK, gaps: [GAP] }, {}, { known: 50 }, { page: 2 }],
    ['sweeps also if all are known', SWEEP, {}, { known: 50 }, { page: 2 }],
    ['has seen all on page 1', { ...SWEEP, page: 1 }, FIRST, ALL, { ...COMPLETE, areUnseenGone: true }],
    ['has not seen all if fewer are there', { ...SWEEP, page: 1 }, FIRST, { ...ALL, seen: 48 }, { ...COMPLETE, excess: 2 }],
    [
      'has seen all if more are there',
      { ...SWEEP, page: 1 },
      FIRST,
      { ...ALL, seen: 51 },
      { ...COMPLETE, excess: -1, areUnseenGone: true },
    ],
    [
      'has seen all with less excess than before',
      { ...SWEEP, page: 1, excess: 3 },
      FIRST,
      { seen: 48 },
      { ...COMPLETE, excess: 2, areUnseenGone: true },
    ],
    ['has seen all with the excess of before', { ...SWEEP, page: 1, excess: 2 }, FIRST, { seen: 48 }, { ...COMPLETE, areUnseenGone: true }],
    [
      'has not seen all with a negative excess of before',
      { ...SWEEP, page: 1, excess: -1 },
      FIRST,
      { seen: 49 },
      { ...COMPLETE, excess: 1 },
    ],
    ['is incomplete with a gap', { ...SWEEP, page: 1, gaps: [GAP] }, FIRST, ALL, INCOMPLETE],
    ['turns once more if the count changed', { ...SWEEP, page: 1, isSteady: false }, FIRST, ALL, { turns: 2, page: 5, isSteady: true }],
    [
      'begins again if it changed on the only page',
      { ...SWEEP, page: 1, isSteady: false },
      { ...FIRST, hasNext: false },
      { seen: 48 },
      sweep(2),
    ],
    ['ends after the second turn when all are seen', { ...SWEEP, turns: 2 }, {}, ALL, { ...COMPLETE, areUnseenGone: true }],
    ['goes on after the second turn until all are seen', { ...SWEEP, turns: 2 }, {}, {}, { page: 2 }],
    ['begins again after the second turn if more were seen than are there', { ...SWEEP, turns: 2 }, {}, { seen: 51 }, sweep(2)],
    [
      'goes on after the second turn if a page has another count',
      { ...SWEEP, turns: 2, count: 53 },
      {},
      ALL,
      { page: 2, count: 50, isSteady: false },
    ],
    ['goes on back if a page has another count', { ...BACK, count: 53 }, {}, { known: 50 }, { page: 2, count: 50, isSteady: false }],
    ['goes on after the second turn with a gap', { ...SWEEP, turns: 2, gaps: [GAP] }, {}, ALL, { page: 2 }],
    ['goes on before the second turn', SWEEP, {}, ALL, { page: 2 }],
    ['begins again after the second turn', { ...SWEEP, page: 1, turns: 2, isSteady: false }, FIRST, { seen: 48 }, sweep(2)],
  ])('%s', (_, walk, page, tally, expected) => {
    expect(afterAccountsPage(walk, { ...PAGE, ...page }, { ...TALLY, ...tally })).toEqual({ ...walk, ...expected });
  });
});

describe('a page of accounts that cannot be read', () => {
  it.each<readonly [string, AccountWalk, boolean, number, Partial<AccountWalk>]>([
    ['is a gap on the way forward', FORWARD, false, 5, { page: 4, gaps: [GAP] }],
    ['is a further gap', { ...FORWARD, gaps: [{ page: 1, reason: '' }] }, true, 5, { page: 4, gaps: [{ page: 1, reason: '' }, GAP] }],
    ['is the end if it is the last', FORWARD, false, 3, { gaps: [GAP], ...INCOMPLETE }],
    ['begins a sweep if there are fewer pages now', FORWARD, false, 2, sweep(2)],
    ['is a gap on the way back', BACK, false, 5, { page: 2, gaps: [GAP] }],
    ['is a gap if it is missing', BACK, true, 5, { page: 2, gaps: [GAP] }],
    ['is a gap if it is the last', { ...BACK, top: 3 }, false, 3, { page: 2, gaps: [GAP] }],
    ['is no page if it is the last and missing', { ...BACK, top: 3 }, true, 5, { page: 2, top: 2 }],
    ['is no page if there are fewer pages now', BACK, false, 2, { page: 2, top: 2 }],
    ['is a gap if a page links to it', { ...BACK, isLinked: true }, true, 3, { page: 1, isLinked: false, gaps: [GAP] }],
    ['is no gap if it is missing and not counted', { ...BACK, isLinked: true }, true, 2, { page: 1, isLinked: false }],
  ])('%s', (_, walk, isMissing, pages, expected) => {
    expect(afterAccountsUnread(walk, { isMissing, reason: 'status 500', count: 0, pages })).toEqual({ ...walk, ...expected });
  });

  it('closes its gap when it is read at last', () => {
    const other = { page: 4, reason: 'status 500' };
    expect(afterAccountsRetry({ ...BACK, gaps: [GAP, other] }, 3)).toEqual({ ...BACK, gaps: [other] });
  });
});
