import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConflictPolicy } from '../../src/contract/record.ts';
import { ndjson } from '../../src/export/ndjson.ts';
import { importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { Store } from '../../src/store/store.ts';
import { emptyAccount, bioRecord as record } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, observe, type Snapshot, sourceOf } from '../support/snapshots.ts';

const account = (data: readonly object[], more: object = {}) =>
  emptyAccount('jack', { data, data_page_count: 1, display_name: 'Jack', ...more });

const newStore = () => join(temporaryFolder(), 'store.db');
let store: string;
beforeEach(() => {
  store = newStore();
});

function load(path: string, values: readonly Snapshot[], onConflict: ConflictPolicy = 'fail', onReject?: (error: InputError) => void) {
  return importInputs(path, [sourceOf(values, 'lines')], { onConflict, onReject });
}

/** Returns the lines of an export of the store, without the first. */
function exported(): Snapshot[] {
  const opened = Store.open(store);
  const lines = [...ndjson(opened)]
    .join('')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
  opened.close();
  return lines;
}

const night = (day: number, screen_name: string, id = '7') => ({ observed_at: `2026-01-0${day}T00:00:00Z`, id, screen_name, bio: 'x' });

/** Imports two lists one after the other, in either order. Returns the contents of the store, which are the same. */
async function afterEitherOrder(one: readonly Snapshot[], other: readonly Snapshot[]) {
  const [first, second] = [newStore(), newStore()];
  for (const values of [one, other]) await load(first, values);
  for (const values of [other, one]) await load(second, values);
  expect(contentsOf(second)).toEqual(contentsOf(first));
  return contentsOf(first);
}

