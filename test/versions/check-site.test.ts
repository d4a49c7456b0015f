import { hash } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Commit, encodeCommit, parseCommit } from '../../src/versions/commit.ts';
import { type SiteVersion, siteKind } from '../../src/versions/site-version.ts';
import { folderForFile } from '../archive/archived.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { flipByte, flipByteAt } from '../verify/damaged-zip.ts';
import { goodHistory, importHistory } from '../verify/good-tree.ts';

const KIND = siteKind('');
const PAGE = 'rest/data/page/5/index.json';
const SIZES = ['--page-size', '7', '--account-page-size', '3', '--base-url', 'https://history.example'];

let store = '';
let published = '';

/** Publishes three versions to a folder. */
beforeAll(async () => {
  const folder = folderForFile();
  const zip = join(folder, 'history.zip');
  store = join(folder, 'store.db');
  published = join(folder, 'published');
  await importHistory(store, goodHistory());
  for (const size of ['5', '6', '7']) {
    await palimpsestJson(['build', '--store', store, '--out', zip, ...SIZES, '--page-size', size]);
    await palimpsestJson(['publish', published, '--out', zip, '--store', store]);
  }
});

function copy(): string {
  const target = join(temporaryFolder(), 'target');
  cpSync(published, target, { recursive: true });
  return target;
}

const commitOf = (number: number) => `versions/0000000${number}.json`;

function readCommit(target: string, number: number): Commit<SiteVersion> {
  const commit = parseCommit(KIND, '', readFileSync(join(target, commitOf(number))));
  if (commit === undefined) throw new Error('a damaged commit');
  return commit;
}

/** Writes another newest commit with a right digest, and a head that is its copy. */
function writeNewest(target: string, commit: Commit<SiteVersion>): void {
  for (const path of [commitOf(3), 'head.json']) writeFileSync(join(target, path), encodeCommit(commit));
}

/** Returns the path of the data of a version. */
const dataOf = (target: string, number: number) => readCommit(target, 3).versions[number - 1]?.file ?? '';

/** Damages a page of a version. The commit has the SHA-256 of the damaged data. */
function damagePage(target: string, number: number): string {
  const file = dataOf(target, number);
  flipByte(join(target, file), PAGE, -20);
  const commit = readCommit(target, 3);
  const sha256 = hash('sha256', readFileSync(join(target, file)));
  writeNewest(target, { ...commit, versions: commit.versions.map((one) => (one.file === file ? { ...one, sha256 } : one)) });
  return `${file}/${PAGE}`;
}

async function found(target: string, ...options: readonly string[]): Promise<string[]> {
  const { code, stdout } = await palimpsestHere(['verify', target, '--json', ...options]);
  const { violations, violation_count }: { violations: { rule: string; path: string }[]; violation_count: number } = JSON.parse(stdout);
  expect(code).toBe(violation_count === 0 ? 0 : 1);
  return [...new Set(violations.map(({ rule, path }) => `${rule} ${path}`))];
}

describe('verify of a target with versions', () => {
  it('finds nothing in what publish wrote', async () => {
    expect(await found(published, '--all', '--store', store)).toEqual([]);
    const summary = await palimpsestJson(['verify', '--out', published]);
    expect(summary).toMatchObject({ target: published, version: 3, versions: 3, commits: 3, records: 60, accounts: 8, violation_count: 0 });
  });

  it.each<[string, (target: string) => string]>([
    [
      'a commit that is damaged',
      (target) => {
        flipByteAt(join(target, commitOf(2)), 30);
        return `commit-chain ${commitOf(2)}`;
      },
    ],
    [
      'a commit that is missing',
      (target) => {
        rmSync(join(target, commitOf(1)));
        return `commit-chain ${commitOf(1)}`;
      },
    ],
    [
      'a commit that does not follow the one before',
      (target) => {
        writeNewest(target, { ...readCommit(target, 3), previous: '0'.repeat(64) });
        return `commit-chain ${commitOf(3)}`;
      },
    ],
    [
      'a commit that is older than the one before',
      (target) => {
        writeNewest(target, { ...readCommit(target, 3), time: '2001-01-01T00:00:00.000Z' });
        return `commit-chain ${commitOf(3)}`;
      },
    ],
    [
      'a head that is old',
      (target) => {
        cpSync(join(target, commitOf(2)), join(target, 'head.json'));
        return 'head-copy head.json';
      },
    ],
    [
      'a head that is missing',
      (target) => {
        rmSync(join(target, 'head.json'));
        return 'head-copy head.json';
      },
    ],
    [
      'a head that is damaged',
      (target) => {
        appendFileSync(join(target, 'head.json'), ' ');
        return 'head-copy head.json';
      },
    ],
    [
      'a version that is missing',
      (target) => {
        rmSync(join(target, dataOf(target, 2)));
        return `file-missing ${dataOf(target, 2)}`;
      },
    ],
    [
      'a version that is cut',
      (target) => {
        truncateSync(join(target, dataOf(target, 1)), 1000);
        return `file-digest ${dataOf(target, 1)}`;
      },
    ],
    [
      'a current version with another byte',
      (target) => {
        flipByteAt(join(target, dataOf(target, 3)), 500);
        return `file-digest ${dataOf(target, 3)}`;
      },
    ],
    [
      'a file that no version needs',
      (target) => {
        const path = 'versions/00000002-0123456789ab.zip';
        writeFileSync(join(target, path), '');
        return `unexpected-file ${path}`;
      },
    ],
    [
      'a commit with another number of records',
      (target) => {
        const commit = readCommit(target, 3);
        writeNewest(target, { ...commit, versions: commit.versions.map((one) => ({ ...one, records: 61 })) });
        return 'version-facts head.json';
      },
    ],
    [
      'a base URL that the current version does not have',
      (target) => {
        writeNewest(target, { ...readCommit(target, 3), base_url: 'https://other.example' });
        return 'version-facts head.json';
      },
    ],
  ])('reports %s', async (_, damage) => {
    const target = copy();
    const expected = damage(target);
    expect(await found(target)).toEqual([expected]);
  });

  it('checks the tree in the current version by its rules, and with --all in each', async () => {
    const target = copy();
    const current = damagePage(target, 3);
    expect(await found(target)).toContain(`file-digest ${current}`);
    const earlier = damagePage(target, 1);
    expect(await found(target)).not.toContain(`file-digest ${earlier}`);
    expect(await found(target, '--all')).toEqual(expect.arrayContaining([`file-digest ${current}`, `file-digest ${earlier}`]));
  });

  it('names what is damaged, and what to do', async () => {
    const target = copy();
    rmSync(join(target, dataOf(target, 2)));
    const { code, stdout } = await palimpsestHere(['verify', target]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${dataOf(target, 2)}: 1 violation\n  file-missing: expected a file, found no such file\n`);
    expect(stdout).toMatch(/next: publish again, to repair what can be repaired: .*publish .*--repair/);
  });

  it('suggests a publish of the ZIP, also if --out names the folder with the versions', async () => {
    const target = copy();
    rmSync(join(target, dataOf(target, 2)));
    const { stdout } = await palimpsestHere(['verify', '--out', target]);
    expect(stdout).toContain(` publish ${target} --out ZIP --repair --store FILE`);
    const { stdout: compared } = await palimpsestHere(['verify', target, '--store', join(target, '../store.db')]);
    expect(compared).not.toContain('--store FILE');
  });

  it('throws no-tree if there are no versions', async () => {
    const { code, stdout } = await palimpsestHere(['verify', temporaryFolder(), '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'no-tree' });
  });
});
