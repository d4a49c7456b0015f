import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Contents, contentsOf, observe, type Snapshot, sourceOf, withoutFormerHandles } from '../support/snapshots.ts';

/** A second of one day. */
const at = (second: number) => new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString();
/** The microseconds since 1970 of such a second. */
const idAt = (second: number) => (Date.UTC(2020, 0, 1) + second * 1000) * 1000;

const snapshot = (second: number, more: Snapshot = {}): Snapshot => ({ observed_at: at(second), screen_name: 'jack', ...more });

const record = (id: number, more: object = {}) => ({
  id,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: 'old',
  first_encountered_date: '2019-05-05T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
  ...more,
});

function load(store: string, values: readonly object[]): Promise<unknown> {
  return importInputs(
    store,
    [
      sourceOf(
        values.map((value) => ({ ...value })),
        'records',
      ),
    ],
    { onConflict: 'fail' },
  );
}

const newStore = () => join(temporaryFolder(), 'store.db');

/** Returns the contents of a new store after some runs, one for each list of snapshots. */
async function contentsAfter(...runs: readonly (readonly Snapshot[])[]): Promise<Contents> {
  const store = newStore();
  for (const run of runs) await observe(store, run);
  return contentsOf(store);
}

/** Returns the changes of a feed in short form, oldest first. */
function changesIn({ feed }: Contents): string[] {
  return feed.toReversed().map(({ account, data_type, text }) => `${account} ${data_type} ${JSON.stringify(text)}`);
}

const namesIn = ({ accounts }: Contents) => accounts.map(({ screen_name }) => screen_name).sort();

describe('the first snapshot of an account', () => {
  it('adds a first record for each field that it contains, also for empty ones, in a fixed order', async () => {
    const { feed, accounts } = await contentsAfter([
      snapshot(0, {
        verified: false,
        website: null,
        location: '',
        bio: 'hello',
        display_name: 'Jack',
        web_archive_url: 'https://archive.example/1',
      }),
    ]);
    const first = (index: number, data_type: 'Name' | 'Bio' | 'Location' | 'Website' | 'Verified', text: string) => ({
      id: idAt(0) + index,
      account: 'jack',
      data_type,
      previous: null,
      text,
      first_encountered_date: '2020-01-01T00:00:00.000000Z',
      diff_html: diffHtml(data_type, undefined, text),
      web_archive_url: 'https://archive.example/1',
    });
    expect(feed.toReversed()).toEqual([
      first(0, 'Name', 'Jack'),
      first(1, 'Bio', 'hello'),
      first(2, 'Location', ''),
      first(3, 'Website', ''),
      first(4, 'Verified', 'false'),
    ]);
    expect(accounts).toMatchObject([{ screen_name: 'jack', display_name: 'Jack', bio: 'hello', location: '', website: '' }]);
  });

  it('adds no record for a field that it does not contain; the field gets its first record when it is observed', async () => {
    const contents = await contentsAfter([snapshot(0, { bio: 'hello' }), snapshot(1, { display_name: 'Jack' })]);
    expect(changesIn(contents)).toEqual(['jack Bio "hello"', 'jack Name "Jack"']);
    expect(contents.feed.map(({ previous }) => previous)).toEqual([null, null]);
  });

  it('adds an account without records if it contains only the handle', async () => {
    const contents = await contentsAfter([snapshot(0)]);
    expect(contents.feed).toEqual([]);
    expect(contents.accounts).toMatchObject([{ screen_name: 'jack', data: [] }]);
  });
});

