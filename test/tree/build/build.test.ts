import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../../src/tree/build/build.ts';
import { SITE } from '../../verify/good-tree.ts';
import { folderOfFile, importLines, recordLines } from '../../whole/stores.ts';

const folder = folderOfFile();

it('does not wait until all HTML pages are rendered if it fails', async () => {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await importLines(store, await recordLines(2100, 20));
  const parts = new Set<number>();
  const onProgress = (phase: string, done: number, all: number) => {
    // the sort keys cannot be written
    if (phase === 'render') mkdirSync(join(out, '.palimpsest/stage/sort-keys.txt'), { recursive: true });
    if (phase === 'browse') parts.add(all - done);
  };
  await expect(build(store, { out, site: SITE, html: true, onProgress })).rejects.toMatchObject({ code: 'file-system' });
  expect(parts).not.toContain(0);
});
