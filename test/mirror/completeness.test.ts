import { expect, it } from 'vitest';
import type { Collection } from '../../src/contract/pages/collection.ts';
import { missingOf } from '../../src/mirror/completeness.ts';
import { type RunState, startRun } from '../../src/mirror/run-state.ts';

const known = { data: 5, account: 2 };
const memory = { summary: undefined, count: (collection: Collection) => known[collection] };
const RUN = startRun(memory, { isFull: false, isVersion: false, changed: { data: undefined, account: undefined } });
const { feed, accounts, ...plan } = RUN.plan;
const FAILED = { page: 3, reason: 'status 500', newer: null, older: null };
const NOTHING = { records: 0, accounts: 0, uncounted: { records: 0, accounts: 0 }, gaps: [], isCountUnstable: false, pages: [] };

it.each([
  ['nothing', {}, {}, { data: 8, account: 2 }, NOTHING],
  ['items that it shows and does not count', {}, {}, { data: 5, account: 1 }, { ...NOTHING, uncounted: { records: 3, accounts: 1 } }],
  ['records that the feed counts', { excess: 3 }, {}, { data: 8, account: 2 }, { ...NOTHING, records: 3 }],
  ['accounts that the service counts', {}, { excess: 3 }, { data: 8, account: 2 }, { ...NOTHING, accounts: 3 }],
  [
    'items that the last page counts',
    { state: 'incomplete', gaps: [FAILED] },
    {},
    { data: 13, account: 9 },
    { ...NOTHING, records: 5, accounts: 7, gaps: [{ ...FAILED, url: '/rest/data/?page=3' }] },
  ],
  [
    'a page of accounts',
    {},
    { state: 'incomplete', excess: 3, gaps: [{ page: 2, reason: 'slow' }] },
    { data: 8, account: 2 },
    { ...NOTHING, pages: [{ page: 2, reason: 'slow', url: '/rest/account/?page=2' }] },
  ],
  ['an unstable count', { state: 'incomplete', excess: 2 }, {}, { data: 8, account: 2 }, { ...NOTHING, isCountUnstable: true }],
  ['an unstable count of accounts', {}, { state: 'incomplete' }, { data: 8, account: 2 }, { ...NOTHING, isCountUnstable: true }],
  [
    'skipped records',
    { state: 'incomplete', gaps: [{ ...FAILED, reason: null }] },
    {},
    { data: 8, account: 2 },
    { ...NOTHING, isCountUnstable: true, gaps: [{ ...FAILED, reason: null, url: '/rest/data/?page=3' }] },
  ],
] as const)('a mirror lacks %s', (_, feedEnd, accountsEnd, count, missing) => {
  const state: RunState = {
    ...RUN,
    data: { ...RUN.data, fresh: 4, count: count.data },
    account: { ...RUN.account, fresh: 1, count: count.account },
    plan: { ...plan, feed: { ...feed, state: 'complete', ...feedEnd }, accounts: { ...accounts, state: 'complete', ...accountsEnd } },
  };
  const isComplete = missing === NOTHING;
  // one record and one account are gone
  expect(missingOf(state, { data: [1], account: ['a'] }, '')).toEqual({
    isComplete,
    missing,
  });
});
