import fs, { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { outputFileSync } from 'fs-extra/esm';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { promote, removeOldPages, removeVariants } from '../../src/tree/build/promote.ts';
import type { Encoding } from '../../src/tree/encoding.ts';
import { fileCount, type Layout, pathsOfPages } from '../../src/tree/layout.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';

const renames = vi.spyOn(fs, 'renameSync');
// the modules that import it get the observed function
syncBuiltinESMExports();

afterEach(() => renames.mockClear());
afterAll(() => {
  renames.mockRestore();
  syncBuiltinESMExports();
});

/** Returns the layout of a tree. */
function layoutOf(data: number, account: number, encodings: readonly Encoding[] = []): Layout {
  return { pages: { data, account }, encodings };
}

/** Writes files of a tree, by default all, with a text. */
function writeTree(folder: string, layout: Layout, text: string, isWritten: (path: string) => boolean = () => true): void {
  for (const collection of ['data', 'account']) mkdirSync(join(folder, `rest/${collection}/page`), { recursive: true });
  for (const path of pathsOfPages(layout)) if (isWritten(path)) outputFileSync(join(folder, path), text);
}

/** The targets of all renames since the last test, relative to a folder. */
function renamed(out: string): string[] {
  return renames.mock.calls.map(([, to]) => relative(out, String(to)));
}

/** Promotes staged files over a tree with the same layout. Returns its folder. */
function promoted(layout: Layout, isStaged?: (path: string) => boolean): string {
  const folder = temporaryFolder();
  const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
  writeTree(out, layout, 'old');
  writeTree(stage, layout, 'new', isStaged);
  promote(stage, out, layout);
  return out;
}

describe('promote', () => {
  it('moves a first tree with one rename', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const layout = layoutOf(3, 2);
    writeTree(stage, layout, 'new');
    mkdirSync(out);
    promote(stage, out, layout);
    expect(renamed(out)).toEqual(['rest']);
    expect(filesIn(out).size).toBe(fileCount(layout));
  });

  it('moves the feed before the accounts, the highest page first, the index last, and a file after its compressed copies', () => {
    const out = promoted(layoutOf(2, 1, ['gzip', 'brotli']));
    const copies = (path: string) => ['.br', '.gz', ''].map((suffix) => path + suffix);
    expect(renamed(out)).toEqual([
      ...['data/page/last', 'data/page/2', 'data/page/1', 'data'].flatMap((path) => copies(`rest/${path}/index.json`)),
      ...['account/page/last', 'account/page/1', 'account'].flatMap((path) => copies(`rest/${path}/index.json`)),
    ]);
    for (const [path, bytes] of filesIn(out)) expect(bytes.toString(), path).toBe('new');
  });

  it.each(['data/page/2', 'data', 'data/page/last', 'account'])('leaves all files alone except the staged one in %s', (folder) => {
    const path = `rest/${folder}/index.json`;
    expect(renamed(promoted(layoutOf(3, 1), (one) => one === path))).toEqual([path]);
  });
});

describe('removeOldPages', () => {
  it('removes the pages that the tree no longer has, and counts them', async () => {
    const out = temporaryFolder();
    writeTree(out, layoutOf(12, 3), '');
    expect(await removeOldPages(out, layoutOf(9, 3))).toBe(3);
    expect(readdirSync(join(out, 'rest/data/page')).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'last']);
    expect(existsSync(join(out, 'rest/account/page/3/index.json'))).toBe(true);
  });
});

describe('removeVariants', () => {
  it('removes the compressed files of an encoding that the tree no longer has', () => {
    const out = temporaryFolder();
    writeTree(out, layoutOf(2, 1, ['gzip', 'brotli']), '');
    removeVariants(out, layoutOf(2, 1, ['gzip']));
    const names = [...filesIn(out).keys()];
    expect(names.filter((name) => name.endsWith('.br'))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.gz'))).toHaveLength(4 + 3);
  });
});