describe('a snapshot of a known account', () => {
  const first = snapshot(0, { display_name: 'Jack', bio: 'hello', location: 'here', website: 'https://a.example', verified: false });

  it('adds nothing if it is equal', async () => {
    const store = newStore();
    await observe(store, [first]);
    expect(
      await observe(store, [
        { ...first, observed_at: at(9) },
        { ...first, observed_at: at(10) },
      ]),
    ).toMatchObject({
      snapshots: 2,
      unchanged: 2,
      records: { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 },
      accounts: { added: 0, renamed: 0 },
    });
    expect(contentsOf(store).feed).toHaveLength(5);
  });

  it('adds one record for each changed field, with the id of the previous record', async () => {
    const { feed, accounts } = await contentsAfter([first], [{ ...first, observed_at: at(9), bio: 'bye', verified: true }]);
    expect(feed.slice(0, 2).toReversed()).toEqual([
      {
        id: idAt(9),
        account: 'jack',
        data_type: 'Bio',
        previous: idAt(0) + 1,
        text: 'bye',
        first_encountered_date: '2020-01-01T00:00:09.000000Z',
        diff_html: diffHtml('Bio', 'hello', 'bye'),
        web_archive_url: null,
      },
      expect.objectContaining({ id: idAt(9) + 1, data_type: 'Verified', previous: idAt(0) + 4, text: 'true' }),
    ]);
    expect(feed).toHaveLength(7);
    expect(accounts).toMatchObject([{ bio: 'bye', display_name: 'Jack' }]);
  });

  it.each<[string, Snapshot, readonly string[]]>([
    ['a field that is absent', {}, []],
    ['an empty Bio', { bio: '' }, ['jack Bio ""']],
    ['a Bio that is null', { bio: null }, ['jack Bio ""']],
    ['a Location that is null', { location: null }, ['jack Location ""']],
    ['a Name that is null', { display_name: null }, ['jack Name ""']],
    ['an empty Website', { website: '' }, ['jack Website null']],
    ['a Website that is null', { website: null }, ['jack Website null']],
    ['a Verified that is null', { verified: null }, []],
  ])('adds the right records with %s', async (_, more, changes) => {
    const contents = await contentsAfter([first, snapshot(1, more)]);
    expect(changesIn(contents).slice(5)).toEqual(changes);
  });

  it('treats "" and null as the same Website, before and after it had one', async () => {
    const website = (value: string | null, second: number) => snapshot(second, { website: value });
    const states = [null, '', null, 'https://a.example', '', null, '', 'https://b.example', null];
    const contents = await contentsAfter(states.map(website));
    expect(contents.feed.toReversed().map(({ text }) => text)).toEqual(['', 'https://a.example', null, 'https://b.example', null]);
    expect(contents.accounts).toMatchObject([{ website: null }]);
  });

  it('updates the summary, image and creation date of the account, and keeps fields that it does not contain', async () => {
    const contents = await contentsAfter([
      snapshot(0, { bio: 'a', account_creation_date: '2010-11-29T21:18:15.5Z', profile_image_url: 'https://images.example/1' }),
      snapshot(1, { bio: 'b', location: 'here' }),
      snapshot(2, { profile_image_url: 'https://images.example/2' }),
    ]);
    expect(contents.accounts).toMatchObject([
      {
        account_creation_date: '2010-11-29T21:18:15Z',
        profile_image_url: 'https://images.example/2',
        display_name: '',
        website: null,
        location: 'here',
        bio: 'b',
      },
    ]);
  });

  it.each([
    [null, null],
    [undefined, null],
    ['', ''],
    ['https://archive.example/x?a=1', 'https://archive.example/x?a=1'],
  ])('keeps the URL of its archived copy, %j, unchanged', async (web_archive_url, kept) => {
    const { feed } = await contentsAfter([snapshot(0, { bio: 'a', web_archive_url })]);
    expect(feed).toMatchObject([{ web_archive_url: kept }]);
  });
});

