import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/browse/byte-text.ts';
import { findAccounts, type IndexFile } from '../../src/browse/client/find-accounts.ts';
import { searchDigest, searchFiles } from '../../src/browse/search/search-index.ts';
import { cutName, rankOf } from '../../src/browse/search/search-term-lines.ts';
import { BEST, compareFound, folded, matchOf, nameTerms, type SearchEntry, searchPath } from '../../src/browse/search/search-terms.ts';
import type { SearchedNames } from '../../src/store/accounts/account-reader.ts';
import { times } from '../support/proof.ts';

const account = (screen_name: string, display_name = '', records = 1, ...formerHandles: string[]): SearchedNames => ({
  screen_name,
  display_name,
  records,
  former_handles: formerHandles.map((handle) => ({ handle, seen_to: 0 })),
});

/** The index as a browser reads it: each file by its path. */
function indexOf(accounts: readonly SearchedNames[]): ReadonlyMap<string, string> {
  return new Map([...searchFiles(accounts)].map(({ path, text }) => [path, plainText(text)]));
}

/** Loads files as the script does. A file that is missing fails the search. */
const loadFrom =
  (files: ReadonlyMap<string, string>) =>
  async (prefix: string): Promise<IndexFile> => {
    const text = files.get(searchPath(prefix));
    if (text === undefined) throw new Error(`no file for "${prefix}"`);
    return JSON.parse(text.slice('palimpsest('.length, -2));
  };

/** Finds accounts as the script does. */
async function search(files: ReadonlyMap<string, string>, query: string) {
  const { total, entries } = await findAccounts(query, loadFrom(files));
  return { total, handles: entries.map(({ handle }) => handle) };
}

const handles = async (accounts: readonly SearchedNames[], query: string) => (await search(indexOf(accounts), query)).handles;

/** Finds accounts by going through all of them. */
function linearSearch(accounts: readonly SearchedNames[], query: string) {
  const found = accounts.flatMap((each) => {
    const formerHandles = each.former_handles.map(({ handle }) => handle);
    const entry: SearchEntry = {
      handle: each.screen_name,
      place: '',
      name: cutName(each.display_name),
      rank: rankOf(each.records),
      formerHandles,
    };
    const match = matchOf(folded(query), entry);
    return match === undefined ? [] : [[match, entry] as const];
  });
  return {
    total: found.length,
    handles: found
      .sort(compareFound)
      .slice(0, BEST)
      .map(([, { handle }]) => handle),
  };
}

const WORDS = 'Nina nina NINO Ñiña straße ΝΙΚΟΣ 田中太郎 محمد שלום हिन्दी İstanbul ﬁne 🌻 👩‍👩‍👧 __ 한국 !?';
const word = fc.oneof(fc.stringMatching(/^[ab]{1,5}$/), fc.constantFrom(...WORDS.split(' ')));
const name = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '_', '.', '-', '', '  ')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''));
const searched: fc.Arbitrary<SearchedNames> = fc.record({
  screen_name: name,
  display_name: fc.oneof(name, fc.constant(''), fc.string({ unit: 'binary', maxLength: 8 })),
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
      fc.asyncProperty(population, fc.nat(), async (accounts, chosen) => {
        const files = indexOf(accounts);
        const one = accounts[chosen % accounts.length] ?? account('');
        for (const each of [one.screen_name, ...one.former_handles.map(({ handle }) => handle), one.display_name]) {
          const units = Array.from(new Intl.Segmenter('en').segment(cutName(each)), ({ segment }) => segment);
          for (let length = 1; length <= units.length; length += 1) {
            const query = units.slice(0, length).join('');
            if (folded(query) === '') continue;
            const expected = linearSearch(accounts, query);
            expect(await search(files, query)).toEqual(expected);
            // punctuation alone finds only names without words
            if (/[\p{L}\p{N}]/u.test(query)) expect(expected.total).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: times('generated populations', 6, 100) },
    );
  });

  it('keeps each file small, and each path short', () => {
    const accounts = Array.from({ length: 5000 }, (_, index) =>
      account(
        `user_${index}`,
        index % 3 === 0 ? 'John Smith' : `Number ${index} of many people who have a long display name 🌻🌻🌻`,
        index % 7,
      ),
    );
    const files = indexOf(accounts);
    expect(Math.max(...[...files.values()].map((text) => Buffer.byteLength(text)))).toBeLessThan(66_000);
    expect(Math.max(...[...files.keys()].map((path) => path.length))).toBeLessThan(200);
    expect(files.size).toBeGreaterThan(20);
    for (const path of files.keys()) expect(path).toMatch(/^browse\/search\/(index|[0-9a-f]{2,8}(\/[0-9a-f]{2,128})?)\.js$/);
  });

  it('counts all accounts with the same name and shows those with many records', async () => {
    const files = indexOf(Array.from({ length: 3000 }, (_, index) => account(`u${index}`, 'John Smith', index === 1234 ? 9999 : index)));
    const { total, handles: found } = await search(files, 'john smith');
    expect([total, found.length, found[0]]).toEqual([3000, BEST, 'u1234']);
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

  it('has the same bytes for the same accounts in another order', () => {
    const accounts = Array.from({ length: 500 }, (_, index) => account(`user${index}`, `Name ${index % 7}`, index % 5, `old${index}`));
    expect([...indexOf(accounts.toReversed())]).toEqual([...indexOf(accounts)]);
  });

  it('has the same bytes after most new records, and others when an account has four times as many', () => {
    const index = (records: number) => [...indexOf([account('nina', 'Nina', records), account('omar', 'Omar', 5)])];
    expect(index(9)).toEqual(index(8));
    expect(index(15)).toEqual(index(8));
    expect(index(16)).not.toEqual(index(15));
    expect(searchDigest([account('nina', 'Nina', 9)])).toBe(searchDigest([account('nina', 'Nina', 8)]));
  });

  it.each([
    ['a new account', [account('nina', 'Nina', 8), account('omar')]],
    ['another display name', [account('nina', 'N', 8)]],
    ['a former handle', [account('nina', 'Nina', 8, 'nan')]],
    ['a larger rank', [account('nina', 'Nina', 16)]],
  ])('has another digest with %s', (_, accounts) => {
    expect(searchDigest(accounts)).not.toBe(searchDigest([account('nina', 'Nina', 8)]));
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
