import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { verify } from '../../src/verify/verify.ts';
import { NOTES, RULES, type Rule, type Violation } from '../../src/verify/violation.ts';
import type { VerifyOptions } from '../../src/verify/walk.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { DamagedTree } from './damaged-tree.ts';
import { ACCOUNT_DAMAGES } from './damages/accounts.ts';
import type { Damage } from './damages/damage.ts';
import { addGenerated, DIFF_DAMAGES, GENERATED_CHANGES, GENERATED_DAMAGES } from './damages/diffs.ts';
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
  'generated records': GENERATED_DAMAGES,
  accounts: ACCOUNT_DAMAGES,
  store: STORE_DAMAGES,
};
const ALL_DAMAGES: readonly Damage[] = Object.values(DAMAGES).flat();
/** The first damage of each rule. These trees are also checked with the store, which must not hide a violation. */
const WITH_STORE_TOO = new Set(Object.keys(RULES).map((rule) => ALL_DAMAGES.find(({ expects }) => expects === rule)));
/** Violations of these rules disappear after a reseal. */
const OF_FILES: readonly Rule[] = ['manifest-digest', 'manifest-line', 'file-missing', 'file-digest', 'unexpected-file', 'sort-keys'];

/** The rules that folders without browse files can break. Other tests have damages for the others: browse, zip, check-site. */
const OF_PAGES = Object.keys(RULES).filter((rule) => !/^(browse|zip|commit|head|version)-/.test(rule));

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

/** A fresh copy of the good tree. It is deleted after the test. */
function copy(): DamagedTree {
  return DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
}

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

  test.each(GENERATED_CHANGES.map((change) => [change.name, change] as const))(
    'has no violations with a generated record: %s',
    async (_, change) => {
      const tree = copy();
      addGenerated(tree, change);
      tree.reseal();
      expect(await verify({ out: tree.folder })).toMatchObject({ violations: [], notes: [], records: 61 });
    },
  );

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
    expect(rulesOf(found)).toEqual([entry.expects, ...(entry.also ?? [])].sort());
    expect(found.filter((violation) => isNamed(violation, entry))).not.toEqual([]);
    expect(found.filter((violation) => NOTES.has(violation.rule))).toEqual(notes);
    expect([violationCount, noteCount]).toEqual([violations.length, notes.length]);
    // violations inside the tree are also found with the store; differences from the store are not found without it
    if (entry.withStore) expect(alone.violations).toEqual([]);
    else if (withStore !== undefined)
      expect(rulesOf([...withStore.violations, ...withStore.notes])).toEqual(expect.arrayContaining(rulesOf(found)));
  });
});

function isNamed(violation: Violation, { expects, path, subject, mentions = '' }: Damage): boolean {
  return (
    violation.rule === expects &&
    violation.path === path &&
    (subject === undefined || violation.subject === subject) &&
    `${violation.expected} ${violation.found}`.includes(mentions)
  );
}

describe('verify', () => {
  async function failure(options: VerifyOptions): Promise<Failure> {
    try {
      await verify(options);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    throw new Error('no Failure');
  }

  test('throws no-tree if there is no build.json', async () => {
    const tree = copy();
    tree.remove('build.json');
    const folderInstead = copy();
    folderInstead.remove('build.json');
    folderInstead.write('build.json/file', '');
    for (const out of [tree.folder, folderInstead.folder, temporaryFolder(), join(good, 'nowhere'), join(good, 'build.json')])
      expect(await failure({ out })).toMatchObject({ code: 'no-tree', place: { file: out } });
  });

  test('throws no-store if the store is missing, and bad-store if it is another file', async () => {
    expect((await failure({ out: good, store: join(home, 'nowhere.db') })).code).toBe('no-store');
    expect((await failure({ out: good, store: join(good, 'build.json') })).code).toBe('bad-store');
  });

  test.skipIf(process.platform === 'win32').each([
    ['rest/data/page/5/index.json', /^rest\/data\/page\/5\/index\.json: \d+ violations\n {2}file-missing: /],
    ['manifest-sha256.txt', /^manifest-sha256\.txt: 1 violation\n {2}file-missing: /],
    ['build.json', /^$/],
  ])('does not wait for input if %s is a pipe', async (file, output) => {
    const tree = copy();
    tree.remove(file);
    execFileSync('mkfifo', [tree.path(file)]);
    const { code, signal, stdout } = await palimpsest(['verify', '--out', tree.folder], {
      onStart: (process) => void setTimeout(() => process.kill('SIGKILL'), 30_000).unref(),
    });
    expect([code, signal]).toEqual([1, null]);
    expect(stdout).toMatch(output);
  });
});

describe('the table of damages', () => {
  test('has a damage for every rule', () => {
    expect([...new Set(ALL_DAMAGES.map((damage) => damage.expects))].sort()).toEqual(OF_PAGES.toSorted());
  });

  test('has a resealed damage for every rule about the contents of files', () => {
    const deep = new Set<string>(ALL_DAMAGES.filter((damage) => damage.deep).map((damage) => damage.expects));
    expect(OF_PAGES.filter((rule) => !deep.has(rule))).toEqual(OF_FILES);
  });

  test('has a different name for each damage', () => {
    expect(new Set(ALL_DAMAGES.map((damage) => damage.name)).size).toBe(ALL_DAMAGES.length);
  });
});