describe('the ids of new records', () => {
  it('increase with time across accounts and equal the microseconds of their times', async () => {
    const { feed } = await contentsAfter([
      { observed_at: '2020-01-01T00:00:02.5Z', screen_name: 'b', bio: '2' },
      { observed_at: '2020-01-01T01:00:01.000007+01:00', screen_name: 'a', bio: '1' },
      { observed_at: at(3), screen_name: 'a', bio: '3' },
    ]);
    expect(feed.toReversed().map(({ id, account, first_encountered_date }) => [id, account, first_encountered_date])).toEqual([
      [idAt(1) + 7, 'a', '2020-01-01T00:00:01.000007Z'],
      [idAt(2.5), 'b', '2020-01-01T00:00:02.500000Z'],
      [idAt(3), 'a', '2020-01-01T00:00:03.000000Z'],
    ]);
  });

  it('of one time follow each other, in the next run too, and shift those of the next microsecond', async () => {
    const { feed } = await contentsAfter(
      [snapshot(0, { bio: '1', display_name: '2' })],
      [{ ...snapshot(0, { bio: '3' }), screen_name: 'jill' }],
      [{ observed_at: '2020-01-01T00:00:00.000001Z', screen_name: 'joe', bio: '4' }],
    );
    expect(feed.map(({ id }) => id)).toEqual([idAt(0) + 3, idAt(0) + 2, idAt(0) + 1, idAt(0)]);
    expect(feed[0]).toMatchObject({ account: 'joe', first_encountered_date: '2020-01-01T00:00:00.000001Z' });
  });

  it('follow the ids of imported records that are higher', async () => {
    const store = newStore();
    const far = 8_999_999_999_999_999;
    await load(store, [record(far)]);
    await observe(store, [snapshot(0, { bio: 'new' })]);
    expect(contentsOf(store).feed).toMatchObject([{ id: far + 1, previous: far, text: 'new' }, { id: far }]);
  });

  it('are not assigned between records without a free id', async () => {
    const store = newStore();
    await load(store, [record(5, { first_encountered_date: '2021-05-05T16:29:12Z' })]);
    const before = contentsOf(store);
    const failure = observe(store, [{ observed_at: at(0), screen_name: 'jill', bio: 'x' }]);
    await expect(failure).rejects.toMatchObject({
      code: 'late',
      place: { file: 'snapshots', line: 1 },
      expected: 'a free id, because ids in the feed have the same order as dates',
      found: '2020-01-01T00:00:00.000000Z, between records without a free id',
    });
    expect(contentsOf(store)).toEqual(before);
  });

  it('are available after an import that rejected the highest id', async () => {
    const store = newStore();
    const records = [record(1), record(Number.MAX_SAFE_INTEGER, { account: 'jill', previous: null })];
    const inputErrors: InputError[] = [];
    await importInputs(store, [sourceOf(records.map((one) => ({ ...one })))], {
      onConflict: 'fail',
      onReject: (inputError) => inputErrors.push(inputError),
    });
    expect(inputErrors).toMatchObject([{ code: 'bad-field', place: { line: 2, field: 'id' } }]);
    expect(await observe(store, [snapshot(0, { bio: 'new' })])).toMatchObject({ rejected: 0 });
    expect(contentsOf(store).feed[0]).toMatchObject({ text: 'new' });
  });

  it('end at 2^53-1: one more record is rejected, and records that fit are still added', async () => {
    const store = newStore();
    // only an export may contain such a record; from other sources it is rejected
    await load(store, [{ format: 'palimpsest-store', version: 1, accounts: 0, records: 1 }, record(Number.MAX_SAFE_INTEGER - 2)]);
    const inputErrors: InputError[] = [];
    const onReject = (inputError: InputError) => inputErrors.push(inputError);
    await observe(store, [snapshot(0, { display_name: 'a', location: 'b', website: 'c' }), snapshot(1, { bio: 'd' })], { onReject });
    expect(inputErrors).toMatchObject([{ code: 'late', place: { line: 1 } }]);
    expect(contentsOf(store).feed).toMatchObject([{ id: Number.MAX_SAFE_INTEGER - 1, text: 'd' }, {}]);
  });
});

