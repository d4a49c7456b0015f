import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Contents, contentsOf, observe, type Snapshot, sourceOf } from '../support/snapshots.ts';

// the slow model in snapshot-orders.test.ts has the rules of records, ids and handles; the examples here have what it does not compare

/** A second of one day. */
const at = (second: number) => new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString();
/** The microseconds since 1970 of such a second. */
const idAt = (second: number) => (Date.UTC(2020, 0, 1) + second * 1000) * 1000;

const snapshot = (second: number, more: Snapshot = {}): Snapshot => ({ observed_at: at(second), screen_name: 'jack', ...more });
const record = (id: number, more: object = {}) => bioRecord(id, { text: 'old', first_encountered_date: '2019-05-05T16:29:12Z', ...more });

function load(store: string, values: readonly Snapshot[]): Promise<unknown> {
  return importInputs(store, [sourceOf(values, 'records')], { onConflict: 'fail' });
}

const newStore = () => join(temporaryFolder(), 'store.db');

/** Observes snapshots, and returns those that are rejected. */
async function rejectsOf(store: string, snapshots: readonly Snapshot[]): Promise<InputError[]> {
  const rejects: InputError[] = [];
  await observe(store, snapshots, { onReject: (inputError) => rejects.push(inputError) });
  return rejects;
}

async function contentsAfter(snapshots: readonly Snapshot[]): Promise<Contents> {
  const store = newStore();
  await observe(store, snapshots);
  return contentsOf(store);
}

/** Returns the changes of a feed in short form, oldest first. */
function changesIn({ feed }: Contents): string[] {
  return feed.toReversed().map(({ account, data_type, text }) => `${account} ${data_type} ${JSON.stringify(text)}`);
}

