import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { accountKey } from '../../src/observe/account-key.ts';
import { observeInputs } from '../../src/observe/observe.ts';
import { build } from '../../src/tree/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { times } from '../support/proof.ts';
import { type Contents, contentsOf, observe, type Snapshot, sourceOf, withoutFormerHandles } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

/** How many histories are generated for each property. */
const RUNS = { numRuns: times('generated histories for each property', 20, 300) };
const START = Date.UTC(2020, 0, 1) * 1000;

const folder = folderOfFile();

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

function snapshots(who: typeof anybody, step: number, most: number): fc.Arbitrary<TestSnapshot[]> {
  const gap = step === 0 ? fc.constantFrom(0, 0, 1, 1_000_000) : fc.constantFrom(step, 7 * step);
  return fc.array(fc.record({ who, fields, gap }), { maxLength: most, size: 'max' }).map((all) => {
    let instant = START;
    return all.map(({ who, fields, gap }) => {
      instant += gap;
      return { ...who, instant, fields };
    });
  });
}

/** Snapshots at distinct times, with gaps between them. */
const distinct = snapshots(anybody, 1000, 25);
const distinctApart = snapshots(apart, 1000, 25);
/** Several snapshots at one time, or a microsecond later. */
const crowded = snapshots(anybody, 0, 25);
const crowdedApart = snapshots(apart, 0, 25);

/** Leaves out all but the first snapshot of each account and time. */
function oneEach(all: readonly TestSnapshot[]): TestSnapshot[] {
  return [...new Map(all.toReversed().map((each) => [`${accountKey(each)} ${each.instant}`, each])).values()].toReversed();
}

/** Two values of one field, so that the same profile recurs often, also beside another of the same time. */
const repeating = fc
  .array(fc.record({ bio: fc.constantFrom('one', 'two'), gap: fc.constantFrom(0, 0, 1_000_000) }), { maxLength: 12, size: 'max' })
  .map((all) => {
    let instant = START;
    return all.map(({ bio, gap }): TestSnapshot => {
      instant += gap;
      return { id: '1', screen_name: 'ann', instant, fields: { bio } };
    });
  });

function written({ id, screen_name, instant, fields }: TestSnapshot): Snapshot {
  const time = new Date(Math.floor(instant / 1000)).toISOString().slice(0, -1);
  return { observed_at: `${time}${String(instant % 1000).padStart(3, '0')}Z`, id, screen_name, ...fields };
}

let stores = 0;

/** Returns the path of a store that does not exist yet. */
function newPath(): string {
  stores += 1;
  return join(folder, String(stores));
}

/** Returns the contents of a new store after some runs. */
async function contentsAfter(...runs: readonly (readonly TestSnapshot[])[]): Promise<Contents> {
  const store = newPath();
  for (const run of runs) await observe(store, run.map(written));
  return contentsOf(store);
}

/** Splits a list at the given positions. */
function splitAt<T>(list: readonly T[], places: readonly number[]): T[][] {
  const cuts = [0, ...places.map((place) => place % (list.length + 1)).sort((a, b) => a - b), list.length];
  return cuts.slice(1).map((cut, index) => list.slice(cuts[index], cut));
}

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
  it('give the same records as a slow model that recomputes everything', async () => {
    const check = async (all: readonly TestSnapshot[]) => {
      const { feed } = await contentsAfter(all);
      expect(feed.map(({ diff_html, ...record }) => record)).toEqual(expected(all));
    };
    await fc.assert(fc.asyncProperty(crowdedApart, check), RUNS);
    await fc.assert(fc.asyncProperty(distinct, check), RUNS);
    await fc.assert(fc.asyncProperty(repeating, check), RUNS);
  });

  it('give the same store in any order and from sources in any order, also with other accounts at the same time', async () => {
    const sources = crowded
      .map(oneEach)
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.integer({ min: 1, max: 4 })));
    await fc.assert(
      fc.asyncProperty(sources, async ([all, other, count]) => {
        const store = newPath();
        const inputs = Array.from({ length: count }, (_, number) =>
          sourceOf(other.filter((_, index) => index % count === number).map(written)),
        );
        await observeInputs(store, inputs, { snapshots: { from: undefined, observedAt: undefined, unescape: false }, network: TWITTER });
        expect(contentsOf(store)).toEqual(await contentsAfter(all));
      }),
      RUNS,
    );
  });

  it('give the same store in one run and in several, even if the runs divide snapshots of one account and time', async () => {
    const places = fc.array(fc.nat({ max: 100 }), { maxLength: 3 });
    const check = async (all: readonly TestSnapshot[], parts: readonly (readonly TestSnapshot[])[]) => {
      expect(await contentsAfter(...parts)).toEqual(await contentsAfter(all));
    };
    await fc.assert(
      fc.asyncProperty(repeating, places, (all, cuts) => check(all, splitAt(all, cuts))),
      RUNS,
    );
    // ids of one time are in the order of the accounts of a run
    await fc.assert(
      fc.asyncProperty(crowded, places, (all, cuts) => {
        const moments = [...new Set(all.map(({ instant }) => instant))].map((instant) => all.filter((each) => each.instant === instant));
        return check(
          all,
          splitAt(moments, cuts).map((part) => part.flat()),
        );
      }),
      RUNS,
    );
  });

  it('give the same store account by account, even if handles move between accounts', async () => {
    await fc.assert(
      fc.asyncProperty(distinctApart, fc.shuffledSubarray(['1', '2', '3', undefined], { minLength: 4 }), async (all, ids) => {
        const oneByOne = await contentsAfter(...ids.map((id) => all.filter((snapshot) => snapshot.id === id)));
        expect(withoutFormerHandles(oneByOne)).toEqual(withoutFormerHandles(await contentsAfter(all)));
      }),
      RUNS,
    );
  });

  it('add nothing when all or some of them are repeated', async () => {
    await fc.assert(
      fc.asyncProperty(crowdedApart, async (all) => {
        expect(await contentsAfter(all, all)).toEqual(await contentsAfter(all));
      }),
      RUNS,
    );
    await fc.assert(
      fc.asyncProperty(distinct, fc.array(fc.nat({ max: 100 }), { maxLength: 2 }), async (all, places) => {
        const once = await contentsAfter(all);
        expect(await contentsAfter(all, ...splitAt(all, places))).toEqual(once);
      }),
      RUNS,
    );
  });

  it('give a store whose tree passes verify', async () => {
    await fc.assert(
      fc.asyncProperty(crowded, async (all) => {
        const [store, out] = [newPath(), newPath()];
        await observe(store, all.map(written));
        await build(store, { out, site: { base_url: 'https://history.example', page_size: 7, account_page_size: 2 } });
        expect(await verify({ out, store })).toMatchObject({ violations: [], notes: [] });
      }),
      RUNS,
    );
  });
});

