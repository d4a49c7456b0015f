import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AccountItems, AccountKey, AccountRange } from '../../src/store/account-items.ts';
import { Connection } from '../../src/store/connection.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, NAMES } from '../verify/good-tree.ts';

const PAGE_SIZE = 7;

/** Imports a history of eight accounts, two of them without records. */
async function storeIn(folder: string): Promise<string> {
  const path = join(folder, 'store.db');
  await importHistory(path, goodHistory(60));
  return path;
}

/** Returns each account in a range with its key. */
function accountsIn(items: AccountItems, range?: AccountRange): readonly (readonly [AccountKey, string])[] {
  return Array.from(items.read(PAGE_SIZE, range)).flatMap(({ keys, lengths, json }) => {
    let start = 0;
    return keys.map((key, index) => {
      const end = start + (lengths[index] ?? 0);
      const account = json.subarray(start, end).toString();
      start = end + 1;
      return [key, account] as const;
    });
  });
}

describe('AccountItems', () => {
  it('reads the accounts of the pages one by one, also from one key to another', async () => {
    const store = Store.open(await storeIn(temporaryFolder()));
    try {
      const all = accountsIn(store.accountItems());
      expect(all.map(([key]) => key)).toEqual([...store.accountKeys()]);
      expect(all.map(([, account]) => JSON.parse(account).screen_name)).toEqual(NAMES);
      expect(all.map(([, account]) => account).join(',')).toBe(store.accounts('first').take(100).read(PAGE_SIZE).toString());
      const keys = [undefined, ...all.map(([key]) => key), undefined];
      for (const [first, after] of keys.slice(0, -1).entries())
        for (const [count, upTo] of keys.slice(first + 1).entries())
          expect(accountsIn(store.accountItems(), { after, upTo })).toEqual(
            upTo === undefined ? all.slice(first) : all.slice(first, first + count + 1),
          );
    } finally {
      store.close();
    }
  });

  it.each([
    ['history of an account', `UPDATE history SET head = replace(head, '"ada"', '"Ada"')`],
    ['page count of an account', 'UPDATE history SET records = records + 8'],
    ['profile of an account without records', `UPDATE account SET summary = replace(summary, '"', '''') WHERE screen_name = 'zoe'`],
    ['checksum of an account', `UPDATE account SET checksum = checksum + 1 WHERE screen_name = 'zoe'`],
    ['missing checksum of an account', `UPDATE account SET checksum = NULL WHERE screen_name = 'zoe'`],
  ])('finds a damaged %s', async (_, damage) => {
    const path = await storeIn(temporaryFolder());
    Store.open(path).close();
    const database = new Connection(path);
    database.exec('PRAGMA ignore_check_constraints = ON');
    for (const name of database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all())
      database.exec(`DROP TRIGGER ${name}`);
    database.exec(damage);
    database.close();
    const store = Store.open(path);
    try {
      expect(() => accountsIn(store.accountItems())).toThrow(expect.objectContaining({ code: 'bad-store' }));
    } finally {
      store.close();
    }
  });
});
