import { expect, it } from 'vitest';
import { verify } from '../../src/verify/verify.ts';
import type { Rule } from '../../src/verify/violation.ts';
import { type DamagedTree, sha256 } from './damaged-tree.ts';
import { goodTreeOfFile } from './good-tree.ts';

const PAGE = 'browse/changes/2.html';
const SURPLUS = 'browse/changes/99.html';
const MANIFEST = 'manifest-sha256.txt';
/** The line of the page in the manifest. */
const LINE = /^.*changes\/2\.html\n/m;

const { store, copy } = goodTreeOfFile({ html: true });

/** Changes the manifest, and the number of browse files in build.json, so that only a comparison with the store finds a damage. */
function reseal(tree: DamagedTree, edit: (manifest: string) => string, more = 0): void {
  tree.setManifest(edit(tree.text(MANIFEST)));
  tree.editBuild({ browse_files: Number(tree.build()['browse_files']) + more });
}

it.each<[name: string, needsStore: boolean, rule: Rule, path: string, (tree: DamagedTree) => void]>([
  ['other bytes', false, 'file-digest', PAGE, (tree) => tree.write(PAGE, `${tree.text(PAGE)} `)],
  ['a missing file', false, 'file-missing', PAGE, (tree) => tree.remove(PAGE)],
  ['a file that is not listed', false, 'unexpected-file', SURPLUS, (tree) => tree.write(SURPLUS, '')],
  ['a line twice', false, 'manifest-line', MANIFEST, (tree) => reseal(tree, (text) => text.replace(LINE, '$&$&'), 1)],
  [
    'a part before the part that precedes it',
    false,
    'manifest-line',
    MANIFEST,
    (tree) => reseal(tree, (text) => text.replace(/(.*browse\/accounts\/.*\n)((?:.*browse\/changes\/\d.*\n)+)/, '$2$1')),
  ],
  [
    'two lines of a part in another order',
    true,
    'manifest-line',
    MANIFEST,
    (tree) => reseal(tree, (text) => text.replace(/(.*changes\/2\.html\n)((?:.*\n)*?)(.*changes\/1\.html\n)/, '$3$2$1')),
  ],
  ['a wrong number of files', false, 'manifest-line', MANIFEST, (tree) => reseal(tree, (text) => text, 1)],
  [
    'a checksum in build.json that is not of the search index',
    true,
    'build-record',
    'build.json',
    (tree) => tree.editBuild({ browse_search: String(tree.build()['browse_search']).replace(/^../, 'zz') }),
  ],
  [
    'a file with a correct digest that the store does not give',
    true,
    'browse-differs',
    PAGE,
    (tree) => {
      const before = sha256(tree.bytes(PAGE));
      tree.write(PAGE, `${tree.text(PAGE)} `);
      reseal(tree, (text) => text.replace(before, sha256(tree.bytes(PAGE))));
    },
  ],
  [
    'a file that is left out',
    true,
    'browse-missing',
    PAGE,
    (tree) => {
      tree.remove(PAGE);
      reseal(tree, (text) => text.replace(LINE, ''), -1);
    },
  ],
  [
    'a file too many',
    true,
    'browse-surplus',
    SURPLUS,
    (tree) => {
      tree.write(SURPLUS, '');
      reseal(tree, (text) => text.replace(LINE, `$&${sha256(tree.bytes(SURPLUS))}  ${SURPLUS}\n`), 1);
    },
  ],
])('reports %s', async (_, needsStore, rule, path, damage) => {
  const tree = copy();
  damage(tree);
  const found = { rule, path, cause: path };
  expect((await verify({ out: tree.folder })).violations).toMatchObject(needsStore ? [] : [found]);
  expect((await verify({ out: tree.folder, store })).violations).toContainEqual(expect.objectContaining(found));
});