describe('a snapshot', () => {
  it('links mentions and hashtags as the service of its account does, also as a neutral snapshot', async () => {
    const observed_at = at(0);
    const bio = '@name.example.zone @a@b.example #x';
    const bluesky = { did: 'did:plc:1', handle: 'nina.example', description: bio, indexedAt: observed_at, observed_at };
    const mastodon = { acct: 'nina', id: '1', url: 'https://s.example/@nina', note: `<p>${bio}</p>`, observed_at };
    const neutral = [
      { observed_at, screen_name: 'n', id: 'did:plc:2', bio },
      { observed_at, screen_name: 'n@t.example', bio },
      { observed_at, screen_name: 'n2', bio },
    ];
    const { feed } = await contentsAfter([bluesky, mastodon, ...neutral]);
    const links = new Map(
      feed
        .filter(({ data_type }) => data_type === 'Bio')
        .map(({ account, diff_html }) => [account, String(diff_html).match(/(?<=href=")[^"]+/g)]),
    );
    const inBluesky = ['https://bsky.app/profile/name.example.zone', 'https://bsky.app/hashtag/x'];
    const onServer = (server: string) => [`https://${server}/@name.example.zone`, 'https://b.example/@a', `https://${server}/tags/x`];
    expect(links).toEqual(
      new Map([
        ['nina.example', inBluesky],
        ['n', inBluesky],
        ['nina@s.example', onServer('s.example')],
        ['n@t.example', onServer('t.example')],
        ['n2', ['https://twitter.com/name', 'https://twitter.com/search?q=%23x']],
      ]),
    );
  });

  it('adds an account without records if it contains only the handle', async () => {
    expect(await contentsAfter([snapshot(0)])).toMatchObject({ feed: [], accounts: [{ screen_name: 'jack', data: [] }] });
  });

  it('updates the summary, image and creation date of the account, and keeps fields that it does not contain', async () => {
    const { accounts } = await contentsAfter([
      snapshot(0, { bio: 'a', account_creation_date: '2010-11-29T21:18:15.5Z', profile_image_url: 'https://images.example/1' }),
      snapshot(1, { bio: 'b', location: 'here' }),
      snapshot(2, { profile_image_url: 'https://images.example/2' }),
    ]);
    expect(accounts).toMatchObject([
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

  it('is rejected alone if its difference is too long', async () => {
    const store = newStore();
    const escaped = '&'.repeat(10_000);
    const rejects = await rejectsOf(store, [
      snapshot(0, { bio: escaped }),
      snapshot(1, { bio: `${escaped.slice(1)}<`, location: 'x' }),
      snapshot(2, { bio: 'c' }),
    ]);
    expect(rejects).toMatchObject([
      {
        code: 'bad-field',
        place: { file: 'snapshots', line: 2, field: 'bio' },
        expected: 'a change whose difference has at most 100000 characters',
        item: { bio: `${escaped.slice(1)}<`, location: 'x' },
      },
    ]);
    expect(changesIn(contentsOf(store))).toEqual([`jack Bio "${escaped}"`, 'jack Bio "c"']);
  });

  it('is accepted with texts of 9,999 characters that consist of mentions and hashtags', async () => {
    const store = newStore();
    const bios = ['@a ', '#b ', '@c '].map((entity) => entity.repeat(3333));
    expect(
      await rejectsOf(
        store,
        bios.map((bio, second) => snapshot(second, { bio })),
      ),
    ).toEqual([]);
    expect(changesIn(contentsOf(store))).toHaveLength(3);
  });

  it('is rejected if no id is free between the records of other times', async () => {
    const store = newStore();
    await load(store, [record(5, { first_encountered_date: '2021-05-05T16:29:12Z' })]);
    const before = contentsOf(store);
    await expect(observe(store, [{ observed_at: at(0), screen_name: 'jill', bio: 'x' }])).rejects.toMatchObject({
      code: 'late',
      place: { file: 'snapshots', line: 1 },
      expected: 'a free id, because ids in the feed have the same order as dates',
      found: '2020-01-01T00:00:00.000000Z, between records without a free id',
    });
    expect(contentsOf(store)).toEqual(before);
  });
});

describe('an account', () => {
  const did = 'did:plc:qq4hb2xkzt7v3m5ndwy6scfa';
  const nameless = (second: number, more: Snapshot = {}): Snapshot => ({ observed_at: at(second), id: did, ...more });
  const seven = { id: '7' };
  const other = { id: 'did:plc:other', screen_name: 'nina.example' };

  it.each<[string, readonly Snapshot[], readonly string[]]>([
    [
      'is named by its id until a handle is observed',
      [nameless(1, { bio: 'a' }), nameless(2, { bio: 'b' })],
      [`${did} Bio "a"`, `${did} Bio "b"`],
    ],
    [
      'keeps its last handle in snapshots without one',
      [nameless(1, { screen_name: 'nina.example', bio: 'a' }), nameless(2, { bio: 'b' }), nameless(3, { screen_name: 'nina.example.org' })],
      ['nina.example.org Bio "a"', 'nina.example.org Bio "b"'],
    ],
    [
      'does not take its id as a handle from another account',
      [snapshot(1, { ...seven, screen_name: '12', bio: 'a' }), { observed_at: at(2), id: '12', bio: 'b' }],
      ['12 Bio "a"', '12~ Bio "b"'],
    ],
    [
      'leaves its handle with an account that took it over, in snapshots without one',
      [
        nameless(1, { screen_name: 'nina.example', bio: 'a' }),
        snapshot(2, { ...other, bio: 'x' }),
        nameless(3, { bio: 'b' }),
        snapshot(4, { ...other, bio: 'y' }),
      ],
      [`nina.example~${did} Bio "a"`, 'nina.example Bio "x"', `nina.example~${did} Bio "b"`, 'nina.example Bio "y"'],
    ],
  ])('%s', async (_, snapshots, changes) => expect(changesIn(await contentsAfter(snapshots))).toEqual(changes));

  it('with an id is the one that was known only by the handle, such as an imported one', async () => {
    const store = newStore();
    await load(store, [record(5)]);
    const run = [snapshot(0, { ...seven, bio: 'new' }), snapshot(1, { ...seven, screen_name: 'dorsey' })];
    expect(await observe(store, run)).toMatchObject({ accounts: { added: 0, renamed: 1 }, records: { Bio: 1 } });
    const contents = contentsOf(store);
    expect(contents.feed).toMatchObject([
      { account: 'dorsey', text: 'new', previous: 5 },
      { id: 5, account: 'dorsey' },
    ]);
    expect(contents.known).toMatchObject([{ screen_name: 'dorsey', stable_id: '7' }]);
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

describe('a late snapshot', () => {
  const known = [snapshot(0, { bio: 'a' }), snapshot(10, { bio: 'b' }), snapshot(20, { bio: 'b' })];

  it('with another value than the store ends the run, and the store is unchanged', async () => {
    const store = newStore();
    await observe(store, known);
    const before = contentsOf(store);
    await expect(observe(store, [snapshot(30, { bio: 'z' }), snapshot(5, { bio: 'c' })])).rejects.toMatchObject({
      code: 'late',
      message: 'a snapshot is too late',
      place: { file: 'snapshots', line: 2 },
      expected: expect.stringContaining('Bio as the store has it for that time: "a"'),
      found: expect.stringMatching(/^"c" at 2020-01-01T00:00:05\.000000Z, older/),
      hint: expect.stringContaining('--rejects'),
    });
    expect(contentsOf(store)).toEqual(before);
  });

  it.each<[string, Snapshot]>([
    [
      'with every field',
      snapshot(5, {
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
      }),
    ],
    ['without a handle', { observed_at: at(5), id: '9', bio: 'c' }],
  ])('%s is written to the rejects file as a neutral snapshot, and adds nothing', async (_, late) => {
    const store = newStore();
    await observe(store, [...known, snapshot(20, { id: '9', screen_name: 'nina', bio: 'b' })]);
    const before = contentsOf(store);
    const rejects = await rejectsOf(store, [late]);
    expect(rejects).toMatchObject([{ code: 'late', place: { line: 1 }, options: { from: 'neutral' } }]);
    const item = JSON.parse(JSON.stringify(rejects[0]?.item));
    expect(item).toEqual({ ...late, observed_at: '2020-01-01T00:00:05.000000Z' });
    expect(contentsOf(store)).toEqual(before);
    const again = { code: 'late', file: 'x', expected: '', found: '', options: { from: 'neutral' }, item };
    expect(await contentsAfter([again])).toEqual(await contentsAfter([late]));
  });

  it('with a handle that the account neither has nor had is rejected, because the store has no time for it', async () => {
    const store = newStore();
    const seen = (second: number, screen_name: string) => snapshot(second, { id: '7', screen_name, bio: 'a' });
    await observe(store, [seen(0, 'one'), seen(20, 'three')]);
    const before = contentsOf(store);
    const found = expect.stringMatching(/^"two" at 2020-01-01T00:00:10\.000000Z, older/);
    const rejects = await rejectsOf(store, [seen(0, 'ONE'), seen(10, 'two'), seen(15, 'three')]);
    expect(rejects).toMatchObject([{ code: 'late', place: { line: 2, field: 'screen_name' }, found }]);
    expect(contentsOf(store)).toEqual(before);
    // an account that lost its handle had it
    await observe(store, [snapshot(5, { id: '8', screen_name: 'three' }), snapshot(6, { id: '8', screen_name: 'other' })]);
    expect(await rejectsOf(store, [snapshot(5, { id: '8', screen_name: 'three' })])).toEqual([]);
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

describe('a conflict', () => {
  it('is reported with all values, their places, and which of them are recorded; one that is not recorded is rejected', async () => {
    const clash = [
      snapshot(0, { bio: 'a' }),
      snapshot(5, { bio: 'b', location: 'x' }),
      snapshot(5, { bio: 'a', location: 'y' }),
      snapshot(6, { bio: 'a' }),
    ];
    const [store, other] = [newStore(), newStore()];
    const { conflicts } = await observe(store, clash);
    const [account, observed_at, file] = ['jack', '2020-01-01T00:00:05.000000Z', 'snapshots'];
    const [first, second] = [
      { recorded: true, file, line: 2 },
      { recorded: true, file, line: 3 },
    ];
    expect(conflicts).toEqual({
      count: 2,
      listed: [
        {
          account,
          data_type: 'Bio',
          observed_at,
          values: [
            { text: 'b', ...first },
            { text: 'a', ...second, recorded: false },
          ],
        },
        {
          account,
          data_type: 'Location',
          observed_at,
          values: [
            { text: 'x', ...first },
            { text: 'y', ...second },
          ],
        },
      ],
    });
    expect(await rejectsOf(other, clash)).toMatchObject([
      { code: 'conflict', place: { line: 3 }, found: expect.stringMatching(/^"a"/), item: { bio: 'a', location: 'y' } },
    ]);
    expect(contentsOf(other)).toEqual(contentsOf(store));
  });

  it('with an earlier run has no place for its value', async () => {
    const store = newStore();
    await observe(store, [snapshot(0, { bio: 'a' }), snapshot(5, { bio: 'a' })]);
    const { conflicts } = await observe(store, [snapshot(5, { bio: 'b' })]);
    expect(conflicts.listed.map(({ values }) => values)).toEqual([
      [
        { text: 'a', recorded: false, file: undefined },
        { text: 'b', recorded: true, file: 'snapshots', line: 1 },
      ],
    ]);
  });

  it('is still counted if the list is full, and long values are truncated', async () => {
    const clashes = Array.from({ length: 150 }, (_, index) =>
      [`${index} ${'x'.repeat(600)}`, 'y'].map((bio) => ({ ...snapshot(0, { bio }), screen_name: `n${index}` })),
    );
    const { conflicts } = await observe(newStore(), clashes.flat());
    expect(conflicts.count).toBe(150);
    expect(conflicts.listed).toHaveLength(100);
    const [{ account, values } = { account: '', values: [] }] = conflicts.listed;
    expect(values[0]?.text).toBe(`${`${account.slice(1)} ${'x'.repeat(600)}`.slice(0, 500)}…`);
    const many = await observe(
      newStore(),
      Array.from({ length: 30 }, (_, index) => snapshot(0, { bio: String(index) })),
    );
    expect(many.conflicts).toMatchObject({ count: 1, listed: [{ values: { length: 10 } }] });
  });
});

describe('a run', () => {
  it('without a commit has the same summary, and leaves the store unchanged to the byte', async () => {
    const store = newStore();
    const run = [snapshot(0, { bio: 'a' }), snapshot(1, { bio: 'b' })];
    const summary = await observe(store, run, { dryRun: true });
    expect(readdirSync(join(store, '..'))).toEqual([]);
    expect(await observe(store, run)).toEqual(summary);
    const before = readFileSync(store);
    expect(await observe(store, [snapshot(2, { bio: 'c', id: '7' })], { dryRun: true })).toMatchObject({ records: { Bio: 1 } });
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
});
