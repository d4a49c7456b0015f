import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verify } from '../../src/verify/verify.ts';
import { NOTES, RULES, type Rule, type Violation } from '../../src/verify/violation.ts';
import { temporaryFolder } from '../support/folder.ts';
import { DamagedTree } from './damaged-tree.ts';
import { ACCOUNT_DAMAGES } from './damages/accounts.ts';
import type { Damage } from './damages/damage.ts';
import { addChange, DIFF_DAMAGES, GENERATED_DAMAGES } from './damages/diffs.ts';
import { FILE_DAMAGES } from './damages/files.ts';
import { PAGE_DAMAGES } from './damages/pages.ts';
import { RECORD_DAMAGES } from './damages/records.ts';
import { STORE_DAMAGES } from './damages/store.ts';
import { goodTreeOfFile } from './good-tree.ts';

const DAMAGES = {
  files: FILE_DAMAGES,
  pages: PAGE_DAMAGES,
  records: RECORD_DAMAGES,
  diffs: DIFF_DAMAGES,
  'generated records': GENERATED_DAMAGES,
  accounts: ACCOUNT_DAMAGES,
  store: STORE_DAMAGES,
};
const ALL_DAMAGES: readonly Damage[] = Object.values(DAMAGES).flat();
/** The first damage of each rule. These trees are also checked with the store, which must not hide a violation. */
const WITH_STORE_TOO = new Set(Object.keys(RULES).map((rule) => ALL_DAMAGES.find(({ expects }) => expects[0] === rule)));
/** Violations of these rules disappear after a reseal. */
const OF_FILES: readonly Rule[] = ['manifest-digest', 'manifest-line', 'file-missing', 'file-digest', 'unexpected-file', 'sort-keys'];

/** The rules that folders without browse files can break. Other tests have damages for the others: browse, zip, check-site. */
const OF_PAGES = Object.keys(RULES).filter((rule) => !/^(browse|zip|commit|head|version)-/.test(rule));

const { good, store, copy } = goodTreeOfFile();

const rulesOf = (found: readonly Violation[]) => [...new Set(found.map((violation) => violation.rule))].sort();

describe('the good tree', () => {
  test('has no violations', async () => {
    const alone = await verify({ out: good });
    expect(alone).toMatchObject({ violations: [], notes: [], violationCount: 0, noteCount: 0, records: 60, accounts: 8 });
    expect(alone.build).toMatchObject({ data_pages: 9, account_pages: 3 });
    expect(await verify({ out: good, store })).toEqual(alone);
  });

  test('keeps its bytes when the test helper writes it again without a change', () => {
    const tree = copy();
    tree.editFeed((records) => records);
    tree.editAccounts((accounts) => accounts);
    tree.reseal();
    expect(tree.files().sort()).toEqual(new DamagedTree(good).files().sort());
    for (const file of tree.files()) expect(tree.text(file), file).toBe(new DamagedTree(good).text(file));
  });

  test('has no violations with a generated record', async () => {
    const tree = copy();
    addChange(tree);
    tree.reseal();
    expect(await verify({ out: tree.folder })).toMatchObject({ violations: [], notes: [], records: 61 });
  });

  test('has no violations with hidden files of others beside rest', async () => {
    const tree = copy();
    tree.write('.well-known/security.txt', 'x');
    tree.write('.nojekyll', '');
    expect((await verify({ out: tree.folder, store })).violations).toEqual([]);
  });
});

describe.each(Object.entries(DAMAGES))('verify of damage to %s', (_, damages) => {
  test.each(damages.map((damage) => [damage.name, damage] as const))('reports that %s', async (_, entry) => {
    const tree = copy();
    entry.damage(tree);
    onTestFinished(() => entry.after?.(tree));
    if (entry.deep) tree.reseal();
    const alone = await verify({ out: tree.folder });
    const withStore = entry.withStore || WITH_STORE_TOO.has(entry) ? await verify({ out: tree.folder, store }) : undefined;
    const { violations, notes, violationCount, noteCount } = entry.withStore && withStore !== undefined ? withStore : alone;
    const found = [...violations, ...notes];
    expect(rulesOf(found)).toEqual([entry.expects[0], ...entry.also].sort());
    expect(found.filter((violation) => isNamed(violation, entry))).not.toEqual([]);
    expect(found.filter((violation) => NOTES.has(violation.rule))).toEqual(notes);
    expect([violationCount, noteCount]).toEqual([violations.length, notes.length]);
    // violations inside the tree are also found with the store; differences from the store are not found without it
    if (entry.withStore) expect(alone.violations).toEqual([]);
    else if (withStore !== undefined)
      expect(rulesOf([...withStore.violations, ...withStore.notes])).toEqual(expect.arrayContaining(rulesOf(found)));
  });
});

function isNamed(violation: Violation, { expects: [rule, path, subject, mentions = ''] }: Damage): boolean {
  return (
    violation.rule === rule &&
    violation.path === path &&
    (subject === undefined || violation.subject === subject) &&
    `${violation.expected} ${violation.found}`.includes(mentions)
  );
}

describe('verify', () => {
  test('throws no-tree if there is no build.json', async () => {
    const tree = copy();
    tree.remove('build.json');
    const folderInstead = copy();
    folderInstead.remove('build.json');
    folderInstead.write('build.json/file', '');
    for (const out of [tree.folder, folderInstead.folder, temporaryFolder(), join(good, 'nowhere'), join(good, 'build.json')])
      await expect(verify({ out })).rejects.toMatchObject({ code: 'no-tree', place: { file: out } });
  });

  test('throws no-store if the store is missing, and bad-store if it is another file', async () => {
    await expect(verify({ out: good, store: join(good, 'nowhere.db') })).rejects.toMatchObject({ code: 'no-store' });
    await expect(verify({ out: good, store: join(good, 'build.json') })).rejects.toMatchObject({ code: 'bad-store' });
  });
});

describe('the table of damages', () => {
  test('has a damage for every rule', () => {
    expect([...new Set(ALL_DAMAGES.map((damage) => damage.expects[0]))].sort()).toEqual(OF_PAGES.toSorted());
  });

  test('has a resealed damage for every rule about the contents of files', () => {
    const deep = new Set<string>(ALL_DAMAGES.filter((damage) => damage.deep).map((damage) => damage.expects[0]));
    expect(OF_PAGES.filter((rule) => !deep.has(rule))).toEqual(OF_FILES);
  });
});
