import { expect, it } from 'vitest';
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
