import fs, { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { promote, removeOldPages, removeVariants } from '../../src/tree/build/promote.ts';
import type { Encoding } from '../../src/tree/encoding.ts';
import { fileCount, pathsOfPages } from '../../src/tree/layout.ts';
import { Digests } from '../../src/tree/manifest/digests.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';

const renames = vi.spyOn(fs, 'renameSync');
// the modules that import it get the observed function
syncBuiltinESMExports();

afterEach(() => renames.mockClear());
afterAll(() => {
  renames.mockRestore();
  syncBuiltinESMExports();
});

/** The digests of a tree whose every file has this version, or that for its path. */
function digestsOf(
  data: number,
  account: number,
  version: number | ((path: string) => number),
  encodings: readonly Encoding[] = [],
): Digests {
  const versionOf = typeof version === 'number' ? () => version : version;
  const digests = new Digests({ pages: { data, account }, encodings });
  for (const path of pathsOfPages(digests)) digests.set(path, Buffer.alloc(32, versionOf(path)));
  return digests;
}

/** Writes every file of a tree, or those that differ from an older one, with its digest as content. */
function writeTree(folder: string, digests: Digests, older?: Digests): void {
  for (const collection of ['data', 'account']) mkdirSync(join(folder, `rest/${collection}/page`), { recursive: true });
  for (const { path, digest } of digests.entries()) {
    if (older !== undefined && digests.equals(older, path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), digest ?? '');
  }
}

/** The targets of all renames since the last test, relative to a folder. */
function renamed(out: string): string[] {
  return renames.mock.calls.map(([, to]) => relative(out, String(to)));
}

/** Promotes a tree over another one. Returns its folder. */
function promoted(before: Digests, after: Digests, present = before): string {
  const folder = temporaryFolder();
  const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
  writeTree(out, present);
  writeTree(stage, after, before);
  promote(stage, out, before, after);
  return out;
}

describe('promote', () => {
  it('moves a first tree with one rename', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const after = digestsOf(3, 2, 1);
    writeTree(stage, after);
    mkdirSync(out);
    promote(stage, out, new Digests(after), after);
    expect(renamed(out)).toEqual(['rest']);
    expect(filesIn(out).size).toBe(fileCount(after));
  });

  it('moves the feed before the accounts, the highest page first, the index last, and a file after its compressed copies', () => {
    const out = promoted(digestsOf(2, 1, 1, ['gzip', 'brotli']), digestsOf(2, 1, 2, ['gzip', 'brotli']));
    const copies = (path: string) => ['.br', '.gz', ''].map((suffix) => path + suffix);
    expect(renamed(out)).toEqual([
      ...['data/page/last', 'data/page/2', 'data/page/1', 'data'].flatMap((path) => copies(`rest/${path}/index.json`)),
      ...['account/page/last', 'account/page/1', 'account'].flatMap((path) => copies(`rest/${path}/index.json`)),
    ]);
    for (const [path, bytes] of filesIn(out)) expect(bytes.toString(), path).toBe('02'.repeat(32));
  });

  it('leaves a file with the same bytes alone', () => {
    const out = promoted(
      digestsOf(3, 1, 1),
      digestsOf(3, 1, (path) => (path.includes('/2/') ? 2 : 1)),
    );
    expect(renamed(out)).toEqual(['rest/data/page/2/index.json']);
  });
});

describe('removeOldPages', () => {
  it('removes the pages that the tree no longer has, and counts them', async () => {
    const out = temporaryFolder();
    writeTree(out, digestsOf(12, 3, 1));
    expect(await removeOldPages(out, digestsOf(9, 3, 1))).toBe(3);
    expect(readdirSync(join(out, 'rest/data/page')).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'last']);
    expect(existsSync(join(out, 'rest/account/page/3/index.json'))).toBe(true);
  });
});

describe('removeVariants', () => {
  it('removes the compressed files of an encoding that the tree no longer has', () => {
    const out = temporaryFolder();
    writeTree(out, digestsOf(2, 1, 1, ['gzip', 'brotli']));
    removeVariants(out, digestsOf(2, 1, 1, ['gzip']));
    const names = [...filesIn(out).keys()];
    expect(names.filter((name) => name.endsWith('.br'))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.gz'))).toHaveLength(4 + 3);
  });
});
