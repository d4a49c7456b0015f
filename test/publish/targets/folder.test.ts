import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsest } from '../../support/palimpsest.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences, pagesIn } from '../../whole/trees.ts';
import { Growing, publishJson } from '../growing.ts';

const folder = folderOfFile();
let history: Growing;

beforeAll(async () => {
  history = await Growing.of(folder, 'tree', { records: 30, accounts: 5 });
});

async function refusal(
  target: string,
  out = history.out,
  more: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly error: unknown }> {
  const { code, stdout } = await palimpsest(['publish', target, '--out', out, '--json', ...more]);
  return { code, error: JSON.parse(stdout).error };
}

describe('a folder that shares files with the tree', () => {
  it.each([
    ['it is the tree', (tree: string) => tree],
    ['it lies in the tree', (tree: string) => join(tree, 'site/deep')],
    [
      'a link leads to the tree',
      (tree: string) => {
        symlinkSync(tree, `${tree}-link`);
        return `${tree}-link/site`;
      },
    ],
    [
      'its pages are the tree’s by a link',
      (tree: string) => {
        mkdirSync(`${tree}-linked`);
        symlinkSync(join(tree, 'rest'), join(`${tree}-linked`, 'rest'));
        return `${tree}-linked`;
      },
    ],
  ])('is refused where %s', async (name, targetOf) => {
    const tree = join(folder, name);
    cpSync(history.out, tree, { recursive: true });
    const target = targetOf(tree);
    const before = pagesIn(tree);
    for (const more of [[], ['--plan']]) {
      expect(await refusal(target, tree, more)).toMatchObject({ code: 3, error: { code: 'not-ours', file: target } });
    }
    expect(differences(pagesIn(tree), before)).toEqual([]);
  });

  it('is refused where the tree lies among its pages', async () => {
    const tree = join(folder, 'around/rest');
    cpSync(history.out, tree, { recursive: true });
    expect(await refusal(dirname(tree), tree)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
  });

  it('is none where the tree lies beside its pages, or is named alike', async () => {
    const tree = join(folder, 'web root/out');
    cpSync(history.out, tree, { recursive: true });
    await publishJson(['publish', dirname(tree), '--out', tree]);
    await publishJson(['publish', `${tree}2`, '--out', tree]);
    expect(differences(pagesIn(tree), history.files())).toEqual([]);
  });
});

it.each(['', '/below/it'])('refuses a file in place of a folder at once, in a plan too: file%s', async (below) => {
  const file = join(folder, `file${below.length}`);
  writeFileSync(file, 'mine');
  expect(await refusal(file + below, history.out, ['--plan'])).toMatchObject({ code: 3, error: { code: 'not-ours' } });
  expect(await refusal(file + below)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
});
