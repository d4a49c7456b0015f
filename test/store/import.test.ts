import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConflictPolicy } from '../../src/contract/conflict-policy.ts';
import { Failure } from '../../src/contract/failure.ts';
import { type ImportSummary, importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { Connection } from '../../src/store/connection.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord as record } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';

const account = (data: readonly object[], more: object = {}) => ({
  screen_name: 'jack',
  account_creation_date: null,
  profile_image_url: '',
  data,
  data_page_count: 1,
  display_name: 'Jack',
  website: null,
  location: '',
  bio: '',
  ...more,
});

function load(
  store: string,
  values: readonly object[],
  onConflict: ConflictPolicy = 'fail',
  onReject?: (inputError: InputError) => void,
): Promise<ImportSummary> {
  async function* bytes() {
    yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));
  }
  return importInputs(store, [{ name: 'lines', size: undefined, open: bytes }], { onConflict, onReject });
}

/** Returns the published data of a store: the feed and the accounts. */
function contents(path: string): { feed: unknown; accounts: unknown; fingerprint: string } {
  const store = Store.open(path);
  try {
    const list = (json: Buffer): unknown => JSON.parse(`[${json.toString()}]`);
    return {
      feed: list(store.feed('first').take(1000).json),
      accounts: list(store.accounts('first').take(1000).read(100)),
      fingerprint: store.revision.fingerprint,
    };
  } finally {
    store.close();
  }
}

