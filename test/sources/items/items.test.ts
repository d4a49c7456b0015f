import { expect, it } from 'vitest';
import { NO_SUMMARY } from '../../../src/contract/account.ts';
import { itemsOf } from '../../../src/sources/items/items.ts';

it('reports each record that has a field twice, also if there are more in one value than a function takes arguments', async () => {
  const records = Array.from({ length: 130_000 }, (_, id) => `{"id":${id},"id":0}`);
  const open = async function* () {
    yield Buffer.from(`{"data":[${records.join(',')}]}`);
  };
  let errors = 0;
  for await (const items of itemsOf({ name: 'account.json', size: undefined, open })) {
    for (const item of items) if (item.kind === 'error' && item.code === 'bad-json') errors += 1;
  }
  expect(errors).toBe(records.length);
});

/** Returns what an error says about a line of an import. */
async function errorOf(line: object) {
  const open = async function* () {
    yield Buffer.from(JSON.stringify(line));
  };
  for await (const items of itemsOf({ name: 'line.ndjson', size: undefined, open })) for (const item of items) return item;
  return undefined;
}

const ANN = { screen_name: 'ann', account_creation_date: null, profile_image_url: '', ...NO_SUMMARY };

it.each<[field: string, value: unknown]>([
  ['profile_image_url', 'x y'],
  ['screen_name', 'a\u0000b'],
  ['bio', 5],
])('names the wrong field of an account, and does not call the account a snapshot: %s', async (field, value) => {
  const error = await errorOf({ ...ANN, [field]: value });
  expect(error).toMatchObject({ kind: 'error', place: { field }, found: JSON.stringify(value) });
  expect(error).not.toHaveProperty('hint', expect.anything());
});

it('calls an item without some fields of an account a snapshot', async () => {
  const { account_creation_date: _, ...snapshot } = ANN;
  expect(await errorOf(snapshot)).toMatchObject({
    found: expect.stringContaining('a neutral snapshot'),
    hint: expect.stringContaining('observe'),
  });
});
