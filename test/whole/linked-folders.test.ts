import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { failureOf } from './failures.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, freshTree, marksOf } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
const PACKED = [...SIZES, '--compress', 'gzip'];
const larger = join(folder, 'larger.db');
const smaller = join(folder, 'smaller.db');

beforeAll(async () => {
  const lines = await recordLines(120, 30);
  await importLines(larger, lines);
  await importLines(smaller, lines.slice(0, 60));
  await freshTree(larger, join(folder, 'tree'), PACKED);
});

// builds that remove pages, that remove compressed copies, and that read all files
const FEWER = [smaller, PACKED] as const;
const PLAIN = [larger, [...SIZES, '--compress', 'none']] as const;
const REPAIR = [smaller, [...SIZES, '--repair']] as const;

it.each([
  ['.palimpsest', FEWER],
  ['.palimpsest/lock', REPAIR],
  ['rest', FEWER],
  ['rest/data', PLAIN],
  ['rest/account', REPAIR],
  ['rest/data/page', REPAIR],
  ['rest/account/page', PLAIN],
  ['rest/data/page/1', PLAIN],
  ['rest/data/page/12', FEWER],
  ['rest/account/page/3', REPAIR],
  ['rest/data/page/last', FEWER],
  ['rest/data/page/12', PLAIN],
])('a build refuses a symbolic link at %s and changes nothing in its target', async (place, [store, options]) => {
  const home = join(folder, `${place.replaceAll('/', ' ')} ${options.at(-1)}`);
  const [out, outside] = [join(home, 'out'), join(home, 'outside')];
  cpSync(join(folder, 'tree'), out, { recursive: true, preserveTimestamps: true });
  if (place.startsWith('.palimpsest')) {
    mkdirSync(join(outside, 'stage'), { recursive: true });
    if (place !== '.palimpsest') mkdirSync(join(out, '.palimpsest'));
  } else renameSync(join(out, place), outside);
  writeFileSync(join(outside, 'keep'), 'mine');
  symlinkSync(place === '.palimpsest/lock' ? join(outside, 'keep') : outside, join(out, place));
  const [before, tree] = [marksOf(outside), marksOf(out)];
  const error = { code: 'not-ours', file: join(out, place), found: 'a symbolic link' };
  expect(await failureOf(buildArgs(store, out, options))).toMatchObject({ code: 3, error });
  expect(marksOf(outside), 'the target of the link').toEqual(before);
  expect(marksOf(out), 'the tree').toEqual(tree);
});

it('a build accepts a symbolic link as the folder of the tree', async () => {
  const [real, link] = [join(folder, 'real'), join(folder, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  await palimpsestJson(buildArgs(larger, link, PACKED));
  expect(differences(filesIn(real), filesIn(join(folder, 'tree')))).toEqual([]);
  await palimpsestJson(buildArgs(smaller, link, SIZES));
  expect(await palimpsestJson(['verify', '--out', link, '--store', smaller])).toMatchObject({ violation_count: 0 });
});

it('a build replaces a link at the path of a page and keeps the target of the link', async () => {
  const [out, file] = [join(folder, 'linked page'), join(folder, 'elsewhere.json')];
  cpSync(join(folder, 'tree'), out, { recursive: true });
  const page = join(out, 'rest/data/page/2/index.json');
  writeFileSync(file, 'mine');
  renameSync(page, `${page}.old`);
  symlinkSync(file, page);
  await palimpsestJson(buildArgs(larger, out, [...PACKED, '--repair']));
  expect(filesIn(out).get('rest/data/page/2/index.json')).toEqual(filesIn(join(folder, 'tree')).get('rest/data/page/2/index.json'));
  expect(filesIn(folder).get('elsewhere.json')?.toString()).toBe('mine');
});