describe('conflicts', () => {
  const accounts = fc.constantFrom({ id: '1', screen_name: 'ann' }, { id: undefined, screen_name: 'bob' });
  const few = fc.record({
    bio: fc.constantFrom(undefined, 'one', 'two', 'two', 'zwei'),
    website: fc.constantFrom(undefined, null, '', 'https://a.example'),
    verified: fc.constantFrom(undefined, true, false),
  });
  const clashing = fc
    .array(fc.record({ who: accounts, fields: few, gap: fc.constantFrom(0, 0, 0, 1_000_000) }), { maxLength: 12, size: 'max' })
    .map((all) => {
      let instant = START;
      return all.map(({ who, fields, gap }): TestSnapshot => {
        instant += gap;
        return { ...who, instant, fields };
      });
    });
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

  /** Returns the conflicts that all runs into one store report. */
  async function reported(...runs: readonly (readonly TestSnapshot[])[]): Promise<[string, string[]][]> {
    const store = newPath();
    const values = new Map<string, Set<string>>();
    for (const run of runs) {
      const { conflicts } = await observe(store, run.map(written));
      expect(conflicts.count).toBe(conflicts.listed.length);
      for (const { account, data_type, observed_at, values: found } of conflicts.listed) {
        const key = `${account} ${data_type} ${observed_at}`;
        const all = values.get(key) ?? new Set();
        for (const { text } of found) all.add(text ?? '');
        values.set(key, all);
        expect(new Set(found.map(({ text }) => text ?? '')).size).toBe(found.length);
        const records = contentsOf(store).feed.filter(
          (record) => record.account === account && record.data_type === data_type && record['first_encountered_date'] === observed_at,
        );
        expect(
          found.filter(({ recorded }) => recorded).every(({ text }) => records.some((record) => (record.text ?? '') === (text ?? ''))),
        ).toBe(true);
      }
    }
    return sortedOf(values);
  }

  it('are reported for each account, field and time with several values, with all of them', async () => {
    await fc.assert(
      fc.asyncProperty(clashing, async (all) => {
        expect(await reported(all)).toEqual(expectedOf(all));
      }),
      RUNS,
    );
  });

  it('are the same for any order of the snapshots', async () => {
    const shuffled = clashing.chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    await fc.assert(
      fc.asyncProperty(shuffled, async (all) => {
        expect(await reported(all)).toEqual(expectedOf(all));
      }),
      RUNS,
    );
  });

  it('are the same in several runs, even if the runs divide snapshots of one time, and on repetition', async () => {
    await fc.assert(
      fc.asyncProperty(clashing, fc.array(fc.nat({ max: 100 }), { maxLength: 3 }), async (all, places) => {
        expect(await reported(...splitAt(all, places))).toEqual(expectedOf(all));
        const store = newPath();
        await observe(store, all.map(written));
        const again = await observe(store, all.map(written));
        expect(again.conflicts.count).toBe(expectedOf(all).length);
        expect(again.records).toEqual({ Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 });
      }),
      RUNS,
    );
  });
});
