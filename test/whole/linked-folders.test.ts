import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, freshTree, marksOf } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
const larger = join(folder, 'larger.db');
const smaller = join(folder, 'smaller.db');

beforeAll(async () => {
  const lines = await recordLines(120, 30);
  await importLines(larger, lines);
  await importLines(smaller, lines.slice(0, 60));
  await freshTree(larger, join(folder, 'tree'), [...SIZES, '--compress', 'gzip']);
});

/** The places below the tree's folder where a build writes or deletes. */
const PLACES = [
  '.palimpsest',
  '.palimpsest/lock',
  'rest',
  'rest/data',
  'rest/account',
  'rest/data/page',
  'rest/account/page',
  'rest/data/page/1',
  'rest/data/page/12',
  'rest/account/page/3',
  'rest/data/page/last',
];

/** Builds that remove pages, that remove variants, and that read all files. */
const BUILDS: readonly (readonly [string, string, readonly string[]])[] = [
  ['a build with fewer pages', smaller, [...SIZES, '--compress', 'gzip']],
  ['a build without compressed variants', larger, [...SIZES, '--compress', 'none']],
  ['a repair', smaller, [...SIZES, '--repair']],
];

describe.each(BUILDS)('%s', (name, store, options) => {
  it.each(PLACES)('refuses a symbolic link at %s and changes nothing in its target', async (place) => {
    const home = join(folder, `${name} ${place.replaceAll('/', ' ')}`);
    const out = join(home, 'out');
    const outside = join(home, 'outside');
    cpSync(join(folder, 'tree'), out, { recursive: true, preserveTimestamps: true });
    if (place.startsWith('.palimpsest')) {
      mkdirSync(place === '.palimpsest' ? outside : join(out, '.palimpsest'), { recursive: true });
      mkdirSync(join(outside, 'stage'), { recursive: true });
    } else {
      mkdirSync(home, { recursive: true });
      renameSync(join(out, place), outside);
    }
    const target = place === '.palimpsest/lock' ? join(outside, 'keep') : outside;
    writeFileSync(join(outside, 'keep'), 'mine');
    writeFileSync(join(outside, 'stage-keep'), 'mine');
    symlinkSync(target, join(out, place));
    const [before, tree] = [marksOf(outside), marksOf(out)];

    const { code, stdout, stderr } = await palimpsest(buildArgs(store, out, [...options, '--json']));
    expect([code, stderr.includes('    at ')]).toEqual([3, false]);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'not-ours', file: join(out, place), found: 'a symbolic link' });
    expect(marksOf(outside), 'the target of the link').toEqual(before);
    expect(marksOf(out), 'the tree').toEqual(tree);
  });
});

it('a build accepts a symbolic link as the folder of the tree', async () => {
  const [real, link] = [join(folder, 'real'), join(folder, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  await palimpsestJson(buildArgs(larger, link, [...SIZES, '--compress', 'gzip']));
  expect(differences(filesIn(real), filesIn(join(folder, 'tree')))).toEqual([]);
  await palimpsestJson(buildArgs(smaller, link, SIZES));
  expect(await palimpsestJson(['verify', '--out', link, '--store', smaller])).toMatchObject({ violation_count: 0 });
});

it('a build replaces a link at the path of a page and keeps the target of the link', async () => {
  const out = join(folder, 'linked page');
  cpSync(join(folder, 'tree'), out, { recursive: true });
  const page = join(out, 'rest/data/page/2/index.json');
  const file = join(folder, 'elsewhere.json');
  writeFileSync(file, 'mine');
  renameSync(page, `${page}.old`);
  symlinkSync(file, page);
  await palimpsestJson(buildArgs(larger, out, [...SIZES, '--compress', 'gzip', '--repair']));
  expect(filesIn(out).get('rest/data/page/2/index.json')).toEqual(filesIn(join(folder, 'tree')).get('rest/data/page/2/index.json'));
  expect(filesIn(folder).get('elsewhere.json')?.toString()).toBe('mine');
});
