import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { observeInputs } from '../../src/observe/observe.ts';
import { build } from '../../src/tree/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { type Contents, contentsOf, observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

/** How many histories are made for each property. */
const RUNS = { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 40) };
const START = Date.UTC(2020, 0, 1) * 1000;

const folder = folderOfFile();

/** Who was seen, and with what: `id` counts for the account, the others for this sight of it. */
interface Sight {
  readonly id: string | undefined;
  readonly screen_name: string;
  /** Microseconds since the start. */
  readonly moment: number;
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

/** Three accounts with ids share three handles, in both cases. */
const known = fc.record({ id: fc.constantFrom('1', '2', '3'), screen_name: fc.constantFrom('ann', 'Ann', 'bob', 'cyd') });
const byName = (...names: string[]) => fc.record({ id: fc.constant(undefined), screen_name: fc.constantFrom(...names) });
/** Some are known by their handles alone, and these are others' too. */
const anybody = fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: byName('ann', 'bob', 'dee') });
/** Some are known by their handles alone, and nobody else has these. */
const apart = fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: byName('dee', 'eli') });

function sights(who: typeof anybody, step: number, most: number): fc.Arbitrary<Sight[]> {
  const gap = step === 0 ? fc.constantFrom(0, 0, 1, 1_000_000) : fc.constantFrom(step, 7 * step);
  return fc.array(fc.record({ who, fields, gap }), { maxLength: most, size: 'max' }).map((all) => {
    let moment = START;
    return all.map(({ who, fields, gap }) => {
      moment += gap;
      return { ...who, moment, fields };
    });
  });
}

/** No two at one moment, and with room between. */
const distinct = sights(anybody, 1000, 25);
const distinctApart = sights(apart, 1000, 25);
/** Several at one moment, or a microsecond after it. */
const crowded = sights(anybody, 0, 25);
const crowdedApart = sights(apart, 0, 25);

/** Two values of one field, so that the same profile comes again and again, also beside another of the same moment. */
const repeating = fc
  .array(fc.record({ bio: fc.constantFrom('one', 'two'), gap: fc.constantFrom(0, 0, 1_000_000) }), { maxLength: 12, size: 'max' })
  .map((all) => {
    let moment = START;
    return all.map(({ bio, gap }): Sight => {
      moment += gap;
      return { id: '1', screen_name: 'ann', moment, fields: { bio } };
    });
  });

function written({ id, screen_name, moment, fields }: Sight): Snapshot {
  const time = new Date(Math.floor(moment / 1000)).toISOString().slice(0, -1);
  return { observed_at: `${time}${String(moment % 1000).padStart(3, '0')}Z`, id, screen_name, ...fields };
}

let stores = 0;

/** A path that nothing lies at yet. */
function newPath(): string {
  stores += 1;
  return join(folder, String(stores));
}

/** What a new store holds after some runs. */
async function holding(...runs: readonly (readonly Sight[])[]): Promise<Contents> {
  const store = newPath();
  for (const run of runs) await observe(store, run.map(written));
  return contentsOf(store);
}

/** Splits a list at some places. */
function splitAt<T>(list: readonly T[], places: readonly number[]): T[][] {
  const cuts = [0, ...places.map((place) => place % (list.length + 1)).sort((a, b) => a - b), list.length];
  return cuts.slice(1).map((cut, index) => list.slice(cuts[index], cut));
}

interface Account {
  id: string | undefined;
  name: string;
  /** The handles that it had before, and when it was last seen before it had another. */
  readonly left: string[];
  seen: number;
  readonly records: { id: number; data_type: string; text: string | null; moment: number; web_archive_url: unknown }[];
}