describe('an account with a stable id', () => {
  it('keeps its history under a new handle, and its old records show the new handle', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { id: '7', bio: 'a' })]);
    expect(await observe(store, [snapshot(1, { id: '7', screen_name: 'dorsey', bio: 'b' })])).toMatchObject({
      accounts: { added: 0, renamed: 1 },
      records: { Bio: 1 },
    });
    const contents = contentsOf(store);
    expect(contents.feed).toMatchObject([
      { account: 'dorsey', text: 'b', previous: idAt(0) },
      { account: 'dorsey', text: 'a' },
    ]);
    expect(contents.accounts).toMatchObject([{ screen_name: 'dorsey', data: contents.feed }]);
  });

  it('is a new account if its handle moved to another id; the old account then shows its id', async () => {
    const contents = await contentsAfter([snapshot(0, { id: '7', bio: 'a' }), snapshot(1, { id: '8', bio: 'a' })]);
    expect(changesIn(contents)).toEqual(['jack~7 Bio "a"', 'jack Bio "a"']);
    expect(contents.feed.map(({ previous }) => previous)).toEqual([null, null]);
    expect(contents.known).toMatchObject([
      { screen_name: 'jack', stable_id: '8' },
      { screen_name: 'jack~7', stable_id: '7' },
    ]);
  });

  it('gets its handle back when it is observed with it again, even if nothing else changed', async () => {
    const lost = [snapshot(0, { id: '7', bio: 'a' }), snapshot(1, { id: '8', bio: 'b' })];
    const contents = await contentsAfter([...lost, snapshot(2, { id: '7', bio: 'a' })]);
    expect(changesIn(contents)).toEqual(['jack Bio "a"', 'jack~8 Bio "b"']);
    expect(await contentsAfter(lost, [snapshot(2, { id: '7', bio: 'a' })])).toEqual(contents);
  });

  it('may swap handles with others in a cycle', async () => {
    const names = ['ann', 'bob', 'cyd'];
    const seen = (second: number, shift: number) =>
      names.map((_, index) => snapshot(second + index, { id: String(index), screen_name: names[(index + shift) % 3], bio: `${index}` }));
    const contents = await contentsAfter([...seen(0, 0), ...seen(10, 1), ...seen(20, 2), ...seen(30, 0)]);
    expect(changesIn(contents)).toEqual(['ann Bio "0"', 'bob Bio "1"', 'cyd Bio "2"']);
    expect(namesIn(contents)).toEqual(names);
    expect(namesIn(await contentsAfter([...seen(0, 0), ...seen(10, 1).slice(0, 2)]))).toEqual(['bob', 'cyd', 'cyd~2']);
  });

  it('does not take a handle from an account that was observed with it later', async () => {
    const recycled = [snapshot(0, { id: '7', bio: 'a' }), snapshot(5, { id: '7', bio: 'aa' }), snapshot(9, { id: '8', bio: 'b' })];
    const inOrder = await contentsAfter(recycled);
    expect(namesIn(inOrder)).toEqual(['jack', 'jack~7']);
    const inOtherOrder = await contentsAfter([...recycled.slice(2)], recycled.slice(0, 2));
    expect(withoutFormerHandles(inOtherOrder)).toEqual(withoutFormerHandles(inOrder));
    // the same for an account that is already known under another handle
    const renamed = [snapshot(1, { id: '7', screen_name: 'Old', bio: 'a' }), snapshot(5, { id: '7' }), snapshot(9, { id: '8', bio: 'b' })];
    const inRuns = await contentsAfter(renamed.slice(2), renamed.slice(0, 1), renamed.slice(1, 2));
    expect(withoutFormerHandles(inRuns)).toEqual(withoutFormerHandles(await contentsAfter(renamed)));
  });

  it('gets its handle back from a later account when it is observed with it again', async () => {
    const seven = [0, 5, 9].map((second) => snapshot(second, { id: '7', bio: 'a' }));
    const eight = [snapshot(7, { id: '8', bio: 'b' })];
    const contents = await contentsAfter(eight, seven);
    expect(withoutFormerHandles(contents)).toEqual(withoutFormerHandles(await contentsAfter([...seven, ...eight])));
    expect(changesIn(contents)).toEqual(['jack Bio "a"', 'jack~8 Bio "b"']);
  });

  it('is the same as the account that was known only by the handle, such as an imported one', async () => {
    const store = newStore();
    await load(store, [record(5)]);
    await observe(store, [snapshot(0, { id: '7', bio: 'new' }), snapshot(1, { id: '7', screen_name: 'dorsey' })]);
    const contents = contentsOf(store);
    expect(contents.feed).toMatchObject([
      { account: 'dorsey', text: 'new', previous: 5 },
      { id: 5, account: 'dorsey' },
    ]);
    expect(contents.known).toMatchObject([{ screen_name: 'dorsey', stable_id: '7' }]);
  });

  it('is not matched with the account known by the handle if it cannot be the same', async () => {
    const store = newStore();
    await load(store, [record(5, { first_encountered_date: '2021-05-05T16:29:12Z' })]);
    const before = contentsOf(store);
    await observe(store, [snapshot(0, { id: '7', bio: 'of somebody else' })], { onReject: () => {} });
    expect(contentsOf(store)).toEqual(before);
  });

  it('is found by a former handle if the source contains it', async () => {
    const store = newStore();
    await load(store, [record(5), record(6, { account: 'jill' })]);
    const archive = {
      account: [{ account: { username: 'dorsey', accountId: '7', accountDisplayName: 'Jack' } }],
      'screen-name-change': [{ screenNameChange: { screenNameChange: { changedFrom: 'jack', changedTo: 'dorsey' } } }],
    };
    await observe(store, [archive], { snapshots: { from: undefined, observedAt: idAt(0), unescape: false } });
    const contents = contentsOf(store);
    expect(changesIn(contents)).toEqual(['dorsey Bio "old"', 'jill Bio "old"', 'dorsey Name "Jack"']);
    expect(contents.known).toMatchObject([
      { screen_name: 'dorsey', stable_id: '7' },
      { screen_name: 'jill', stable_id: null },
    ]);
  });
});

