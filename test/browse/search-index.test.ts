import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAccounts, type IndexFile, indexFile } from '../../src/browse/client/find-accounts.ts';
import { plainText } from '../../src/browse/markup.ts';
import { cutName, entryOf, rankOf, searchFiles } from '../../src/browse/search/search-index.ts';
import {
  BEST,
  compareFound,
  folded,
  LONGEST_PREFIX,
  matchOf,
  nameTerms,
  searchPath,
  termsOf,
} from '../../src/browse/search/search-terms.ts';
import type { SearchedNames } from '../../src/store/accounts/account-reader.ts';
import { times } from '../support/proof.ts';

const account = (screen_name: string, display_name = '', records = 1, ...formerHandles: string[]): SearchedNames => ({
  screen_name,
  display_name,
  records,
  former_handles: formerHandles.map((handle) => ({ handle, seen_to: 0 })),
});

/** The index as a browser reads it: each file by its path. @param size the largest size of a file */
function indexOf(accounts: readonly SearchedNames[], size?: number): ReadonlyMap<string, string> {
  return new Map([...searchFiles(() => accounts, size)].map(({ path, text }) => [path, plainText(text)]));
}

/** Loads files as the script does. A file that is missing fails the search. */
const loadFrom =
  (files: ReadonlyMap<string, string>) =>
  async (name: string): Promise<IndexFile> => {
    const text = files.get(searchPath(name));
    if (text === undefined) throw new Error(`no file "${name}"`);
    const [entries, starts] = JSON.parse(`[${text.slice('palimpsest('.length, -2)}]`);
    return indexFile(entries, starts);
  };

/** Finds accounts as the script does. @param newer the accounts whose names the index lacks */
async function search(files: ReadonlyMap<string, string>, query: string, newer: readonly SearchedNames[] = []) {
  const { total, entries } = await findAccounts(query, loadFrom(files), indexFile(newer.map(entryOf)).entries);
  return { total, handles: entries.map(({ handle }) => handle) };
}

const handles = async (accounts: readonly SearchedNames[], query: string, size?: number) =>
  (await search(indexOf(accounts, size), query)).handles;

/** Finds accounts by going through all of them. */
function linearSearch(accounts: readonly SearchedNames[], query: string) {
  const found = accounts.flatMap(({ screen_name: handle, display_name, former_handles, records }) => {
    const formerHandles = former_handles.map((former) => former.handle);
    const match = matchOf(folded(query), termsOf({ handle, name: cutName(display_name), formerHandles }));
    return match === undefined ? [] : [{ match, entry: { handle, rank: rankOf(records) } }];
  });
  const best = found.sort(compareFound).slice(0, BEST);
  return { total: found.length, handles: best.map(({ entry }) => entry.handle) };
}

const WORDS = 'Nina nina NINO Ñiña straße ΝΙΚΟΣ 田中太郎 محمد שלום हिन्दी İstanbul ﬁne 🌻 👩‍👩‍👧 __ 한국 !?';
const word = fc.oneof(fc.stringMatching(/^[ab]{1,5}$/), fc.constantFrom(...WORDS.split(' ')));
const name = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '_', '.', '-', '', '  ')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''));
const LONG = ['官方客服中心提供全天候服务', 'ﷺ'.repeat(20), 'a'.repeat(60), '🌻'.repeat(60), '\0\uffff!'.repeat(20)];
const longName = fc
  .tuple(fc.constantFrom(...LONG), fc.nat({ max: 4 }), fc.oneof(name, fc.constant('')))
  .map(([long, times, end]) => long.repeat(times) + end);
const searched: fc.Arbitrary<SearchedNames> = fc.record({
  screen_name: name,
  display_name: fc.oneof(name, fc.constant(''), longName, fc.string({ unit: 'binary', maxLength: 8 })),
  records: fc.nat({ max: 3 }),
  former_handles: fc.array(
    name.map((handle) => ({ handle, seen_to: 0 })),
    { maxLength: 2 },
  ),
});
const population = fc.uniqueArray(searched, { selector: ({ screen_name }) => screen_name, minLength: 1, maxLength: 300, size: 'max' });