/** What should come out, thought out anew: slowly, from all that was seen in its order. */
function expected(sights: readonly Sight[]): object[] {
  const accounts: Account[] = [];
  const called = (name: string) => accounts.find((account) => account.name.toLowerCase() === name.toLowerCase());
  const sane = (value: unknown) => value ?? '';
  let last = -1;
  for (const { id, screen_name, moment, fields } of sights) {
    const holder = called(screen_name);
    const mine = accounts.find((account) => account.id === id && id !== undefined);
    const account = mine ??
      (id === undefined || holder?.id === undefined ? holder : undefined) ?? { id, name: '', left: [], seen: 0, records: [] };
    if (!accounts.includes(account)) accounts.push(account);
    account.id ??= id;
    const isLeft = account.left.includes(`${screen_name.toLowerCase()} ${moment}`) && account.name !== screen_name;
    if (holder !== undefined && holder !== account && !isLeft) {
      holder.left.push(`${holder.name.toLowerCase()} ${holder.seen}`);
      holder.name += `~${holder.id ?? 'former'}`;
      while (accounts.some((other) => other !== holder && other.name.toLowerCase() === holder.name.toLowerCase())) holder.name += '~';
    }
    if (!isLeft) {
      if (account.name !== screen_name) account.left.push(`${account.name.toLowerCase()} ${account.seen}`);
      account.name = screen_name;
    }
    account.seen = moment;
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
      const before = past.filter((record) => record.moment < moment).slice(-1);
      const known = [...before, ...past.filter((record) => record.moment === moment)];
      if (known.some((record) => sane(record.text) === String(sane(seen)))) continue;
      last = Math.max(moment, last + 1);
      const text = past.length > 0 && field === 'website' && !seen ? null : String(sane(seen));
      account.records.push({ id: last, data_type, text, moment, web_archive_url: fields['web_archive_url'] ?? null });
    }
  }
  return accounts
    .flatMap(({ name, records }) =>
      records.map(({ moment, ...record }, index) => ({
        ...record,
        account: name,
        previous: records.slice(0, index).findLast(({ data_type }) => data_type === record.data_type)?.id ?? null,
        first_encountered_date: written({ id: '', screen_name: '', moment, fields: {} })['observed_at'],
      })),
    )
    .sort((a, b) => b.id - a.id);
}

