import { expect, it } from 'vitest';
import { encodeGoneItem, parseGoneItem } from '../../../src/contract/files/gone-item.ts';

const ITEM = { gone_at: '2026-01-31T00:00:00Z', base_url: 'https://history.example', record: 19, account: null };

it.each([ITEM, { ...ITEM, record: null, account: 'jill' }])('a gone item is read as it was written: %j', (item) => {
  expect(encodeGoneItem(item)).toBe(JSON.stringify(item));
  expect(parseGoneItem(item)).toEqual(item);
});

it.each([
  ['record', { record: null }],
  ['record', { account: 'jill' }],
  ['base_url', { base_url: 'history.example' }],
  ['gone_at', { gone_at: '2026-01-31' }],
])('a gone item is refused at %s for %j', (field, change) => {
  expect(() => parseGoneItem({ ...ITEM, ...change })).toThrow(expect.objectContaining({ field }));
});
