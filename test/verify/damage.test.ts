import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { type VerifyOptions, verify } from '../../src/verify/verify.ts';
import { NOTES, RULES, type Rule, type Violation } from '../../src/verify/violation.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { DamagedTree } from './damaged-tree.ts';
import { ACCOUNT_DAMAGES } from './damages/accounts.ts';
import type { Damage } from './damages/damage.ts';
import { addOwn, DIFF_DAMAGES, OWN_CHANGES } from './damages/diffs.ts';
import { FILE_DAMAGES } from './damages/files.ts';
import { PAGE_DAMAGES } from './damages/pages.ts';
import { RECORD_DAMAGES } from './damages/records.ts';
import { STORE_DAMAGES } from './damages/store.ts';
import { buildTree, goodHistory, importHistory } from './good-tree.ts';

const DAMAGES = {
  files: FILE_DAMAGES,
  pages: PAGE_DAMAGES,
  records: RECORD_DAMAGES,
  diffs: DIFF_DAMAGES,
  accounts: ACCOUNT_DAMAGES,
  store: STORE_DAMAGES,
};
/** What is wrong with these cannot be sealed away. */
const OF_FILES: readonly Rule[] = ['manifest-digest', 'manifest-line', 'file-missing', 'file-digest', 'unexpected-file', 'sort-keys'];

let home = '';
let good = '';
let store = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-damage-'));
  [good, store] = [join(home, 'good'), join(home, 'good.db')];
  await importHistory(store, goodHistory());
  await buildTree(store, good);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A fresh copy of the good tree, gone when the test has ended. */
function copy(): DamagedTree {
  return DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
}

const rulesOf = (found: readonly Violation[]) => [...new Set(found.map((violation) => violation.rule))].sort();

describe('the tree that will be damaged', () => {
  test('is sound', () => {
    const alone = verify({ out: good });
    expect(alone).toMatchObject({ violations: [], notes: [], violationCount: 0, noteCount: 0, records: 60, accounts: 8 });
    expect(alone.build).toMatchObject({ data_pages: 9, account_pages: 3 });
    expect(verify({ out: good, store })).toEqual(alone);
  });

  test('is written here byte for byte as there, so that what is damaged is only what should be', () => {
    const tree = copy();
    tree.editFeed((records) => records);
    tree.editAccounts((accounts) => accounts);
    tree.reseal();
    expect(tree.files().sort()).toEqual(new DamagedTree(good).files().sort());
    for (const file of tree.files()) expect(tree.text(file), file).toBe(new DamagedTree(good).text(file));
  });

  test.each(OWN_CHANGES.map((change) => [change.name, change] as const))('may have a record of our own: %s', (_, change) => {
    const tree = copy();
    addOwn(tree, change);
    tree.reseal();
    expect(verify({ out: tree.folder })).toMatchObject({ violations: [], notes: [], records: 61 });
  });

  test('may have hidden names beside rest, which are somebody else’s', () => {
    const tree = copy();
    tree.write('.well-known/security.txt', 'x');
    tree.write('.nojekyll', '');
    expect(verify({ out: tree.folder, store }).violations).toEqual([]);
  });
});

describe.each(Object.entries(DAMAGES))('%s', (_, damages) => {
  test.each(damages.map((damage) => [damage.name, damage] as const))('%s', (_, entry) => {
    const tree = copy();
    entry.damage(tree);
    onTestFinished(() => entry.after?.(tree));
    if (entry.deep) tree.reseal();
    const alone = verify({ out: tree.folder });
    const besideStore = verify({ out: tree.folder, store });
    const { violations, notes, violationCount, noteCount } = entry.withStore ? besideStore : alone;
    const found = [...violations, ...notes];
    expect(rulesOf(found)).toEqual([entry.expects, ...(entry.also ?? [])].sort());
    expect(found.filter((violation) => isNamed(violation, entry))).not.toEqual([]);
    expect(found.filter((violation) => NOTES.has(violation.rule))).toEqual(notes);
    expect([violationCount, noteCount]).toEqual([violations.length, notes.length]);
    // what a tree is wrong in by itself is found beside a store too; what only the store knows is not found without
    if (entry.withStore) expect(alone.violations).toEqual([]);
    else expect(rulesOf([...besideStore.violations, ...besideStore.notes])).toEqual(expect.arrayContaining(rulesOf(found)));
  });
});

function isNamed(violation: Violation, { expects, path, subject, says = '' }: Damage): boolean {
  return (
    violation.rule === expects &&
    violation.path === path &&
    (subject === undefined || violation.subject === subject) &&
    `${violation.expected} ${violation.found}`.includes(says)
  );
}

describe('where there is nothing to verify', () => {
  function failure(options: VerifyOptions): Failure {
    try {
      verify(options);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    throw new Error('no Failure');
  }

  test('a Failure says so, and nothing else is thrown', () => {
    const tree = copy();
    tree.remove('build.json');
    const folderInstead = copy();
    folderInstead.remove('build.json');
    folderInstead.write('build.json/file', '');
    for (const out of [tree.folder, folderInstead.folder, temporaryFolder(), join(good, 'nowhere'), join(good, 'build.json')])
      expect(failure({ out })).toMatchObject({ code: 'no-tree', place: { file: out } });
  });

  test('a store that is not there, or is none, is named', () => {
    expect(failure({ out: good, store: join(home, 'nowhere.db') }).code).toBe('no-store');
    expect(failure({ out: good, store: join(good, 'build.json') }).code).toBe('bad-store');
  });

  test.skipIf(process.platform === 'win32').each([
    ['rest/data/page/5/index.json', 'file-missing: rest/data/page/5/index.json'],
    ['manifest-sha256.txt', 'file-missing: manifest-sha256.txt'],
    ['build.json', ''],
  ])('%s is not waited for where it is a pipe', async (file, says) => {
    const tree = copy();
    tree.remove(file);
    execFileSync('mkfifo', [tree.path(file)]);
    const { code, signal, stdout } = await palimpsest(['verify', '--out', tree.folder], {
      onStart: (process) => void setTimeout(() => process.kill('SIGKILL'), 5000).unref(),
    });
    expect([code, signal]).toEqual([1, null]);
    expect(stdout).toContain(says);
  });
});

describe('the table of damages', () => {
  const all = Object.values(DAMAGES).flat();

  test('has every rule that a tree is held to', () => {
    expect([...new Set(all.map((damage) => damage.expects))].sort()).toEqual(Object.keys(RULES).sort());
  });

  test('has each rule of what files mean with every digest in order', () => {
    const deep = new Set<string>(all.filter((damage) => damage.deep).map((damage) => damage.expects));
    expect(Object.keys(RULES).filter((rule) => !deep.has(rule))).toEqual(OF_FILES);
  });

  test('names each damage once', () => {
    expect(new Set(all.map((damage) => damage.name)).size).toBe(all.length);
  });
});