describe('a handle', () => {
  it('ignores case, and is shown as in the last snapshot', async () => {
    const contents = await contentsAfter([snapshot(0, { bio: 'a' }), snapshot(1, { screen_name: 'Jack', bio: 'b' })]);
    expect(changesIn(contents)).toEqual(['Jack Bio "a"', 'Jack Bio "b"']);
    expect(namesIn(contents)).toEqual(['Jack']);
  });

  it('stays with the first account if another account uses it in different case', async () => {
    const contents = await contentsAfter([snapshot(0, { id: '7', screen_name: 'Jack', bio: 'a' }), snapshot(1, { id: '8', bio: 'b' })]);
    expect(namesIn(contents)).toEqual(['Jack~7', 'jack']);
  });

  it('gives the first account a generated name if another account takes it and the first has no id', async () => {
    const contents = await contentsAfter([
      snapshot(0, { bio: 'a' }),
      snapshot(1, { id: '7', screen_name: 'jill', bio: 'b' }),
      snapshot(2, { id: '7' }),
      snapshot(3, { id: '7', screen_name: 'jill' }),
      snapshot(4, { bio: 'c' }),
      snapshot(5, { id: '7' }),
    ]);
    expect(namesIn(contents)).toEqual(['jack', 'jack~former', 'jack~former~']);
  });
});

describe('a late snapshot', () => {
  const known = [snapshot(0, { bio: 'a' }), snapshot(10, { bio: 'b' }), snapshot(20, { bio: 'b' })];

  it('is skipped if the store already has its values', async () => {
    const store = newStore();
    await observe(store, known);
    const before = contentsOf(store);
    const late = [
      snapshot(0, { bio: 'a' }),
      snapshot(5, { bio: 'a' }),
      snapshot(10, { bio: 'a' }),
      snapshot(10, { bio: 'b' }),
      snapshot(19, { bio: 'b' }),
    ];
    expect(await observe(store, late)).toMatchObject({ snapshots: 5, unchanged: 5, rejected: 0 });
    expect(contentsOf(store)).toEqual(before);
  });

  it.each<[string, Snapshot, string, string]>([
    ['another value', snapshot(5, { bio: 'c' }), '"a"', '"c"'],
    ['a value that came later', snapshot(9, { bio: 'b' }), '"a"', '"b"'],
    ['a value that was already replaced', snapshot(11, { bio: 'a' }), '"b"', '"a"'],
    ['another value in a time without changes', snapshot(19, { bio: 'c' }), '"b"', '"c"'],
  ])('with %s ends the run, and the store is unchanged', async (_, late, expected, found) => {
    const store = newStore();
    await observe(store, known);
    const before = contentsOf(store);
    const failure: unknown = await observe(store, [snapshot(30, { bio: 'z' }), late]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'late',
      message: 'a snapshot is too late',
      place: { file: 'snapshots', line: 2 },
      expected: expect.stringContaining(`Bio as the store has it for that time: ${expected}`),
      found: expect.stringMatching(new RegExp(`^${found} at 2020-01-01T00:00:\\d\\d\\.000000Z, older`)),
      hint: expect.stringContaining('--rejects'),
    });
    expect(contentsOf(store)).toEqual(before);
  });

  it('is written to the rejects file as a neutral snapshot, and the rest is added', async () => {
    const store = newStore();
    await observe(store, known);
    const late = snapshot(5, {
      id: '7',
      display_name: '',
      bio: 'c',
      location: 'x',
      website: null,
      verified: true,
      profile_image_url: 'https://images.example/1',
      account_creation_date: null,
      web_archive_url: '',
      former_names: ['early'],
    });
    const inputErrors: InputError[] = [];
    const summary = await observe(store, [late, snapshot(30, { bio: 'z' })], { onReject: (inputError) => inputErrors.push(inputError) });
    expect(summary).toMatchObject({ snapshots: 2, records: { Bio: 1 }, rejected: 1 });
    expect(inputErrors).toMatchObject([{ code: 'late', place: { line: 1 } }]);
    expect(JSON.parse(JSON.stringify(inputErrors[0]?.item))).toEqual({ ...late, observed_at: '2020-01-01T00:00:05.000000Z' });
    expect(await contentsAfter([JSON.parse(JSON.stringify(inputErrors[0]?.item))])).toEqual(await contentsAfter([late]));
  });

  it('adds none of its fields if one contradicts the store', async () => {
    const store = newStore();
    await observe(store, known);
    const before = contentsOf(store);
    await observe(store, [snapshot(5, { id: '7', display_name: 'Jack', bio: 'c' })], { onReject: () => {} });
    expect(contentsOf(store)).toEqual(before);
  });

  it('may be the first to observe a field; the account keeps its current handle', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { id: '7', bio: 'a' }), snapshot(10, { id: '7', screen_name: 'dorsey' })]);
    await observe(store, [snapshot(5, { id: '7', screen_name: 'jack', location: 'here', profile_image_url: 'https://images.example/1' })]);
    const { feed, accounts } = contentsOf(store);
    expect(feed).toMatchObject([
      { account: 'dorsey', data_type: 'Location', id: idAt(5), previous: null },
      { account: 'dorsey', data_type: 'Bio' },
    ]);
    expect(accounts).toMatchObject([{ screen_name: 'dorsey', location: 'here', profile_image_url: '' }]);
  });
});

