import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountKey } from '../../src/observe/spool/spool.ts';
import { build } from '../../src/tree/build/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inputsFrom, observeSerially } from '../support/parts.ts';
import { times } from '../support/proof.ts';
import { type Contents, contentsOf, observe, type Snapshot, withoutFormerHandles } from '../support/snapshots.ts';

/** How many histories are generated for each property. */
const RUNS = { numRuns: times('generated histories for each property', 6, 300) };
const forAll = <Histories>(generated: fc.Arbitrary<Histories>, check: (histories: Histories) => Promise<unknown>) =>
  fc.assert(
    fc.asyncProperty(generated, async (histories) => {
      await check(histories);
    }),
    RUNS,
  );

const START = Date.UTC(2020, 0, 1) * 1000;

/** A generated snapshot: `id` belongs to the account, the other fields to this observation. */
interface TestSnapshot {
  readonly id: string | undefined;
  readonly screen_name: string;
  /** Microseconds since the start. */
  readonly instant: number;
  readonly fields: { readonly [field: string]: string | boolean | null | undefined };
}

const text = fc.constantFrom(undefined, '', 'one', 'one two', 'zwei');
const fields = fc.record({
  display_name: text,
  bio: text,
  location: text,
  website: fc.constantFrom(undefined, null, '', 'https://a.example', 'https://b.example'),
  verified: fc.constantFrom(undefined, true, false),
  profile_image_url: fc.constantFrom(undefined, '', 'https://images.example/1'),
  web_archive_url: fc.constantFrom(undefined, null, '', 'https://archive.example/1'),
});

/** Three accounts with ids share three handles, in upper and lower case. */
const known = fc.record({ id: fc.constantFrom('1', '2', '3'), screen_name: fc.constantFrom('ann', 'Ann', 'bob', 'cyd') });
const byName = (...names: string[]) => fc.record({ id: fc.constant(undefined), screen_name: fc.constantFrom(...names) });
/** Some accounts have no id, and other accounts share their handles. */
const anybody = fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: byName('ann', 'bob', 'dee') });
/** Some accounts have no id, and no other account has their handles. */
const apart = fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: byName('dee', 'eli') });

/** Generates snapshots in order of time, with these gaps between them. */
function inTime(one: fc.Arbitrary<Omit<TestSnapshot, 'instant'>>, gaps: readonly number[], most: number): fc.Arbitrary<TestSnapshot[]> {
  return fc.array(fc.tuple(one, fc.constantFrom(...gaps)), { maxLength: most, size: 'max' }).map((all) => {
    let instant = START;
    return all.map(([snapshot, gap]) => {
      instant += gap;
      return { ...snapshot, instant };
    });
  });
}

const of = (who: typeof anybody) => fc.tuple(who, fields).map(([names, fields]) => ({ ...names, fields }));
const [CROWDED, SECOND] = [[0, 0, 1, 1_000_000], 1_000_000];
/** Snapshots at distinct times, with gaps between them. */
const distinct = inTime(of(anybody), [1000, 7000], 25);
const distinctApart = inTime(of(apart), [1000, 7000], 25);
/** Several snapshots at one time, or a microsecond later. */
const crowded = inTime(of(anybody), CROWDED, 25);
const crowdedApart = inTime(of(apart), CROWDED, 25);
/** Two values of one field, so that the same profile recurs often, also beside another of the same time. */
const repeating = inTime(
  fc.constantFrom('one', 'two').map((bio) => ({ id: '1', screen_name: 'ann', fields: { bio } })),
  [0, 0, SECOND],
  12,
);

/** Leaves out all but the first snapshot of each account and time. */
function oneEach(all: readonly TestSnapshot[]): TestSnapshot[] {
  return [...new Map(all.toReversed().map((each) => [`${accountKey(each)} ${each.instant}`, each])).values()].toReversed();
}

function written({ id, screen_name, instant, fields }: TestSnapshot): Snapshot {
  const time = new Date(Math.floor(instant / 1000)).toISOString().slice(0, -1);
  return { observed_at: `${time}${String(instant % 1000).padStart(3, '0')}Z`, id, screen_name, ...fields };
}

const newPath = () => join(temporaryFolder(), 'store');

/** Returns the contents of a new store after some runs. */
async function contentsAfter(...runs: readonly (readonly TestSnapshot[])[]): Promise<Contents> {
  const store = newPath();
  for (const run of runs) await observe(store, run.map(written));
  return contentsOf(store);
}