describe('an import', () => {
  it('of the same records again changes no byte of the store', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1), record(2), account([record(2), record(1)])]);
    const before = readFileSync(store);
    expect(await load(store, [record(2), account([record(2), record(1)])])).toEqual({
      records: { added: 0, same: 3, kept: 0, replaced: 0, excluded: 0 },
      accounts: { added: 0, same: 1, kept: 0, replaced: 0, excluded: 0 },
      exclusions: { added: 0, same: 0, kept: 0, replaced: 0, excluded: 0 },
      pageSets: [],
      rejected: 0,
      conflicts: { count: 0, listed: [] },
    });
    expect(readFileSync(store).equals(before)).toBe(true);
  });

  it('fails on a record with other content, reports both versions and changes nothing', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1)]);
    const before = contents(store);
    const failure: unknown = await load(store, [record(7), record(1, { text: 'other' })]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    if (!(failure instanceof Failure)) return;
    expect(failure).toMatchObject({ code: 'conflict', place: { file: 'lines', line: 2 } });
    expect(failure.expected).toContain('"text":"bio 1"');
    expect(failure.found).toContain('"text":"other"');
    expect(failure.hint).toContain('--on-conflict');
    expect(contents(store)).toEqual(before);
  });

  it.each<[ConflictPolicy, string]>([
    ['keep', 'bio 1'],
    ['replace', 'other'],
  ])('with the policy %s stores the text "%s" on a conflict', async (policy, text) => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1)]);
    await load(store, [record(1, { text: 'other' })], policy);
    expect(contents(store).feed).toEqual([record(1, { text })]);
  });

  it('removes an account whose only record moves to another account', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1), record(2, { account: 'jill' })]);
    await load(store, [record(1, { account: 'jill' })], 'replace');
    const direct = join(temporaryFolder(), 'direct.db');
    await load(direct, [record(1, { account: 'jill' }), record(2, { account: 'jill' })]);
    expect(contents(store)).toEqual(contents(direct));
  });

  it('can swap the first records of two accounts', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1), record(2, { account: 'jill' }), record(3), record(4, { account: 'jill' })]);
    await load(store, [record(1, { account: 'jill' }), record(2)], 'replace');
    const direct = join(temporaryFolder(), 'direct.db');
    await load(direct, [record(1, { account: 'jill' }), record(2), record(3), record(4, { account: 'jill' })]);
    expect(contents(store)).toEqual(contents(direct));
  });

  it('keeps the profile with the newer record, in either order of import', async () => {
    const older = account([record(1)], { bio: 'old' });
    const newer = account([record(2), record(1)], { bio: 'new' });
    const states = [];
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const store = join(temporaryFolder(), 'store.db');
      for (const value of order) await load(store, [value]);
      states.push(contents(store));
    }
    expect(states[0]).toEqual(states[1]);
    expect(states[0]?.accounts).toMatchObject([{ bio: 'new' }]);
  });

  it('reports a conflict of two profiles with the same newest record', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [account([record(1)])]);
    const summary = await load(store, [account([record(1)], { bio: 'other' }), record(2)]);
    expect(summary).toMatchObject({
      records: { added: 1 },
      conflicts: { count: 1, listed: [{ account: 'jack', two_accounts: false, file: 'lines', line: 1 }] },
    });
    expect(contents(store).accounts).toMatchObject([{ bio: 'bio 2' }]);
    await load(store, [account([record(1)], { bio: 'other' })], 'keep');
    expect(contents(store).accounts).toMatchObject([{ bio: 'bio 2' }]);
  });

  it('takes the other of two profiles with the policy replace', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [account([record(1)])]);
    await load(store, [account([record(1)], { bio: 'other' })], 'replace');
    expect(contents(store).accounts).toMatchObject([{ bio: 'other' }]);
  });

  it('applies records that are newer than a profile, in either order of import', async () => {
    const profile = account([record(1)], { bio: 'bio 1', location: 'here', website: 'https://example.org' });
    const later = [record(2, { previous: 1 }), record(3, { data_type: 'Website', text: null })];
    const states = [];
    for (const order of [
      [[profile], later],
      [later, [profile]],
    ]) {
      const store = join(temporaryFolder(), 'store.db');
      for (const values of order) await load(store, values);
      states.push(contents(store));
    }
    expect(states[0]).toEqual(states[1]);
    expect(states[0]?.accounts).toMatchObject([{ display_name: 'Jack', bio: 'bio 2', location: 'here', website: null }]);
  });

  it('derives the profile of an account without a source from its newest records', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [
      record(1),
      record(2, { data_type: 'Name', text: 'Jack' }),
      record(3, { data_type: 'Website', text: null }),
      record(4, { text: '' }),
      record(5, { data_type: 'Location', text: 'here' }),
    ]);
    expect(contents(store).accounts).toMatchObject([
      {
        screen_name: 'jack',
        account_creation_date: null,
        profile_image_url: '',
        display_name: 'Jack',
        website: null,
        location: 'here',
        bio: '',
      },
    ]);
  });

  it('rejects invalid items with a reason and imports the rest', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1)]);
    const inputErrors: InputError[] = [];
    const summary = await load(
      store,
      [record(2), record(3, { text: 5 }), record(1, { text: 'other' }), { likes: 3 }],
      'fail',
      (inputError) => inputErrors.push(inputError),
    );
    expect(summary).toMatchObject({ records: { added: 1 }, rejected: 3 });
    expect(inputErrors).toMatchObject([
      { code: 'bad-field', place: { line: 2, field: 'text' }, expected: 'a string or null', found: '5', item: { id: 3 } },
      { code: 'conflict', place: { line: 3 }, item: { id: 1 } },
      { code: 'bad-field', place: { line: 4 }, item: { likes: 3 } },
    ]);
    expect(contents(store).feed).toEqual([record(2), record(1)]);
  });

  it('keeps the largest id, lone surrogates and NUL unchanged', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const odd = record(8_999_999_999_999_999, { text: '\ud83d \u0000 \u2028', diff_html: '\udc00' });
    await load(store, [odd]);
    expect(contents(store).feed).toEqual([odd]);
  });

  it.each([9_000_000_000_000_000, Number.MAX_SAFE_INTEGER])(
    'rejects the id %d, because observe would have no ids left after it',
    async (id) => {
      const store = join(temporaryFolder(), 'store.db');
      await expect(load(store, [record(id)])).rejects.toMatchObject({
        code: 'bad-field',
        place: { line: 1, field: 'id' },
        found: String(id),
      });
    },
  );

  it('accepts an equally high id if it is the time of its record', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const late = record(9_000_000_000_000_000, { first_encountered_date: '2255-03-14T16:00:00.000000Z' });
    await load(store, [late]);
    expect(contents(store).feed).toEqual([late]);
  });
});

