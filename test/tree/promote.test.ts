import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Digests } from '../../src/tree/digests.ts';
import type { Encoding } from '../../src/tree/encoding.ts';
import { pathOf, slotCount } from '../../src/tree/layout.ts';
import type { TreeDigests } from '../../src/tree/manifest.ts';
import { promote, removeOldPages, removeVariants } from '../../src/tree/promote.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';

const renames = vi.spyOn(fs, 'renameSync');
// the modules that import it get the observed function
syncBuiltinESMExports();

afterEach(() => renames.mockClear());
afterAll(() => {
  renames.mockRestore();
  syncBuiltinESMExports();
});

/** The digests of a tree whose every file has the version that `versionOf` gives for its path. */
function digestsOf(data: number, account: number, versionOf: (path: string) => number, encodings: readonly Encoding[] = []): TreeDigests {
  const digests = { data: new Digests(data, encodings), account: new Digests(account, encodings) };
  for (const collection of ['data', 'account'] as const) {
    const { pages } = digests[collection];
    for (let slot = 0; slot < slotCount(pages, encodings); slot += 1) {
      digests[collection].set(slot, Buffer.alloc(32, versionOf(pathOf(collection, slot, pages, encodings))));
    }
  }
  return digests;
}

/** Writes every file of a tree, or those that differ from an older one, with its digest as content. */
function writeTree(folder: string, digests: TreeDigests, older?: TreeDigests): void {
  for (const collection of ['data', 'account'] as const) {
    const { pages, encodings } = digests[collection];
    mkdirSync(join(folder, `rest/${collection}/page`), { recursive: true });
    for (let slot = 0; slot < slotCount(pages, encodings); slot += 1) {
      if (older !== undefined && digests[collection].equals(older[collection], slot)) continue;
      const path = join(folder, pathOf(collection, slot, pages, encodings));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, digests[collection].get(slot) ?? '');
    }
  }
}

/** The targets of all renames since the last test, relative to a folder. */
function renamed(out: string): string[] {
  return renames.mock.calls.map(([, to]) => relative(out, String(to)));
}

/** Digests of the same size as others, for files that are not there. */
function noFiles(digests: TreeDigests): TreeDigests {
  return {
    data: new Digests(digests.data.pages, digests.data.encodings),
    account: new Digests(digests.account.pages, digests.account.encodings),
  };
}

describe('promote', () => {
  it('moves a first tree with one rename', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const after = digestsOf(3, 2, () => 1);
    writeTree(stage, after);
    mkdirSync(out);
    promote(stage, out, noFiles(after), after);
    expect(renamed(out)).toEqual(['rest']);
    expect(filesIn(out).size).toBe(slotCount(3) + slotCount(2));
  });

  it('moves the feed before the accounts, and the highest page first', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const [before, after] = [digestsOf(3, 2, () => 1), digestsOf(3, 2, () => 2)];
    writeTree(out, before);
    writeTree(stage, after, before);
    promote(stage, out, before, after);
    const pages = renamed(out)
      .map((path) => /^rest\/(\w+)\/page\/(\d+)\//.exec(path)?.slice(1).join(' '))
      .filter((page) => page !== undefined);
    expect(pages).toEqual(['data 3', 'data 2', 'data 1', 'account 2', 'account 1']);
    for (const [path, bytes] of filesIn(out)) expect(bytes.toString(), path).toBe('02'.repeat(32));
  });

  it('moves the index of a collection last, and compressed files before the file that they are copies of', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const [before, after] = [digestsOf(2, 1, () => 1, ['gzip', 'brotli']), digestsOf(2, 1, () => 2, ['gzip', 'brotli'])];
    writeTree(out, before);
    writeTree(stage, after, before);
    promote(stage, out, before, after);
    const copies = (path: string) => ['.br', '.gz', ''].map((suffix) => path + suffix);
    expect(renamed(out)).toEqual([
      ...['data/page/last', 'data/page/2', 'data/page/1', 'data'].flatMap((path) => copies(`rest/${path}/index.json`)),
      ...['account/page/last', 'account/page/1', 'account'].flatMap((path) => copies(`rest/${path}/index.json`)),
    ]);
  });

  it('leaves a file with the same bytes alone', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const [before, after] = [digestsOf(3, 1, () => 1), digestsOf(3, 1, (path) => (path.includes('/2/') ? 2 : 1))];
    writeTree(out, before);
    writeTree(stage, after, before);
    promote(stage, out, before, after);
    expect(renamed(out)).toEqual(['rest/data/page/2/index.json']);
  });

  it('moves a new page with its folder, and with its compressed files', () => {
    const folder = temporaryFolder();
    const [stage, out] = [join(folder, 'stage'), join(folder, 'out')];
    const [two, three] = [digestsOf(2, 1, () => 1, ['gzip']), digestsOf(3, 1, () => 1, ['gzip'])];
    writeTree(out, two);
    const before = noFiles(three);
    for (const slot of Array(slotCount(1, ['gzip'])).keys()) before.account.copy(two.account, slot);
    writeTree(stage, three, before);
    promote(stage, out, before, three);
    expect(readdirSync(join(out, 'rest/data/page/3'))).toEqual(['index.json', 'index.json.gz']);
    expect(readFileSync(join(out, 'rest/data/page/last/index.json'), 'utf8')).toBe('01'.repeat(32));
  });
});

describe('removeOldPages', () => {
  it('removes the pages that the tree no longer has, and counts them', async () => {
    const out = temporaryFolder();
    writeTree(
      out,
      digestsOf(12, 3, () => 1),
    );
    expect(
      await removeOldPages(
        out,
        digestsOf(9, 3, () => 1),
      ),
    ).toBe(3);
    expect(readdirSync(join(out, 'rest/data/page')).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'last']);
    expect(existsSync(join(out, 'rest/account/page/3/index.json'))).toBe(true);
  });
});

describe('removeVariants', () => {
  it('removes the compressed files of an encoding that the tree no longer has', () => {
    const out = temporaryFolder();
    writeTree(
      out,
      digestsOf(2, 1, () => 1, ['gzip', 'brotli']),
    );
    removeVariants(
      out,
      digestsOf(2, 1, () => 1, ['gzip']),
    );
    const names = [...filesIn(out).keys()];
    expect(names.filter((name) => name.endsWith('.br'))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.gz'))).toHaveLength(slotCount(2) + slotCount(1));
  });
});