/** Divides groups of snapshots into runs, in their order. */
function inRuns(groups: readonly (readonly TestSnapshot[])[]): fc.Arbitrary<TestSnapshot[][]> {
  return fc.array(fc.nat({ max: 100 }), { maxLength: 3 }).map((places) => {
    const cuts = [0, ...places.map((place) => place % (groups.length + 1)).sort((a, b) => a - b), groups.length];
    return cuts.slice(1).map((cut, index) => groups.slice(cuts[index], cut).flat());
  });
}

const anyRuns = (all: readonly TestSnapshot[]) => inRuns(all.map((each) => [each]));

interface Account {
  id: string | undefined;
  name: string;
  /** Its former handles, each with the time of the last observation before the next handle. */
  readonly left: string[];
  seen: number;
  readonly records: { id: number; data_type: string; text: string | null; instant: number; web_archive_url: unknown }[];
}

/** The model: computes the expected records slowly, from all snapshots in order of time and account. */
function expected(unsorted: readonly TestSnapshot[]): object[] {
  const snapshots = unsorted.toSorted((a, b) => a.instant - b.instant || accountKey(a) - accountKey(b));
  const accounts: Account[] = [];
  const called = (name: string) => accounts.find((account) => account.name.toLowerCase() === name.toLowerCase());
  const sane = (value: unknown) => value ?? '';
  let last = -1;
  for (const { id, screen_name, instant, fields } of snapshots) {
    const holder = called(screen_name);
    const mine = accounts.find((account) => account.id === id && id !== undefined);
    const account = mine ??
      (id === undefined || holder?.id === undefined ? holder : undefined) ?? { id, name: '', left: [], seen: 0, records: [] };
    if (!accounts.includes(account)) accounts.push(account);
    account.id ??= id;
    const isLeft = account.left.includes(`${screen_name.toLowerCase()} ${instant}`) && account.name !== screen_name;
    if (holder !== undefined && holder !== account && !isLeft) {
      holder.left.push(`${holder.name.toLowerCase()} ${holder.seen}`);
      holder.name += `~${holder.id ?? 'former'}`;
      while (accounts.some((other) => other !== holder && other.name.toLowerCase() === holder.name.toLowerCase())) holder.name += '~';
    }
    if (!isLeft) {
      if (account.name !== screen_name) account.left.push(`${account.name.toLowerCase()} ${account.seen}`);
      account.name = screen_name;
    }
    account.seen = instant;
    for (const [field, data_type] of [
      ['display_name', 'Name'],
      ['bio', 'Bio'],
      ['location', 'Location'],
      ['website', 'Website'],
      ['verified', 'Verified'],
    ] as const) {
      const seen = fields[field];
      if (seen === undefined) continue;
      const past = account.records.filter((record) => record.data_type === data_type);
      const before = past.filter((record) => record.instant < instant).slice(-1);
      const known = [...before, ...past.filter((record) => record.instant === instant)];
      if (known.some((record) => sane(record.text) === String(sane(seen)))) continue;
      last = Math.max(instant, last + 1);
      const text = past.length > 0 && field === 'website' && !seen ? null : String(sane(seen));
      account.records.push({ id: last, data_type, text, instant, web_archive_url: fields['web_archive_url'] ?? null });
    }
  }
  return accounts
    .flatMap(({ name, records }) =>
      records.map(({ instant, ...record }, index) => ({
        ...record,
        account: name,
        previous: records.slice(0, index).findLast(({ data_type }) => data_type === record.data_type)?.id ?? null,
        first_encountered_date: written({ id: '', screen_name: '', instant, fields: {} })['observed_at'],
      })),
    )
    .sort((a, b) => b.id - a.id);
}

