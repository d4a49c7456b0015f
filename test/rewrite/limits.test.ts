import { describe, expect, test } from 'vitest';
import { excess } from '../../src/rewrite/hosts/limits.ts';

const host = { limits: { files: 100_000, fileBytes: 1000, source: 'a plan' } };
const tree = (files: number, bytes: number) => ({ files, largest: { path: 'rest/data/index.json', bytes } });

describe('the limits of a host', () => {
  test('accept a tree of exactly the maximum size', () => {
    expect(excess(host, tree(100_000, 1000))).toBeUndefined();
    expect(excess({ limits: {} }, tree(1e9, 1e12))).toBeUndefined();
  });

  test('reject a tree with too many files, with both numbers', () => {
    expect(excess(host, tree(100_001, 1))).toEqual({
      expected: 'at most 100,000 files (a plan)',
      found: '100,001 files',
      hint: 'build with larger pages or without --compress, or choose another host',
    });
  });

  test('reject a tree with a file that is too large, and name the file', () => {
    expect(excess(host, tree(1, 1001))).toEqual({
      path: 'rest/data/index.json',
      expected: 'at most 1,000 bytes per file (a plan)',
      found: '1,001 bytes',
      hint: 'build with smaller pages, or choose another host',
    });
  });
});
