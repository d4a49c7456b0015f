import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteText } from '../../src/browse/byte-text.ts';
import { FormerHandles } from '../../src/browse/former-handles.ts';
import { AccountIndex, FOLDERS } from '../../src/browse/parts.ts';
import { accountPlace } from '../../src/browse/paths.ts';
import { Connection } from '../../src/store/connection.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observe } from '../support/snapshots.ts';

const ACCOUNTS = 8;
const rows = fc.uniqueArray(
  fc.record({
    handle: fc.oneof(
      fc.constantFrom('ann', 'Ann', 'bob', 'user_1', 'é'),
      fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme-ascii' }),
    ),
    seen_to: fc.nat(2),
    account: fc.integer({ min: 1, max: ACCOUNTS }),
  }),
  { selector: ({ handle, seen_to, account }) => `${handle.toLowerCase()} ${seen_to} ${account}`, maxLength: 40 },
);

describe('the former handles of a folder', () => {
  it('are those whose pages are in the folder, with every other account that had them, the last one first', async () => {
    const path = join(temporaryFolder(), 'store.db');
    // one a minute, so that each account has the number in its handle
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => index + 1);
    await observe(
      path,
      accounts.map((number) => ({ observed_at: `2020-01-01T00:0${number}:00Z`, screen_name: `user_${number}`, bio: '' })),
    );
    await fc.assert(
      fc.property(rows, (former) => {
        const database = new Connection(path);
        const add = database.prepare('INSERT INTO former_handle (handle, seen_to, account) VALUES (?, ?, ?)');
        database.exec('DELETE FROM former_handle');
        for (const { handle, seen_to, account } of former) add.run(handle, seen_to, account);
        database.close();

        const store = Store.open(path);
        const stored = store.storedAccounts();
        const index = new AccountIndex(stored.allFormerHandles(), stored.formerHandleCount);
        const found = Array.from({ length: FOLDERS }, (_, folder) => {
          const handles = new FormerHandles(stored, index, folder);
          return [...handles.handles()].map((handle) => {
            expect(Number.parseInt(accountPlace(handle).folder, 16)).toBe(folder);
            return [handle, handles.holdersOf(handle).map(({ screen_name }) => screen_name)] as const;
          });
        }).flat();
        store.close();

        const expected = new Map<string, Set<string>>();
        const newestFirst = former.toSorted((a, b) => b.seen_to - a.seen_to || a.account - b.account);
        for (const { handle, account } of newestFirst) {
          const text = byteText(handle);
          const holders = expected.get(text) ?? new Set();
          // the account that has the handle today is not a former holder
          expected.set(text, text === `user_${account}` ? holders : holders.add(`user_${account}`));
        }
        expect(new Map(found)).toEqual(new Map([...expected].map(([handle, holders]) => [handle, [...holders]])));
        expect(found.length).toBe(expected.size);
      }),
      { numRuns: 15 },
    );
  });
});
