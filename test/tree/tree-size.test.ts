import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { treeSizeOf } from '../../src/tree/tree-size.ts';
import { temporaryFolder } from '../support/folder.ts';

it('counts the files of a tree and finds the largest, without hidden files', () => {
  const out = temporaryFolder();
  mkdirSync(join(out, 'rest/data/page'), { recursive: true });
  mkdirSync(join(out, '.palimpsest'));
  for (const [path, bytes] of [
    ['build.json', 3],
    ['rest/data/index.json', 70],
    ['rest/data/page/1', 69],
    ['.palimpsest/lock', 500],
  ] as const) {
    writeFileSync(join(out, path), 'x'.repeat(bytes));
  }
  expect(treeSizeOf(out)).toEqual({ files: 3, largest: { path: 'rest/data/index.json', bytes: 70 } });
});
