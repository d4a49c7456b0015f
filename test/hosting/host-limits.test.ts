import { symlinkSync } from 'node:fs';
import { outputFileSync } from 'fs-extra/esm';
import { describe, expect, test } from 'vitest';
import { checkLimits, treeSizeOf } from '../../src/hosting/host-limits.ts';
import { temporaryFolder } from '../support/folder.ts';

const host = { title: 'A host', limits: { files: 100_000, fileBytes: 1000, source: 'a plan' } };
const tree = (files: number, bytes: number) => ({ files, largest: { path: 'rest/data/index.json', bytes } });
const refused = (details: object) =>
  expect.objectContaining({ code: 'host-limit', message: 'the tree in out exceeds a limit of A host', ...details });

describe('the limits of a host', () => {
  test('are for the files of a tree and the largest of them, without hidden files', () => {
    const out = temporaryFolder();
    const hidden = { '.palimpsest/lock': 500, 'rest/data/.DS_Store': 500 };
    const files = { 'build.json': 3, 'rest/data/index.json': 70, 'rest/data/page/1': 69, ...hidden };
    for (const [path, bytes] of Object.entries(files)) outputFileSync(`${out}/${path}`, 'x'.repeat(bytes));
    symlinkSync('nowhere', `${out}/rest/link`);
    expect(treeSizeOf(out)).toEqual(tree(3, 70));
  });

  test('accept a tree of exactly the maximum size', () => {
    expect(() => checkLimits(host, 'out', tree(100_000, 1000))).not.toThrow();
    expect(() => checkLimits({ ...host, limits: {} }, 'out', tree(1e9, 1e12))).not.toThrow();
  });

  test('reject a tree with too many files, with both numbers', () => {
    expect(() => checkLimits(host, 'out', tree(100_001, 1))).toThrow(
      refused({
        place: { file: 'out' },
        expected: 'at most 100,000 files (a plan)',
        found: '100,001 files',
        hint: 'build with larger pages or without --compress, or choose another host',
      }),
    );
  });

  test('reject a tree with a file that is too large, and name the file', () => {
    expect(() => checkLimits(host, 'out', tree(1, 1001))).toThrow(
      refused({
        place: { file: 'out/rest/data/index.json' },
        expected: 'at most 1,000 bytes per file (a plan)',
        found: '1,001 bytes',
        hint: 'build with smaller pages, or choose another host',
      }),
    );
  });
});