describe('two snapshots of one time', () => {
  it('are both recorded, in input order', async () => {
    const contents = await contentsAfter([snapshot(0, { bio: 'a' }), snapshot(5, { bio: 'c' }), snapshot(5, { bio: 'b' })]);
    expect(changesIn(contents)).toEqual(['jack Bio "a"', 'jack Bio "c"', 'jack Bio "b"']);
    expect(contents.feed.map(({ id }) => id)).toEqual([idAt(5) + 1, idAt(5), idAt(0)]);
  });

  it('do not record a change to the new value and back', async () => {
    const contents = await contentsAfter([
      snapshot(0, { bio: 'a' }),
      snapshot(5, { bio: 'b' }),
      snapshot(5, { bio: 'a' }),
      snapshot(5, { bio: 'b' }),
    ]);
    expect(changesIn(contents)).toEqual(['jack Bio "a"', 'jack Bio "b"']);
  });
});

describe('a conflict', () => {
  const clash = [
    snapshot(0, { bio: 'a' }),
    snapshot(5, { bio: 'b', location: 'x' }),
    snapshot(5, { bio: 'a', location: 'y' }),
    snapshot(6, { bio: 'a' }),
  ];

  it('is reported with all values, their places, and which of them are recorded', async () => {
    const store = newStore();
    const summary = await observe(store, clash);
    expect(summary.conflicts).toEqual({
      count: 2,
      listed: [
        {
          account: 'jack',
          data_type: 'Bio',
          observed_at: '2020-01-01T00:00:05.000000Z',
          values: [
            { text: 'b', recorded: true, file: 'snapshots', line: 2 },
            { text: 'a', recorded: false, file: 'snapshots', line: 3 },
          ],
        },
        {
          account: 'jack',
          data_type: 'Location',
          observed_at: '2020-01-01T00:00:05.000000Z',
          values: [
            { text: 'x', recorded: true, file: 'snapshots', line: 2 },
            { text: 'y', recorded: true, file: 'snapshots', line: 3 },
          ],
        },
      ],
    });
    expect(changesIn(contentsOf(store))).toEqual([
      'jack Bio "a"',
      'jack Bio "b"',
      'jack Location "x"',
      'jack Location "y"',
      'jack Bio "a"',
    ]);
  });

  it('with an earlier run is reported too, even if that run added nothing', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { bio: 'a' }), snapshot(5, { bio: 'a' })]);
    expect(await observe(store, [snapshot(5, { bio: 'b' })])).toMatchObject({
      conflicts: {
        count: 1,
        listed: [
          {
            values: [
              { text: 'a', recorded: false, file: undefined },
              { text: 'b', recorded: true, file: 'snapshots', line: 1 },
            ],
          },
        ],
      },
    });
    expect(await observe(store, [snapshot(5, { location: 'x' }), snapshot(5, { verified: true })])).toMatchObject({
      conflicts: { count: 0 },
    });
  });

  it('is rejected if its value is not recorded; the store is the same as without the rejects file', async () => {
    const store = newStore();
    const inputErrors: InputError[] = [];
    const summary = await observe(store, clash, { onReject: (inputError) => inputErrors.push(inputError) });
    expect(summary).toMatchObject({ rejected: 1, conflicts: { count: 2 } });
    expect(inputErrors).toMatchObject([
      { code: 'conflict', place: { line: 3 }, found: expect.stringMatching(/^"a"/), item: { bio: 'a', location: 'y' } },
    ]);
    expect(contentsOf(store)).toEqual(await contentsAfter(clash));
  });

  it('is still counted if the list is full, and long values are truncated', async () => {
    const summary = await observe(
      newStore(),
      Array.from({ length: 150 }, (_, index) =>
        [`${index} ${'x'.repeat(9000)}`, 'y'].map((bio) => ({ ...snapshot(0, { bio }), screen_name: `n${index}` })),
      ).flat(),
    );
    expect(summary.conflicts.count).toBe(150);
    expect(summary.conflicts.listed).toHaveLength(100);
    const [{ account, values } = { account: '', values: [] }] = summary.conflicts.listed;
    const text = `${account.slice(1)} ${'x'.repeat(9000)}`;
    expect(values[0]?.text).toBe(`${text.slice(0, 500)}…`);
    const many = await observe(
      newStore(),
      Array.from({ length: 30 }, (_, index) => snapshot(0, { bio: String(index) })),
    );
    expect(many.conflicts).toMatchObject({ count: 1, listed: [{ values: { length: 10 } }] });
  });
});

