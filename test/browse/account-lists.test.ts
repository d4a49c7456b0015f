import fc from 'fast-check';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { accountLists, nameLists } from '../../src/browse/accounts/account-lists.ts';
import { PageFrames, type UnframedFile } from '../../src/browse/page-frame.ts';
import { accountsPage, namesPage } from '../../src/browse/paths.ts';
import type { ListedAccount } from '../../src/store/accounts/account-reader.ts';
import type { NamedAccount, StoredAccounts } from '../../src/store/accounts/stored-accounts.ts';
import { times } from '../support/proof.ts';
import { elementsNamed, textOf } from './parsed-html.ts';
import { SITE } from './small-site.ts';

const folded = (handle: string) => Buffer.from(handle.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));

/** A reader of accounts that gives the handles in the order of the store. */
function readerOf(handles: readonly string[]): StoredAccounts {
  const sorted = handles.toSorted((one, other) => folded(one).compare(folded(other)) || Buffer.from(one).compare(Buffer.from(other)));
  const listed = (screen_name: string): ListedAccount => ({
    screen_name,
    display_name: '',
    changes: 0,
    first_seen: null,
    last_change: null,
  });
  return Object.assign(Object.create(null), { byHandle: () => sorted, listed });
}

/** Returns the pages of a list as a reader sees them: the handles, and the paths of other pages. */
function pagesOf(
  files: Iterable<UnframedFile>,
): ReadonlyMap<string, { readonly handles: readonly string[]; readonly links: readonly string[] }> {
  const pages = new Map();
  const frames = new PageFrames(SITE);
  for (const file of files) {
    const { path, render } = frames.framed(file);
    const page = parse(String(render?.()[0]));
    const links = elementsNamed(page, 'nav')
      .filter(({ attrs }) => attrs.some(({ value }) => value.startsWith('Accounts by')))
      .flatMap((nav) => elementsNamed(nav, 'a').map(({ attrs }) => attrs[0]?.value.slice(6)));
    expect(pages.has(path)).toBe(false);
    pages.set(path, {
      handles: elementsNamed(page, 'td').flatMap((cell) => elementsNamed(cell, 'a').map((each) => textOf(each))),
      links,
    });
  }
  return pages;
}

const character = fc.constantFrom(...'abAB_.-~é東');
const handle = fc.string({ unit: character, minLength: 1, maxLength: 7 });
const population = fc.uniqueArray(handle, { minLength: 1, maxLength: 1500, size: 'max' });

it('the page of a store without accounts is rendered, because no account shows that it is new', () => {
  const frames = new PageFrames(SITE);
  const pages = [...accountLists(readerOf([]), () => false)].map((file) => String(frames.framed(file).render?.()[0]));
  expect(pages).toEqual([expect.stringContaining('There are no accounts yet.')]);
});

it('a reader who follows links finds each account once, on few pages of at most 250 accounts', () => {
  fc.assert(
    fc.property(population, fc.infiniteStream(handle), (handles, names) => {
      const accounts = handles.map((screen_name) => ({ screen_name, display_name: names.next().value ?? '' }));
      const byName = accounts.toSorted((one, other) => nameKey(one).compare(nameKey(other)));
      for (const [first, files] of [
        [accountsPage(), accountLists(readerOf(handles), () => true)],
        [namesPage(), nameLists({ byName: () => byName.values() }, [])],
      ] as const) {
        const pages = pagesOf(files);
        const walk = (path: string): readonly string[] => {
          const page = pages.get(path);
          if (page === undefined) throw new Error(`no page ${path}`);
          return [...page.handles, ...page.links.flatMap(walk)];
        };
        expect(walk(first).toSorted()).toEqual(handles.map((each) => `@${each}`).toSorted());
        expect(pages.size).toBeLessThan(3 + handles.length / 30);
        for (const page of pages.values()) expect(page.handles.length).toBeLessThanOrEqual(250);
      }
    }),
    { numRuns: times('generated populations', 4, 50) },
  );
});

/** The order of the store. */
function nameKey({ screen_name, display_name }: NamedAccount): Buffer {
  return Buffer.concat([folded(display_name), Buffer.from([0]), folded(screen_name), Buffer.from([0]), Buffer.from(screen_name)]);
}

it('the lists by name leave out names with NUL, because SQLite sorts them in another way', () => {
  const named = ['a', 'a\0b', 'b'].map((display_name, index) => ({ screen_name: `account_${index}`, display_name }));
  const pages = pagesOf(nameLists({ byName: () => named }, []));
  expect(pages.get(namesPage())?.handles).toEqual(['@account_0', '@account_2']);
});

it('the lists by name have the names at the checkpoint', () => {
  fc.assert(
    fc.property(population, fc.infiniteStream(handle), fc.infiniteStream(fc.nat({ max: 5 })), (handles, names, choices) => {
      const name = () => (choices.next().value === 0 ? '' : (names.next().value ?? ''));
      const sorted = (accounts: readonly NamedAccount[]) =>
        accounts.filter(({ display_name }) => display_name !== '').toSorted((one, other) => nameKey(one).compare(nameKey(other)));
      const before = handles.map((screen_name) => ({ screen_name, display_name: name() }));
      const newer = before.flatMap(({ screen_name, display_name }, id) =>
        choices.next().value === 0
          ? [{ id, screen_name, display_name: name(), older_name: display_name, older_records: choices.next().value ?? 0 }]
          : [],
      );
      const newNames = new Map(newer.map((account) => [account.screen_name, account]));
      const present = before.map((account) => newNames.get(account.screen_name) ?? account);
      const older = before.filter(({ screen_name }) => newNames.get(screen_name)?.older_records !== 0);
      const listed = (accounts: readonly NamedAccount[], changed: typeof newer) => [
        ...pagesOf(nameLists({ byName: () => sorted(accounts) }, changed)),
      ];
      expect(listed(present, newer)).toEqual(listed(older, []));
    }),
    { numRuns: times('generated populations', 4, 50) },
  );
});

it('handles that differ only in case keep their places in the lists by name when one of them has a newer record', () => {
  const named = ['Alice', 'aLice', 'alice'].map((screen_name) => ({ screen_name, display_name: 'X' }));
  const newer = ['alice', 'Alice'].map((screen_name, id) => ({ id, screen_name, display_name: 'X', older_name: 'X', older_records: 1 }));
  const listed = (changed: typeof newer) => pagesOf(nameLists({ byName: () => named }, changed)).get(namesPage())?.handles;
  expect(listed(newer)).toEqual(listed([]));
});
