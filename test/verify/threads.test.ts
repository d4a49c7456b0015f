import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pauses } from '../../src/contract/pauses.ts';
import { readBuildRecord } from '../../src/tree/build-record.ts';
import { openTreeFiles } from '../../src/tree/tree-files.ts';
import { checkManifest } from '../../src/verify/files.ts';
import { pageFiles } from '../../src/verify/page-files.ts';
import { SortKeysCheck } from '../../src/verify/sort-keys.ts';
import { verify } from '../../src/verify/verify.ts';
import { Report } from '../../src/verify/violation.ts';
import { walkOnThreads } from '../../src/verify/walk-on-threads.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { DamagedTree } from './damaged-tree.ts';
import { flipByte, zipOf } from './damaged-zip.ts';

const RECORDS = 1500;
/** The first page of the second range of pages. A thread checks 32 pages at once. */
const SECOND_SPAN = 33;
const [PAGE_SIZE, ACCOUNT_PAGE_SIZE] = [7, 3];
/** The first record of that range. */
const FIRST_OF_SPAN = RECORDS - (SECOND_SPAN - 1) * PAGE_SIZE;

let home = '';
let good = '';
let store = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-threads-'));
  [good, store] = [join(home, 'good'), join(home, 'store.db')];
  const lines = execFileSync(process.execPath, [new URL('../../bench/records.js', import.meta.url).pathname, String(RECORDS), '300'], {
    timeout: 60_000,
  })
    .toString()
    .trimEnd()
    .split('\n')
    // notes, on pages of all ranges
    .map((line, index) => (index % 50 === 0 ? line.replace('</ins>', '</ins> ').replace('"previous":null', '"previous":0') : line))
    // and where a range of pages begins
    .map((line, index) =>
      index === FIRST_OF_SPAN - 1 ? line.replace(/(_date":")\d{4}/, '$12098').replace(/(diff_html":")/, '$1<b>') : line,
    );
  writeFileSync(join(home, 'records.ndjson'), `${lines.join('\n')}\n`);
  await run('import', join(home, 'records.ndjson'), '--store', store);
  const sizes = ['--page-size', String(PAGE_SIZE), '--account-page-size', String(ACCOUNT_PAGE_SIZE)];
  await run('build', '--store', store, '--out', good, '--base-url', 'https://history.example', ...sizes);
});

async function run(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await palimpsest(args);
  if (code !== 0) throw new Error(stderr);
}

afterAll(() => rmSync(home, { recursive: true, force: true }));

function copy(): DamagedTree {
  return DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
}

/** Walks a tree on three threads. Returns undefined if they leave it to one thread. */
async function walked(out: string) {
  const build = readBuildRecord(out);
  if (typeof build === 'string') throw new Error(build);
  const [report, pauses, ignore] = [new Report(), new Pauses(undefined, ''), () => {}];
  const files = openTreeFiles(out);
  const manifest = await checkManifest(files, build, report, pauses, ignore);
  const pages = pageFiles({ files, build, manifest, digestCause: undefined });
  const sortKeys = new SortKeysCheck(files, build, report);
  const counts = await walkOnThreads({ out, build, manifest, pages, store, threads: 3, sortKeys }, report, pauses, ignore);
  return counts && { ...counts, violations: report.violationCount, notes: report.notes };
}

interface Damage {
  readonly name: string;
  /** A rule that it breaks. */
  readonly rule: string;
  readonly damage: (tree: DamagedTree) => void;
}