describe('the same run again', () => {
  it('adds nothing, for any input', async () => {
    const store = newStore();
    const run = [
      snapshot(9, { id: '7', bio: 'z', verified: true }),
      snapshot(0, { id: '7', bio: 'a', location: '' }),
      snapshot(0, { id: '7', bio: 'b' }),
      snapshot(3, { id: '8', bio: 'b' }),
      snapshot(4, { id: '7', screen_name: 'dorsey', website: null }),
      snapshot(12, { screen_name: 'Jack', bio: 'q' }),
    ];
    await observe(store, run);
    const before = contentsOf(store);
    expect(await observe(store, run)).toMatchObject({
      records: { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 },
      accounts: { added: 0 },
    });
    expect(contentsOf(store)).toEqual(before);
  });

  it('leaves no file beside the store', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { bio: 'a' })]);
    await observe(store, ['{"observed_at":7}']).catch(() => {});
    expect(readdirSync(join(store, '..')).filter((name) => !/^store\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  });
});

describe('a dry run', () => {
  it('reports what a run would add, and does not create the store', async () => {
    const store = newStore();
    const run = [snapshot(0, { bio: 'a' }), snapshot(1, { bio: 'b' })];
    const summary = await observe(store, run, { dryRun: true });
    expect(readdirSync(join(store, '..'))).toEqual([]);
    expect(await observe(store, run)).toEqual(summary);
  });

  it('leaves an existing store unchanged to the byte', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { bio: 'a' })]);
    const before = readFileSync(store);
    expect(await observe(store, [snapshot(1, { bio: 'b', id: '7' })], { dryRun: true })).toMatchObject({ records: { Bio: 1 } });
    expect(readFileSync(store).equals(before)).toBe(true);
    expect(existsSync(`${store}-profiles`)).toBe(false);
  });
});

describe('an import into a store with observations', () => {
  it('adds older records, and further observations continue', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { bio: 'b' })]);
    await load(store, [record(5), record(6, { data_type: 'Name', text: 'Jack' })]);
    await observe(store, [snapshot(9, { bio: 'c', display_name: 'Jack' })]);
    const { feed, accounts } = contentsOf(store);
    expect(feed).toMatchObject([{ id: idAt(9), previous: idAt(0), text: 'c' }, { id: idAt(0), text: 'b' }, { id: 6 }, { id: 5 }]);
    expect(accounts).toMatchObject([{ bio: 'c', display_name: 'Jack' }]);
  });

  it('of its pages changes nothing, and a store built from these pages continues in the same way', async () => {
    const [store, copy] = [newStore(), newStore()];
    const run = [snapshot(0, { bio: 'a', location: '' }), snapshot(1, { bio: 'b' }), snapshot(2, { screen_name: 'jill', bio: 'b' })];
    await observe(store, run);
    const before = contentsOf(store);
    const pages = before.accounts;
    await load(store, pages);
    expect(contentsOf(store)).toEqual(before);
    await load(copy, pages);
    expect(contentsOf(copy).fingerprint).toBe(before.fingerprint);
    for (const each of [store, copy]) {
      await observe(each, run);
      await observe(each, [snapshot(5, { id: '7', bio: 'c' })]);
    }
    expect(contentsOf(copy)).toEqual({ ...contentsOf(store), known: expect.anything() });
  });
});