describe('two accounts with one screen name', () => {
  const created = (year: number, id: number, more: object = {}) =>
    account([record(id)], { account_creation_date: `${year}-01-01T00:00:00Z`, bio: `of ${year}`, ...more });
  const shown = (store: string) => contents(store).accounts;

  it('get the name by the newer record, in either order, and the other is left out', async () => {
    const [older, newer] = [created(2010, 1), created(2020, 2)];
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const store = join(temporaryFolder(), 'store.db');
      const summary = await load(store, order);
      expect(summary.conflicts).toMatchObject({
        count: 1,
        listed: [{ account: 'jack', two_accounts: true, kept_creation_date: '2020-01-01T00:00:00Z', line: 2 }],
      });
      expect(shown(store)).toMatchObject([{ bio: 'of 2020', data: [{ id: 2 }, { id: 1 }] }]);
    }
  });

  it('are one conflict after another if there are three', async () => {
    const store = join(temporaryFolder(), 'store.db');
    expect((await load(store, [created(2010, 1), created(2020, 3), created(2015, 2)])).conflicts.count).toBe(2);
    expect(shown(store)).toMatchObject([{ bio: 'of 2020' }]);
  });

  it.each<[ConflictPolicy, string]>([
    ['keep', '2020-01-01T00:00:00Z'],
    ['replace', '2010-01-01T00:00:00Z'],
  ])('are decided by the policy %s', async (policy, account_creation_date) => {
    const store = join(temporaryFolder(), 'store.db');
    expect((await load(store, [created(2020, 2), created(2010, 1)], policy)).conflicts.count).toBe(0);
    expect(shown(store)).toMatchObject([{ account_creation_date }]);
  });

  it('conflict without records too, and the store keeps the first', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const [one, other] = [2010, 2020].map((year) => created(year, 1, { data: [] }));
    const rejected: InputError[] = [];
    await load(store, [one ?? {}, other ?? {}], 'fail', (inputError) => rejected.push(inputError));
    expect(shown(store)).toMatchObject([{ bio: 'of 2010' }]);
    expect(rejected).toMatchObject([{ code: 'conflict', item: { bio: 'of 2020' } }]);
  });

  it('are no conflict if the later import has the newer one: the handle changed hands', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [created(2010, 1)]);
    expect((await load(store, [created(2020, 2)])).conflicts.count).toBe(0);
    expect(shown(store)).toMatchObject([{ bio: 'of 2020' }]);
  });

  it('are not assumed without both creation dates', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const summary = await load(store, [created(2010, 1, { account_creation_date: null }), created(2020, 2)]);
    expect(summary).toMatchObject({ accounts: { added: 1, replaced: 1 }, conflicts: { count: 0 } });
  });

  it('change nothing in the store if they are imported again', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [created(2010, 1), created(2020, 2)]);
    const before = contents(store);
    await load(store, [created(2010, 1), created(2020, 2)]);
    expect(contents(store)).toEqual(before);
  });
});

describe('the tables of the store', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['a record of an unknown account', "INSERT INTO record (id, json) VALUES (9, json_replace(:json, '$.id', 9, '$.account', 'nobody'))"],
    ['a record under another id', 'INSERT INTO record (id, json) VALUES (9, :json)'],
    ['an unknown data_type', "UPDATE record SET json = json_replace(json, '$.data_type', 'Mood')"],
    ['a date that is not a timestamp', "UPDATE record SET json = json_replace(json, '$.first_encountered_date', 'yesterday')"],
    ['a text that is a number', "UPDATE record SET json = json_replace(json, '$.text', 7)"],
    ['a Verified that is neither true nor false', "UPDATE record SET json = json_replace(json, '$.data_type', 'Verified')"],
    ['a record that precedes itself', "UPDATE record SET json = json_replace(json, '$.previous', 1)"],
    ['a record without diff_html', "UPDATE record SET json = json_remove(json, '$.diff_html')"],
    ['a record without a previous', "UPDATE record SET json = json_remove(json, '$.previous')"],
    ['a record without a data_type', "UPDATE record SET json = json_remove(json, '$.data_type')"],
    ['a record that is not JSON', "UPDATE record SET json = '{'"],
    ['an account of another name', "UPDATE account SET identity = json_replace(identity, '$.screen_name', 'jill')"],
    ['an account without a name', "UPDATE account SET screen_name = ''"],
    ['a bio that is null', "UPDATE account SET summary = json_replace(summary, '$.bio', NULL)"],
    ['an id beyond 2^53 - 1', "UPDATE record SET id = 9007199254740992, json = json_replace(json, '$.id', 9007199254740992)"],
  ];

  it.each(rows)('reject %s', async (_, sql) => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1)]);
    const database = new Connection(store);
    const json = JSON.stringify(record(1));
    const statement = database.prepare<unknown[]>(sql);
    expect(() => (sql.includes(':json') ? statement.run({ json }) : statement.run())).toThrow(
      /constraint failed|cannot store|malformed JSON/,
    );
    database.close();
  });

  it('publish a change by another program', async () => {
    const store = join(temporaryFolder(), 'store.db');
    await load(store, [record(1), record(2, { account: 'jill' })]);
    const database = new Connection(store);
    database.exec("UPDATE record SET json = json_replace(json, '$.text', 'by hand') WHERE id = 1; DELETE FROM record WHERE id = 2");
    database.close();
    expect(contents(store)).toMatchObject({ feed: [record(1, { text: 'by hand' })], accounts: [{ screen_name: 'jack', bio: 'by hand' }] });
  });
});