describe('the search index', () => {
  it('finds what a search through all accounts finds, for each prefix of each name', async () => {
    await fc.assert(
      fc.asyncProperty(population, fc.nat(), fc.constantFrom(1, 5000, 100_000), async (accounts, chosen, size) => {
        const files = indexOf(accounts, size);
        for (const path of files.keys()) expect(path.length).toBeLessThan(150);
        const one = accounts[chosen % accounts.length] ?? account('');
        for (const each of [one.screen_name, ...one.former_handles.map(({ handle }) => handle), one.display_name]) {
          const units = Array.from(new Intl.Segmenter('en').segment(cutName(each)), ({ segment }) => segment);
          for (let length = 1; length <= units.length; length += 1) {
            const query = units.slice(0, length).join('');
            if (folded(query) === '') continue;
            const expected = linearSearch(accounts, query);
            const { total, handles: found } = await search(files, query);
            // of too many accounts with the same long beginning of a name, only the best are found
            if (Buffer.byteLength(folded(query)) > LONGEST_PREFIX && size === 1) continue;
            // the number of all is unknown only if there can be others
            const known = total ?? (found.length === BEST ? expected.total : undefined);
            expect({ total: known, handles: found }).toEqual(expected);
            // punctuation alone finds only names without words
            if (/[\p{L}\p{N}]/u.test(query)) expect(expected.total).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: times('generated populations', 6, 100) },
    );
  });

  it('finds accounts by the names that are newer than its files, and not by their older names', async () => {
    await fc.assert(
      fc.asyncProperty(population, population, fc.nat(), fc.constantFrom(5000, 100_000), async (before, changed, chosen, size) => {
        const newer = changed.slice(0, 20);
        const handles = new Set(newer.map(({ screen_name }) => screen_name));
        const present = [...before.filter(({ screen_name }) => !handles.has(screen_name)), ...newer];
        const files = indexOf(before, size);
        for (const accounts of [before, newer]) {
          const { screen_name, display_name } = accounts[chosen % accounts.length] ?? account('');
          for (const query of [screen_name, screen_name.slice(0, 1), cutName(display_name)]) {
            const expected = folded(query) === '' ? { total: 0, handles: [] } : linearSearch(present, query);
            const { total, handles: found } = await search(files, query, newer);
            // a file with only the best of many accounts has no other one in the place of one that changed
            if (total !== undefined) expect({ total, handles: found }).toEqual(expected);
          }
        }
      }),
      { numRuns: times('generated populations', 6, 100) },
    );
  });

  it('keeps each file small, and each path short', () => {
    const names = [
      () => 'John Smith',
      (index: number) => `Number ${index} of many people who have a long display name 🌻🌻🌻`,
      () => '官方客服中心提供全天候服务与支持请点击主页链接联系我们了解更多优惠活动详情信息欢迎加入官方客服中心提供',
      (index: number) => `All these long display names differ only at their very end: ${index}`,
    ];
    const accounts = Array.from({ length: 5000 }, (_, index) =>
      account(`user_${index}`, names[Math.floor(index / 3) % 4]?.(index), index % 7),
    );
    const files = indexOf(accounts, 60_000);
    expect(Math.max(...[...files.values()].map((text) => Buffer.byteLength(text)))).toBeLessThan(90_000);
    expect(Math.max(...[...files.keys()].map((path) => path.length))).toBeLessThan(150);
    expect(files.size).toBeGreaterThan(20);
    for (const path of files.keys()) expect(path).toMatch(/^browse\/search\/(index|(from|best)-([0-9a-f]{2})*)\.js$/);
  });

  it('changes at most one file for each word of the old and the new name', () => {
    const word = (index: number) => `${'bdfgklmnprst'[index % 12]}${'aeiou'[index % 5]}${'bdfgklmnprst'[index % 11]}`;
    const accounts = Array.from({ length: 5000 }, (_, index) => account(`${word(index)}${index}`, `${word(index * 7)} ${word(index * 3)}`));
    const before = indexOf(accounts, 20_000);
    expect(before.size).toBeGreaterThan(30);
    for (let index = 1; index < 5000; index += 500) {
      const after = indexOf(accounts.with(index, account(accounts[index]?.screen_name ?? '', 'Nina Smith')), 20_000);
      expect([...after.keys()]).toEqual([...before.keys()]);
      // the handle, two words before and two after
      expect([...after].filter(([path, text]) => before.get(path) !== text).length).toBeLessThanOrEqual(5);
    }
  });

  it('counts all accounts with the same name and shows those with many records', async () => {
    const same = Array.from({ length: 3000 }, (_, index) => account(`u${index}`, 'John Smith', index === 1234 ? 9999 : index));
    const { total, handles: found } = await search(indexOf(same), 'john smith');
    expect([total, found.length, found[0]]).toEqual([3000, BEST, 'u1234']);
    // in small files, not all of them
    const few = await search(indexOf(same, 10_000), 'john smith ');
    expect([few.total, few.handles]).toEqual([undefined, found]);
    // all of them, although they are in several files
    expect((await search(indexOf(same.slice(0, BEST - 1), 1), 'john smith ')).total).toBe(BEST - 1);
  });

  it('finds an account that comes before a range with only the best', async () => {
    const accounts = [account('a '), account('b '), ...Array.from({ length: 90 }, (_, index) => account(`${'a'.repeat(70)}${index}`))];
    expect(await handles(accounts, 'a ', 1)).toEqual(['a ']);
  });

  it('finds an account by handle before former handle before display name', async () => {
    const accounts = [account('a', 'Nina', 900), account('b', '', 800, 'nina'), account('nina_k', '', 1), account('nina', '', 0)];
    expect(await handles(accounts, '@Nina')).toEqual(['nina', 'nina_k', 'b', 'a']);
  });

  it.each([
    ['nina', 'Ñina'],
    ['strasse', 'Straße'],
    ['ΝΙΚΟΣ', 'νικος'],
    ['太郎', '田中太郎'],
    ['smith j', 'Anna SMITH-Jones'],
    ['ｎｉｎａ', 'nina'],
    ['🌻', 'Nina 🌻'],
    ['nina ', 'Nina'],
  ])('finds with "%s" the name "%s"', async (query, display_name) => {
    expect(await handles([account('x', display_name), account('y', 'Other')], query)).toEqual(['x']);
  });

  it('finds nothing for a query without an account, and for an empty one', async () => {
    for (const query of ['ninab', 'zz', ' ']) expect(await handles([account('nina'), account('olga')], query)).toEqual([]);
    expect(await handles([], 'a')).toEqual([]);
  });

  it('has the same bytes after most new records, and others when an account has four times as many', () => {
    const index = (records: number) => [...indexOf([account('nina', 'Nina', records), account('omar', 'Omar', 5)])];
    expect(index(9)).toEqual(index(8));
    expect(index(15)).toEqual(index(8));
    expect(index(16)).not.toEqual(index(15));
  });

  it('splits ASCII into the same words, alone and beside a letter that is not ASCII', () => {
    const ascii = fc.string({ unit: fc.constantFrom(...'aZ09 _.-@^`|~'), maxLength: 12 });
    fc.assert(
      fc.property(ascii, (text) => {
        const alone = /[a-z0-9]/i.test(text) ? [folded(text).trimEnd()] : [];
        expect(folded(`${text} \u00e9`)).toBe([...alone, 'e'].join(' '));
        const terms = alone.length === 0 ? [] : nameTerms(text).map((term) => `${term}e `);
        expect(nameTerms(`${text} \u00e9`)).toEqual([...terms, 'e '].slice(0, 8));
      }),
    );
  });
});