describe('a snapshot of an account whose handle is not known', () => {
  const did = 'did:plc:qq4hb2xkzt7v3m5ndwy6scfa';
  const nameless = (second: number, more: Snapshot = {}): Snapshot => ({ observed_at: at(second), id: did, ...more });
  const named = (second: number, screen_name: string, more: Snapshot = {}) => nameless(second, { screen_name, ...more });

  it('adds its fields, and the account keeps its last handle', async () => {
    const bluesky = { did, handle: 'handle.invalid', description: 'b', followersCount: 1 };
    const store = newStore();
    await observe(store, [named(1, 'nina.example', { bio: 'a' })]);
    await observe(store, [bluesky], { snapshots: { from: undefined, observedAt: idAt(2), unescape: false } });
    expect(changesIn(contentsOf(store))).toEqual(expect.arrayContaining(['nina.example Bio "a"', 'nina.example Bio "b"']));
    await observe(store, [nameless(3, { bio: 'c' }), named(4, 'nina.example.org', { bio: 'd' })]);
    const contents = contentsOf(store);
    expect(namesIn(contents)).toEqual(['nina.example.org']);
    expect(contents.accounts[0]?.data.filter(({ data_type }) => data_type === 'Bio').map(({ text }) => text)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('names a new account by its id until a handle is observed', async () => {
    const store = newStore();
    await observe(store, [nameless(1, { bio: 'a' }), nameless(2, { bio: 'b' })]);
    expect(changesIn(contentsOf(store))).toEqual([`${did} Bio "a"`, `${did} Bio "b"`]);
    expect(await observe(store, [named(3, 'nina.example')])).toMatchObject({ accounts: { added: 0, renamed: 1 } });
    expect(changesIn(contentsOf(store))).toEqual(['nina.example Bio "a"', 'nina.example Bio "b"']);
  });

  it('does not take its id as a handle from another account', async () => {
    const store = newStore();
    await observe(store, [{ observed_at: at(1), id: '7', screen_name: '12', bio: 'a' }]);
    await observe(store, [{ observed_at: at(2), id: '12', bio: 'b' }]);
    expect(changesIn(contentsOf(store))).toEqual(['12 Bio "a"', '12~ Bio "b"']);
  });

  it('leaves the handle with an account that took it over', async () => {
    const other = { id: 'did:plc:other', screen_name: 'nina.example' };
    const store = newStore();
    await observe(store, [
      named(1, 'nina.example', { bio: 'a' }),
      snapshot(2, { ...other, bio: 'x' }),
      nameless(3, { bio: 'b' }),
      snapshot(4, { ...other, bio: 'y' }),
    ]);
    expect(changesIn(contentsOf(store))).toEqual([
      `nina.example~${did} Bio "a"`,
      'nina.example Bio "x"',
      `nina.example~${did} Bio "b"`,
      'nina.example Bio "y"',
    ]);
  });

  it('is written to the rejects file without a handle if it is late, and can be observed again', async () => {
    const store = newStore();
    await observe(store, [named(5, 'nina.example', { bio: 'a' })]);
    const rejected: InputError[] = [];
    await observe(store, [nameless(1, { bio: 'z' })], { onReject: (inputError) => rejected.push(inputError) });
    expect(rejected).toMatchObject([{ code: 'late', options: { from: 'neutral' }, item: { id: did, bio: 'z' } }]);
    const again = newStore();
    const [{ item } = {}] = rejected;
    await observe(again, [{ code: 'late', file: 'x', expected: '', found: '', options: { from: 'neutral' }, item }]);
    expect(changesIn(contentsOf(again))).toEqual([`${did} Bio "z"`]);
  });
});