/** Damages that a thread does not see on its own pages, and others. */
const DAMAGES: readonly Damage[] = [
  {
    name: 'a record after an older one, where a range of pages begins',
    rule: 'record-order',
    damage: (tree) => tree.editFeed((records) => swapped(records, (SECOND_SPAN - 1) * PAGE_SIZE)),
  },
  {
    name: 'an account before an earlier one, where a range of pages begins',
    rule: 'account-order',
    damage: (tree) => tree.editAccounts((accounts) => swapped(accounts, (SECOND_SPAN - 1) * ACCOUNT_PAGE_SIZE)),
  },
  {
    name: 'a second account of the same name',
    rule: 'account-twice',
    damage: (tree) => tree.editAccounts((accounts) => [...accounts, { ...accounts[0], data: [], data_page_count: 0 }]),
  },
  {
    name: 'a record that is not in its account',
    rule: 'account-data-missing',
    damage: (tree) =>
      tree.editAccounts((accounts) => accounts.map((account, at) => (at === 200 ? { ...account, data: account.data.slice(1) } : account))),
  },
  {
    name: 'a record that is neither in the feed nor in its account',
    rule: 'store-missing',
    damage: (tree) => {
      tree.editFeed((records) => records.slice(1));
      tree.editAccounts((accounts) => accounts.map((account) => ({ ...account, data: account.data.filter(({ id }) => id !== RECORDS) })));
    },
  },
  {
    name: 'another text, with the right digest',
    rule: 'store-differs',
    damage: (tree) => tree.editText('data', 100, (text) => text.replace('"web_archive_url":null', '"web_archive_url":""')),
  },
  { name: 'a page that is not there', rule: 'file-missing', damage: (tree) => tree.remove('rest/account/page/50') },
];

function swapped<T>(items: readonly T[], at: number): T[] {
  return [...items.slice(0, at - 1), ...items.slice(at, at + 1), ...items.slice(at - 1, at), ...items.slice(at + 1)];
}

describe('verify on threads', () => {
  it('checks a ZIP, and finds the same as in the folder', async () => {
    const inFolder = await walked(good);
    expect(inFolder?.violations).toBe(0);
    const zip = zipOf(good, join(temporaryFolder(), 'history.zip'));
    expect(await walked(zip)).toEqual(inFolder);
    flipByte(zip, `rest/data/page/${SECOND_SPAN}/index.json`, -20);
    expect(await walked(zip)).toBeUndefined();
    expect(await verify({ out: zip, threads: 3 })).toEqual(await verify({ out: zip }));
  });

  it('finds the same notes as one thread, in the same order', async () => {
    const alone = await verify({ out: good, store });
    expect(alone).toMatchObject({ violationCount: 0, records: RECORDS });
    expect(Object.keys(alone.notesByRule).sort()).toEqual([
      ...['imported-diff-form', 'imported-record-date', 'imported-record-markup', 'record-predecessor'],
    ]);
    const { records, accounts, notes } = alone;
    expect(await walked(good)).toEqual({ records, accounts, violations: 0, notes });
    expect(await verify({ out: good, store, threads: 1 })).toEqual(alone);
    expect(await verify({ out: good, threads: 3 })).toEqual(alone);
  });

  it.each(DAMAGES)('reports the same violations as one thread: $name', async ({ rule, damage }) => {
    const tree = copy();
    damage(tree);
    tree.reseal();
    const alone = await verify({ out: tree.folder, store });
    expect(alone.violations.map((violation) => violation.rule)).toContain(rule);
    expect(await verify({ out: tree.folder, store, threads: 2 })).toEqual(alone);
  });

  // with a store, the comparison of each page finds these damages too
  it.each(DAMAGES.filter(({ rule }) => !rule.startsWith('store-')))('finds without a store: $name', async ({ rule, damage }) => {
    const tree = copy();
    damage(tree);
    tree.reseal();
    const alone = await verify({ out: tree.folder });
    expect(alone.violations.map((violation) => violation.rule)).toContain(rule);
    expect(await verify({ out: tree.folder, threads: 2 })).toEqual(alone);
  });

  it('reports an unexpected version of the store as one thread does', async () => {
    const file = join(temporaryFolder(), 'more.ndjson');
    writeFileSync(
      file,
      `${JSON.stringify({
        id: RECORDS + 1,
        account: 'user_1',
        data_type: 'Bio',
        previous: null,
        text: 'new',
        first_encountered_date: '2099-01-01T00:00:00Z',
        diff_html: '',
        web_archive_url: null,
      })}\n`,
    );
    const other = join(temporaryFolder(), 'other.db');
    await run('import', good, file, '--store', other);
    const alone = await verify({ out: good, store: other });
    expect(alone.violations[0]).toMatchObject({ rule: 'store-fingerprint' });
    expect(await verify({ out: good, store: other, threads: 2 })).toEqual(alone);
  });
});