describe('snapshots', () => {
  it('make the records that a slow model makes of them, in which everything is looked at anew', async () => {
    const check = async (all: readonly Sight[]) => {
      const { feed } = await holding(all);
      expect(feed.map(({ diff_html, ...record }) => record)).toEqual(expected(all));
    };
    await fc.assert(fc.asyncProperty(crowdedApart, check), RUNS);
    await fc.assert(fc.asyncProperty(distinct, check), RUNS);
    await fc.assert(fc.asyncProperty(repeating, check), RUNS);
  });

  it('make the same store in whatever order they come in one run, if no two are of one moment', async () => {
    const shuffled = distinct.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    await fc.assert(
      fc.asyncProperty(shuffled, async ([all, other]) => {
        expect(await holding(other)).toEqual(await holding(all));
      }),
      RUNS,
    );
  });

  it('make the same store from however many sources', async () => {
    await fc.assert(
      fc.asyncProperty(distinct, fc.nat({ max: 3 }), async (all, sources) => {
        const store = newPath();
        const inputs = Array.from({ length: sources + 1 }, (_, number) =>
          sourceOf(all.filter((_, index) => index % (sources + 1) === number).map(written)),
        );
        await observeInputs(store, inputs, { snapshots: { from: undefined, observedAt: undefined, unescape: false }, network: TWITTER });
        expect(contentsOf(store)).toEqual(await holding(all));
      }),
      RUNS,
    );
  });

  it('make the same store in one run and in several, one after the other, also where these part a moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(crowded, repeating), fc.array(fc.nat({ max: 100 }), { maxLength: 3 }), async (all, places) => {
        expect(await holding(...splitAt(all, places))).toEqual(await holding(all));
      }),
      RUNS,
    );
  });

  it('make the same store account by account, whose handles may go from one to the other', async () => {
    await fc.assert(
      fc.asyncProperty(distinctApart, fc.shuffledSubarray(['1', '2', '3', undefined], { minLength: 4 }), async (all, ids) => {
        expect(await holding(...ids.map((id) => all.filter((sight) => sight.id === id)))).toEqual(await holding(all));
      }),
      RUNS,
    );
  });

  it('add nothing when they come again, all or some of them', async () => {
    await fc.assert(
      fc.asyncProperty(crowdedApart, async (all) => {
        expect(await holding(all, all)).toEqual(await holding(all));
      }),
      RUNS,
    );
    await fc.assert(
      fc.asyncProperty(distinct, fc.array(fc.nat({ max: 100 }), { maxLength: 2 }), async (all, places) => {
        const once = await holding(all);
        expect(await holding(all, ...splitAt(all, places))).toEqual(once);
      }),
      RUNS,
    );
  });

  it('make a store of which the tree keeps all that the interface promises', async () => {
    await fc.assert(
      fc.asyncProperty(crowded, async (all) => {
        const [store, out] = [newPath(), newPath()];
        await observe(store, all.map(written));
        await build(store, { out, site: { base_url: 'https://history.example', page_size: 7, account_page_size: 2 } });
        expect(verify({ out, store })).toMatchObject({ violations: [], notes: [] });
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
      let moment = START;
      return all.map(({ who, fields, gap }): Sight => {
        moment += gap;
        return { ...who, moment, fields };
      });
    });
  const FIELDS = { bio: 'Bio', website: 'Website', verified: 'Verified' } as const;

  /** The fields of which one moment has several values, each with these in alphabetical order. */
  function expectedOf(sights: readonly Sight[]): [string, string[]][] {
    const values = new Map<string, Set<string>>();
    for (const sight of sights) {
      for (const [field, type] of Object.entries(FIELDS)) {
        const seen = sight.fields[field];
        if (seen === undefined) continue;
        const key = `${sight.screen_name} ${type} ${String(written(sight)['observed_at'])}`;
        values.set(key, (values.get(key) ?? new Set()).add(String(seen ?? '')));
      }
    }
    return sortedOf(values);
  }

  const sortedOf = (values: Map<string, Set<string>>): [string, string[]][] =>
    [...values].flatMap(([key, set]): [string, string[]][] => (set.size > 1 ? [[key, [...set].sort()]] : [])).sort();

  /** What some runs into one store report, together. */
  async function reported(...runs: readonly (readonly Sight[])[]): Promise<[string, string[]][]> {
    const store = newPath();
    const values = new Map<string, Set<string>>();
    for (const run of runs) {
      const { conflicts } = await observe(store, run.map(written));
      expect(conflicts.count).toBe(conflicts.listed.length);
      for (const { account, data_type, observed_at, values: said } of conflicts.listed) {
        const key = `${account} ${data_type} ${observed_at}`;
        const all = values.get(key) ?? new Set();
        for (const { text } of said) all.add(text ?? '');
        values.set(key, all);
        expect(new Set(said.map(({ text }) => text ?? '')).size).toBe(said.length);
        const told = contentsOf(store).feed.filter(
          (record) => record.account === account && record.data_type === data_type && record['first_encountered_date'] === observed_at,
        );
        expect(
          said.filter(({ recorded }) => recorded).every(({ text }) => told.some((record) => (record.text ?? '') === (text ?? ''))),
        ).toBe(true);
      }
    }
    return sortedOf(values);
  }

  it('are reported of each account, field and moment that has several values, with all of these', async () => {
    await fc.assert(
      fc.asyncProperty(clashing, async (all) => {
        expect(await reported(all)).toEqual(expectedOf(all));
      }),
      RUNS,
    );
  });

  it('are the same in whatever order the snapshots come', async () => {
    const shuffled = clashing.chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    await fc.assert(
      fc.asyncProperty(shuffled, async (all) => {
        expect(await reported(all)).toEqual(expectedOf(all));
      }),
      RUNS,
    );
  });

  it('are the same in several runs, also where these part a moment, and when all comes again', async () => {
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
