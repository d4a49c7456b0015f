import { expect, it } from 'vitest';
import { handleKey } from '../../../src/contract/accounts/handle.ts';
import { withoutRemoved } from '../../../src/sources/rejects/redact-removed.ts';

const HANDLES = ['nina_k', 'nina@social.example', 'bio', '13'];
const IDS = ['7', '12', 'did:plc:1'];
const removed = {
  isEmpty: false,
  hasItem: () => false,
  hasHandle: (handle: string) => HANDLES.includes(handleKey(handle)),
  hasStableId: (id: string) => IDS.includes(id),
};

/** Whether the item of an error is removed from it. */
function isRemoved(item: unknown, file = 'a.json', found = 'text'): boolean {
  const shown = withoutRemoved({ kind: 'error', code: 'bad-json', place: { file }, expected: 'JSON', found, item }, removed);
  return shown?.item === undefined;
}

it.each([
  '{"screen_name":"Nina_K","bio":"text',
  'een_name":"nina_k","bio":"secret"}',
  '":"nina_k","bio":"secret"}',
  '{"bio":"said "hi" to","screen_name" : "nina_k"}',
  String.raw`{"acct":"nina","url":"https:\/\/social.example\/@nina","x":`,
  '{"uri":"https://social.example/users/nina","x":',
  String.raw`{"screen_name":"nina\u005fk`,
  '{"id": 7, "bio":',
  '{"id_str":"7"',
  '{"did":"did:plc:1","handle":"handle.inv',
  '{"screen_name":"ann","former_names":["nina", "nina_k","screen_name":"x',
  '{"id":3,"account":"nina_k","data_type":"Bi',
  { users: [{ screen_name: 'nina_k' }, 7] },
])('the error of an item that names a removed account lacks the item: %j', (item) => {
  expect(isRemoved(item)).toBe(true);
});

it.each([
  '{"screen_name":"ann","bio":"text","location":"Ber',
  '{"screen_name":"carl","followers_count":12,"bio":"text',
  '{"bio":"with nina_k, at 7","acct":"nina","followers_count":7}',
  '{"screen_name":"ann","name":"nina_k","website":"https://social.example/@nina","x":',
  String.raw`{"screen_name":"ann","description":"\"id\":7, \"screen_name\":\"nina_k\"","x":`,
  // a handle that has the form of a stable id, and the other way round
  '{"id_str":"13","screen_name":"7","x":',
  // the number of a record is no stable id
  '{"id":12,"account":"carl","data_type":"Bi',
])('the error of an item of another account has the item: %s', (item) => {
  expect(isRemoved(item)).toBe(false);
});

it.each([
  ['nights/nina@social.example.json.gz', 'text', true],
  ['nights/7.json', 'text', true],
  ['nina.json', 'text', false],
  ['nina_k/1.json', 'text', false],
  ['a.json', '{"screen_name":"nina_k","bio… (Unterminated string)', true],
])('a removed account is recognized in the name of the file, and in what was found: %s, %s', (file, found, expected) => {
  expect(isRemoved('{', file, found)).toBe(expected);
});