describe('snapshots', () => {
  it.each([
    ['of one time', crowdedApart],
    ['of distinct times', distinct],
    ['that repeat', repeating],
  ])('%s give the same records as a slow model that recomputes everything', async (_, generated) => {
    await forAll(generated, async (all) => {
      const { feed } = await contentsAfter(all);
      expect(feed.map(({ diff_html, ...record }) => record)).toEqual(expected(all));
    });
  });

  it('give the same store in any order and from sources in any order, also with other accounts at the same time', async () => {
    const sources = crowded
      .map(oneEach)
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.integer({ min: 1, max: 4 })));
    await forAll(sources, async ([all, other, count]) => {
      const store = newPath();
      const dealt = Array.from({ length: count }, (_, number) => other.filter((_, index) => index % count === number).map(written));
      await observeSerially(store, inputsFrom(dealt));
      expect(contentsOf(store)).toEqual(await contentsAfter(all));
    });
  });

  it('give the same store in one run and in several, even if the runs divide snapshots of one account and time', async () => {
    // ids of one time are in the order of the accounts of a run
    const byTime = crowded.chain((all) =>
      inRuns([...new Set(all.map(({ instant }) => instant))].map((instant) => all.filter((each) => each.instant === instant))),
    );
    for (const generated of [repeating.chain(anyRuns), byTime])
      await forAll(generated, async (runs) => expect(await contentsAfter(...runs)).toEqual(await contentsAfter(runs.flat())));
  });

  it('give the same store account by account, even if handles move between accounts', async () => {
    await forAll(fc.tuple(distinctApart, fc.shuffledSubarray(['1', '2', '3', undefined], { minLength: 4 })), async ([all, ids]) => {
      const oneByOne = await contentsAfter(...ids.map((id) => all.filter((snapshot) => snapshot.id === id)));
      expect(withoutFormerHandles(oneByOne)).toEqual(withoutFormerHandles(await contentsAfter(all)));
    });
  });

  it('add nothing when all or some of them are repeated', async () => {
    await forAll(crowdedApart.chain(anyRuns), async (runs) => {
      expect(await contentsAfter(runs.flat(), ...runs)).toEqual(await contentsAfter(runs.flat()));
    });
  });

  it('give a store whose tree passes verify', async () => {
    await forAll(crowded, async (all) => {
      const [store, out] = [newPath(), newPath()];
      await observe(store, all.map(written));
      await build(store, { out, site: { base_url: 'https://history.example', page_size: 7, account_page_size: 2 } });
      expect(await verify({ out, store })).toMatchObject({ violations: [], notes: [] });
    });
  });
});

describe('conflicts', () => {
  const accounts = fc.constantFrom({ id: '1', screen_name: 'ann' }, { id: undefined, screen_name: 'bob' });
  const few = fc.record({
    bio: fc.constantFrom(undefined, 'one', 'two', 'two', 'zwei'),
    website: fc.constantFrom(undefined, null, '', 'https://a.example'),
    verified: fc.constantFrom(undefined, true, false),
  });
  const clashing = inTime(
    fc.tuple(accounts, few).map(([names, fields]) => ({ ...names, fields })),
    [0, 0, 0, SECOND],
    12,
  );
  const FIELDS = { bio: 'Bio', website: 'Website', verified: 'Verified' } as const;

  /** Returns the fields that have several values at one time, each with its values in alphabetical order. */
  function expectedOf(snapshots: readonly TestSnapshot[]): [string, string[]][] {
    const values = new Map<string, Set<string>>();
    for (const snapshot of snapshots) {
      for (const [field, type] of Object.entries(FIELDS)) {
        const seen = snapshot.fields[field];
        if (seen === undefined) continue;
        const key = `${snapshot.screen_name} ${type} ${String(written(snapshot)['observed_at'])}`;
        values.set(key, (values.get(key) ?? new Set()).add(String(seen ?? '')));
      }
    }
    return sortedOf(values);
  }

  const sortedOf = (values: Map<string, Set<string>>): [string, string[]][] =>
    [...values].flatMap(([key, set]): [string, string[]][] => (set.size > 1 ? [[key, [...set].sort()]] : [])).sort();

  it('are reported for each account, field and time with several values, with all of them, also in several runs', async () => {
    await forAll(clashing.chain(anyRuns), async (runs) => {
      const store = newPath();
      const values = new Map<string, Set<string>>();
      for (const run of runs) {
        const { conflicts } = await observe(store, run.map(written));
        for (const { account, data_type, observed_at, values: found } of conflicts.listed) {
          const key = `${account} ${data_type} ${observed_at}`;
          values.set(key, new Set([...(values.get(key) ?? []), ...found.map(({ text }) => text ?? '')]));
        }
      }
      const expected = expectedOf(runs.flat());
      expect(sortedOf(values)).toEqual(expected);
      expect((await observe(store, runs.flat().map(written))).conflicts.count).toBe(expected.length);
    });
  });
});