describe('an import', () => {
  it('of the same records again changes no byte of the store', async () => {
    await load(store, [record(1), record(2), account([record(2), record(1)])]);
    const before = readFileSync(store);
    expect(await load(store, [record(2), account([record(2), record(1)])])).toEqual({
      records: { added: 0, same: 3, kept: 0, replaced: 0, excluded: 0 },
      accounts: { added: 0, same: 1, kept: 0, replaced: 0, excluded: 0 },
      exclusions: { added: 0, same: 0, kept: 0, replaced: 0, excluded: 0 },
      goneItems: { count: 0, newCount: 0 },
      pageSets: [],
      incomplete: [],
      rejected: 0,
      conflicts: { count: 0, listed: [] },
      isAllRejected: false,
      isAboutPageChanged: false,
    });
    expect(readFileSync(store).equals(before)).toBe(true);
  });

  it.each(['fail', 'keep'] as const)(
    'of the same records again changes nothing if their account was renamed meanwhile (%s)',
    async (policy) => {
      const history = [record(1), record(2, { previous: 1 }), account([record(2, { previous: 1 }), record(1)])];
      await load(store, history);
      // an account may lack its records
      const exports = [history, exported(), [record(1), account([])]];
      await observe(store, [night(1, 'jack')]);
      exports.push(exported());
      await observe(store, [night(2, 'dorsey')]);
      const before = contentsOf(store);
      for (const values of exports) {
        expect(await load(store, values, policy)).toMatchObject({
          records: { added: 0, replaced: 0 },
          accounts: { added: 0, replaced: 0 },
        });
        expect(contentsOf(store)).toEqual(before);
      }
      if (policy === 'keep') return;
      // the record before tells that a new record is of the renamed account
      const later = load(store, [record(3, { previous: 2 })]);
      await expect(later).rejects.toMatchObject({
        code: 'conflict',
        expected: 'a new record of @dorsey, which was @jack until it was renamed',
        found: 'record 3 with the account jack',
        hint: expect.stringContaining('replace jack by dorsey'),
      });
      await expect(load(store, [record(2, { previous: 1, text: 'other' })])).rejects.toMatchObject({ code: 'conflict' });
      expect(contentsOf(store)).toEqual(before);
    },
  );

  it.each(['fail', 'keep'] as const)('adds no generated record to another account than the record before it (%s)', async (policy) => {
    const nights = (names: readonly string[]) => names.map((name, day) => ({ ...night(day + 1, name), bio: `${day}` }));
    await observe(store, nights(['old', 'old', 'new', 'new']));
    const records = exported().filter((line) => 'data_type' in line);
    store = newStore();
    await observe(store, nights(['old', 'old']));
    const before = contentsOf(store);
    for (const values of [records.slice(2), records.toReversed()]) {
      const errors: InputError[] = [];
      await load(store, values, policy, (error) => errors.push(error));
      expect(errors).toContainEqual(
        expect.objectContaining({ expected: 'a new record of @old, because the record before it is of that account', item: records[2] }),
      );
      await expect(load(store, values, policy)).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(contentsOf(store).feed).toHaveLength(3);
    expect(before.feed).toHaveLength(2);
  });

  it.each(['jack', 'dorsey'])(
    'of an export from before a rename keeps the newer state, also if another account has the handle (%s)',
    async (name) => {
      await observe(store, [night(1, 'jack')]);
      const older = exported();
      await observe(store, [night(2, 'biz'), night(3, name, '8')]);
      const before = contentsOf(store);
      expect(await load(store, older)).toMatchObject({ records: { same: 1 }, accounts: { kept: 1 }, conflicts: { count: 0 } });
      expect(contentsOf(store)).toEqual(before);
    },
  );

  it('of an export with a rename and of a later record in one run fails as in two runs, but an export of what two runs made does not', async () => {
    await load(store, [record(1), record(2, { previous: 1 })]);
    await observe(store, [night(1, 'jack')]);
    await observe(store, [night(2, 'dorsey')]);
    const later = [record(3, { previous: 2 })];
    const sources = [sourceOf(exported(), 'export'), sourceOf(later, 'later')];
    await expect(importInputs(newStore(), sources, { onConflict: 'fail' })).rejects.toMatchObject({
      code: 'conflict',
      place: { file: 'later' },
      expected: 'a new record of @dorsey, which was @jack until it was renamed',
    });
    await load(store, later, 'keep');
    const copy = newStore();
    await load(copy, exported());
    expect(contentsOf(copy)).toEqual(contentsOf(store));
  });

  it.each<[string, object, readonly Snapshot[]]>([
    ['another creation date', { account_creation_date: '2020-01-01T00:00:00Z' }, []],
    ['no creation date, where that account has one', { account_creation_date: null }, []],
    ['records, before or after it', {}, [record(9)]],
  ])('of an account with a former handle of another and with %s adds it', async (_, more, records) => {
    const profile = account([], { location: 'here', ...more });
    for (const values of [
      [profile, ...records],
      [...records, profile],
    ]) {
      store = newStore();
      await load(store, [account([record(1)], { account_creation_date: '2010-01-01T00:00:00Z' })]);
      await observe(store, [night(1, 'jack'), night(2, 'dorsey')]);
      expect(await load(store, values)).toMatchObject({ accounts: { added: 1, kept: 0 } });
      expect(contentsOf(store).accounts).toContainEqual(expect.objectContaining({ screen_name: 'jack', location: 'here' }));
    }
  });

  it('fails on a record with other content, reports both versions and changes nothing', async () => {
    await load(store, [record(1)]);
    const before = contentsOf(store);
    await expect(load(store, [record(7), record(1, { text: 'other' })])).rejects.toMatchObject({
      code: 'conflict',
      place: { file: 'lines', line: 2 },
      expected: expect.stringContaining('"text":"bio 1"'),
      found: expect.stringContaining('"text":"other"'),
      hint: expect.stringContaining('--on-conflict'),
    });
    expect(contentsOf(store)).toEqual(before);
  });

  it.each<[ConflictPolicy, string]>([
    ['keep', 'bio 1'],
    ['replace', 'other'],
  ])('with the policy %s stores the text "%s" on a conflict', async (policy, text) => {
    await load(store, [record(1)]);
    await load(store, [record(1, { text: 'other' })], policy);
    expect(contentsOf(store).feed).toEqual([record(1, { text })]);
  });

  it('removes an account whose only record moves to another account', async () => {
    await load(store, [record(1), record(2, { account: 'jill' })]);
    await load(store, [record(1, { account: 'jill' })], 'replace');
    const direct = newStore();
    await load(direct, [record(1, { account: 'jill' }), record(2, { account: 'jill' })]);
    expect(contentsOf(store)).toEqual(contentsOf(direct));
  });

  it('can swap the first records of two accounts', async () => {
    await load(store, [record(1), record(2, { account: 'jill' }), record(3), record(4, { account: 'jill' })]);
    await load(store, [record(1, { account: 'jill' }), record(2)], 'replace');
    const direct = newStore();
    await load(direct, [record(1, { account: 'jill' }), record(2), record(3), record(4, { account: 'jill' })]);
    expect(contentsOf(store)).toEqual(contentsOf(direct));
  });

  it('keeps the profile with the newer record, in either order of import', async () => {
    const older = account([record(1)], { bio: 'old' });
    const newer = account([record(2), record(1)], { bio: 'new' });
    expect((await afterEitherOrder([older], [newer])).accounts).toMatchObject([{ bio: 'new' }]);
  });

  it('reports a conflict of two profiles with the same newest record', async () => {
    await load(store, [account([record(1)])]);
    const summary = await load(store, [account([record(1)], { bio: 'other' }), record(2)]);
    expect(summary).toMatchObject({
      records: { added: 1 },
      conflicts: { count: 1, listed: [{ account: 'jack', two_accounts: false, file: 'lines', line: 1 }] },
    });
    expect(contentsOf(store).accounts).toMatchObject([{ bio: 'bio 2' }]);
    await load(store, [account([record(1)], { bio: 'other' })], 'keep');
    expect(contentsOf(store).accounts).toMatchObject([{ bio: 'bio 2' }]);
  });

  it('applies records that are newer than a profile, in either order of import', async () => {
    const profile = account([record(1)], { bio: 'bio 1', location: 'here', website: 'https://example.org' });
    const later = [record(2, { previous: 1 }), record(3, { data_type: 'Website', text: null })];
    const summary = { display_name: 'Jack', bio: 'bio 2', location: 'here', website: null };
    expect((await afterEitherOrder([profile], later)).accounts).toMatchObject([summary]);
  });

  it('derives the profile of an account without a source from its newest records', async () => {
    await load(store, [
      record(1),
      record(2, { data_type: 'Name', text: 'Jack' }),
      record(3, { data_type: 'Website', text: null }),
      record(4, { text: '' }),
      record(5, { data_type: 'Location', text: 'here' }),
    ]);
    const identity = { screen_name: 'jack', account_creation_date: null, profile_image_url: '' };
    expect(contentsOf(store).accounts).toMatchObject([{ ...identity, display_name: 'Jack', website: null, location: 'here', bio: '' }]);
  });

  it.each([9_000_000_000_000_000, Number.MAX_SAFE_INTEGER])(
    'rejects the id %d, because observe would have no ids left after it',
    async (id) => {
      await expect(load(store, [record(id)])).rejects.toMatchObject({
        code: 'bad-field',
        place: { line: 1, field: 'id' },
        found: String(id),
      });
    },
  );

  it('accepts an equally high id if it is the time of its record', async () => {
    const late = record(9_000_000_000_000_000, { first_encountered_date: '2255-03-14T16:00:00.000000Z' });
    await load(store, [late]);
    expect(contentsOf(store).feed).toEqual([late]);
  });
});

describe('two accounts with one screen name', () => {
  const created = (year: number, id: number, more: object = {}) =>
    account([record(id)], { account_creation_date: `${year}-01-01T00:00:00Z`, bio: `of ${year}`, ...more });
  const shown = (store: string) => contentsOf(store).accounts;

  it.each<[ConflictPolicy, string]>([
    ['keep', '2020-01-01T00:00:00Z'],
    ['replace', '2010-01-01T00:00:00Z'],
  ])('are decided by the policy %s', async (policy, account_creation_date) => {
    expect((await load(store, [created(2020, 2), created(2010, 1)], policy)).conflicts.count).toBe(0);
    expect(shown(store)).toMatchObject([{ account_creation_date }]);
  });

  it('conflict without records too, and the store keeps the first', async () => {
    const [one, other] = [2010, 2020].map((year) => created(year, 1, { data: [] }));
    const rejected: InputError[] = [];
    await load(store, [one ?? {}, other ?? {}], 'fail', (inputError) => rejected.push(inputError));
    expect(shown(store)).toMatchObject([{ bio: 'of 2010' }]);
    expect(rejected).toMatchObject([{ code: 'conflict', item: { bio: 'of 2020' } }]);
  });

  it('are no conflict if the later import has the newer one: the handle changed hands', async () => {
    await load(store, [created(2010, 1)]);
    expect((await load(store, [created(2020, 2)])).conflicts.count).toBe(0);
    expect(shown(store)).toMatchObject([{ bio: 'of 2020' }]);
  });

  it('are not assumed without both creation dates', async () => {
    const summary = await load(store, [created(2010, 1, { account_creation_date: null }), created(2020, 2)]);
    expect(summary).toMatchObject({ accounts: { added: 1, replaced: 1 }, conflicts: { count: 0 } });
  });

  it('change nothing in the store if they are imported again', async () => {
    await load(store, [created(2010, 1), created(2020, 2)]);
    const before = contentsOf(store);
    await load(store, [created(2010, 1), created(2020, 2)]);
    expect(contentsOf(store)).toEqual(before);
  });
});

describe('the tables of the store', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['a record of an unknown account', "INSERT INTO record (id, account, json) VALUES (9, 99, json_replace(:json, '$.id', 9))"],
    ['a record under another id', 'INSERT INTO record (id, account, json) SELECT 9, account, :json FROM record'],
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
    await load(store, [record(1), record(2, { account: 'jill' }), record(3, { account: 'jill' })]);
    const database = new Connection(store);
    database.exec(`UPDATE record SET json = json_replace(json, '$.text', 'by hand', '$.account', 'jack') WHERE id = 3;
      DELETE FROM record WHERE id = 2`);
    database.close();
    expect(contentsOf(store)).toMatchObject({
      feed: [record(3, { text: 'by hand' }), record(1)],
      accounts: [{ screen_name: 'jack', bio: 'by hand' }],
    });
  });

  it('refuse a change by another program to an account that they lack', async () => {
    await load(store, [record(1)]);
    const database = new Connection(store);
    database.exec("UPDATE record SET json = json_replace(json, '$.account', 'nobody')");
    database.close();
    expect(() => contentsOf(store)).toThrow(
      expect.objectContaining({ code: 'bad-store', found: 'record 1 of an account that is not in the store' }),
    );
  });
});
