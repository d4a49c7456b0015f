import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/tree/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from './good-tree.ts';

const PAGE = 'browse/changes/2.html';

async function workplace() {
  const folder = temporaryFolder();
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await importHistory(store, goodHistory());
  await build(store, { out, site: SITE, html: true });
  return { store, out };
}

/** Corrects every digest after a damage, so that only a comparison with the store finds it. */
function reseal(out: string, change: (manifest: string) => string, browseFiles = 0): void {
  const manifest = change(readFileSync(join(out, 'manifest-sha256.txt'), 'utf8'));
  writeFileSync(join(out, 'manifest-sha256.txt'), manifest);
  const record = JSON.parse(readFileSync(join(out, 'build.json'), 'utf8'));
  const { browse_files, ...rest } = record;
  writeFileSync(
    join(out, 'build.json'),
    `${JSON.stringify({ ...rest, browse_files: browse_files + browseFiles, manifest: hash('sha256', manifest) })}\n`,
  );
}

const digestOf = (out: string) => hash('sha256', readFileSync(join(out, PAGE)));

it.each<[string, (out: string) => void, string, string, boolean]>([
  ['other bytes', (out) => appendFileSync(join(out, PAGE), ' '), 'file-digest', PAGE, false],
  ['a missing file', (out) => rmSync(join(out, PAGE)), 'file-missing', PAGE, false],
  [
    'a file that is not listed',
    (out) => writeFileSync(join(out, 'browse/changes/99.html'), ''),
    'unexpected-file',
    'browse/changes/99.html',
    false,
  ],
  ['a file in a new folder', (out) => writeFileSync(join(out, 'browse/x'), ''), 'unexpected-file', 'browse/x', false],
  [
    'a line twice',
    (out) => reseal(out, (text) => text.replace(/^.*changes\/2\.html\n/m, (line) => line + line), 1),
    'manifest-line',
    'manifest-sha256.txt',
    false,
  ],
  [
    'a checksum in build.json that is not of the search index',
    (out) => {
      const path = join(out, 'build.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"browse_search":"../, '"browse_search":"zz'));
    },
    'build-record',
    'build.json',
    true,
  ],
  ['a number of files that is wrong', (out) => reseal(out, (text) => text, 1), 'manifest-line', 'manifest-sha256.txt', false],
  [
    'a file with a correct digest that the store does not give',
    (out) => {
      const before = digestOf(out);
      appendFileSync(join(out, PAGE), ' ');
      reseal(out, (text) => text.replace(before, digestOf(out)));
    },
    'browse-differs',
    PAGE,
    true,
  ],
  [
    'a file that is left out',
    (out) => {
      rmSync(join(out, PAGE));
      reseal(out, (text) => text.replace(/^.*changes\/2\.html\n/m, ''), -1);
    },
    'browse-missing',
    PAGE,
    true,
  ],
  [
    'a file too many',
    (out) => {
      writeFileSync(join(out, 'browse/changes/99.html'), '');
      reseal(out, (text) => text.replace(/^(.*)(changes\/2\.html)\n/m, `$1$2\n${hash('sha256', '')}  browse/changes/99.html\n`), 1);
    },
    'browse-surplus',
    'browse/changes/99.html',
    true,
  ],
])('reports %s', async (_, damage, rule, path, needsStore) => {
  const { store, out } = await workplace();
  expect((await verify({ out, store })).violations).toEqual([]);
  damage(out);
  const alone = await verify({ out });
  const found = { rule, path, cause: path };
  expect(alone.violations).toMatchObject(needsStore ? [] : [found]);
  expect((await verify({ out, store })).violations).toContainEqual(expect.objectContaining(found));
});

it('explains all differences by the build if the store changed since', async () => {
  const { store, out } = await workplace();
  await importHistory(store, goodHistory(61));
  const { violations } = await verify({ out, store });
  const browse = violations.filter(({ rule }) => rule.startsWith('browse-'));
  expect(browse.length).toBeGreaterThan(3);
  expect(new Set(browse.map(({ cause }) => cause))).toEqual(new Set(['build.json']));
});
