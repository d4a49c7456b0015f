import { hash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Commit, encodeCommit, parseCommit } from '../../src/versions/commit-format.ts';
import { SITE_KIND as KIND, type SiteVersion } from '../../src/versions/site-version.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { flipByte, flipByteAt } from '../verify/damaged-zip.ts';
import { goodHistory, importHistory } from '../verify/good-tree.ts';
import { folderOfFile } from '../whole/stores.ts';

const PAGE = 'rest/data/page/5/index.json';
const SIZES = ['--page-size', '7', '--account-page-size', '3', '--base-url', 'https://history.example'];

let store = '';
let published = '';

/** Publishes three versions to a folder. */
beforeAll(async () => {
  const folder = folderOfFile();
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

/** Writes another newest commit with a right digest, and a head that is its copy. Returns its path. */
function writeNewest(target: string, commit: Commit<SiteVersion>): string {
  for (const path of [commitOf(3), 'head.json']) writeFileSync(join(target, path), encodeCommit(commit));
  return commitOf(3);
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
    expect(summary).toMatchObject({ target: published, number: 3, versions: 3, commits: 3, records: 60, accounts: 8, violation_count: 0 });
  });

  /** Flips a byte of a file, and returns the path of the file, as the other helpers do. */
  const flip = (target: string, path: string, at: number) => {
    flipByteAt(join(target, path), at);
    return path;
  };
  const remove = (target: string, path: string) => {
    rmSync(join(target, path));
    return path;
  };
  const write = (target: string, path: string, bytes: string | Buffer) => {
    writeFileSync(join(target, path), bytes);
    return path;
  };
  const read = (target: string, path: string) => readFileSync(join(target, path));
  const replaceNewest = (target: string, changes: Partial<Commit<SiteVersion>>) =>
    writeNewest(target, { ...readCommit(target, 3), ...changes });

  it.each<[string, (target: string) => string]>([
    ['a commit that does not follow the one before', (target) => `commit-chain ${replaceNewest(target, { previous: '0'.repeat(64) })}`],
    ['a head that is old', (target) => `head-copy ${write(target, 'head.json', read(target, commitOf(2)))}`],
    ['a head that is damaged', (target) => `head-copy ${write(target, 'head.json', `${read(target, 'head.json')} `)}`],
    ['a version that is missing', (target) => `file-missing ${remove(target, dataOf(target, 2))}`],
    ['a current version with another byte', (target) => `file-digest ${flip(target, dataOf(target, 3), 500)}`],
    ['a file that no version needs', (target) => `unexpected-file ${write(target, 'versions/00000002-0123456789ab.zip', '')}`],
    [
      'a commit with another number of records',
      (target) => {
        replaceNewest(target, { versions: readCommit(target, 3).versions.map((one) => ({ ...one, records: 61 })) });
        return 'version-facts head.json';
      },
    ],
    [
      'a base URL that the current version does not have',
      (target) => {
        replaceNewest(target, { base_url: 'https://other.example' });
        return 'version-facts head.json';
      },
    ],
  ])('reports %s', async (_, damage) => {
    const target = copy();
    const expected = damage(target);
    expect(await found(target)).toEqual([expected]);
  });

  it('notes a commit that is lost and that no reader needs, because nothing can restore it', async () => {
    const target = copy();
    flip(target, commitOf(2), 30);
    remove(target, commitOf(1));
    expect(await palimpsestJson(['verify', target])).toMatchObject({
      violation_count: 0,
      notes: [
        { rule: 'commit-lost', path: commitOf(1) },
        { rule: 'commit-lost', path: commitOf(2) },
      ],
    });
  });

  it('checks the tree in the current version by its rules, and with --all in each', async () => {
    const target = copy();
    const current = damagePage(target, 3);
    expect(await found(target)).toContain(`file-digest ${current}`);
    const earlier = damagePage(target, 1);
    expect(await found(target)).not.toContain(`file-digest ${earlier}`);
    expect(await found(target, '--all')).toEqual(expect.arrayContaining([`file-digest ${current}`, `file-digest ${earlier}`]));
  });

  it('names what is damaged, and suggests a publish of the ZIP', async () => {
    const target = copy();
    rmSync(join(target, dataOf(target, 2)));
    const { stdout } = await palimpsestHere(['verify', '--out', target]);
    expect(stdout).toContain(`${dataOf(target, 2)}: 1 violation\n  file-missing: expected a file, found no such file\n`);
    expect(stdout).toContain('next: publish again, to repair what can be repaired: ');
    expect(stdout).toContain(` publish ${target} --out ZIP --repair --store FILE`);
    const { stdout: compared } = await palimpsestHere(['verify', target, '--store', join(target, '../store.db')]);
    expect(compared).not.toContain('--store FILE');
  });
});
