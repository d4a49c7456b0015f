import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AccountReader } from '../../src/store/accounts/account-reader.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observe } from '../support/snapshots.ts';

describe('published accounts', () => {
  it('has the published profile: the changes after the profile of the source count', async () => {
    const database = await storeOf({ bio: 'one', verified: true }, { bio: 'two', verified: false });
    expect([...new AccountReader(database).published()]).toMatchObject([{ screen_name: 'ann', bio: 'two', verified: false, records: 4 }]);
    database.close();
  });

  it.each([
    ["UPDATE history SET tail = replace(tail, 'two', 'six')"],
    ["UPDATE history SET head = replace(head, 'one', 'six')"],
    ['UPDATE history SET records = records + 1'],
    ['DELETE FROM history'],
  ])('refuses a damaged store: %s', async (damage) => {
    const database = await storeOf({ bio: 'one' }, { bio: 'two' });
    database.exec(damage);
    expect(() => [...new AccountReader(database).published()]).toThrow(expect.objectContaining({ code: 'bad-store' }));
    database.close();
  });
});

async function storeOf(...profiles: readonly object[]): Promise<Connection> {
  const path = join(temporaryFolder(), 'store.db');
  await observe(
    path,
    profiles.map((profile, index) => ({ observed_at: `2020-01-0${index + 1}T00:00:00Z`, screen_name: 'ann', ...profile })),
  );
  return new Connection(path);
}
