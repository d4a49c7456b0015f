import { expect, it } from 'vitest';
import { excludedAccounts, handleHash, sharedHandleHash } from '../../../src/contract/accounts/exclusion.ts';

const NONE = { excluded_at: '2026-11-21T23:00:00Z', handles: [], stable_ids: [], records: [] };
const find = excludedAccounts([
  { ...NONE, handles: [handleHash('nina')], records: [5] },
  { ...NONE, handles: [sharedHandleHash('shared', 7)] },
]);

it.each([
  ['its handle', { screen_name: 'NINA' }, { records: [], onlyByHandle: true }],
  ['its handle, now of another account', { screen_name: 'nina', data: [{ id: 6 }] }, { records: [{ id: 6 }], onlyByHandle: true }],
  [
    'a record, renamed',
    { screen_name: 'bob', data: [{ id: 6 }, null, { id: 5 }] },
    { records: [{ id: 6 }, { id: 5 }], onlyByHandle: false },
  ],
  ['a shared handle and its record', { screen_name: 'shared', data: [{ id: 7 }] }, { records: [{ id: 7 }], onlyByHandle: false }],
  ['a shared handle without its record', { screen_name: 'shared', data: [{ id: 8 }] }, undefined],
  ['the record of a shared handle alone', { screen_name: 'bob', data: [{ id: 7 }, { id: '5' }] }, undefined],
  ['no handle', { screen_name: 5, data: [{ id: 5 }] }, undefined],
])('finds an excluded account by %s', (_, account, found) => {
  const page = { results: ['x', null, account, { screen_name: 'other', data: [{ id: 1 }] }] };
  expect(find(page)).toEqual(found === undefined ? [] : [{ screen_name: account.screen_name, ...found }]);
});

it.each([null, [{ screen_name: 'nina' }], {}, { results: 'nina' }])('finds nothing on the page %j', (page) =>
  expect(find(page)).toEqual([]),
);
