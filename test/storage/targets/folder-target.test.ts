import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { beginFile, partialOf } from '../../../src/storage/targets/folder-file.ts';
import { folder as kind } from '../../../src/storage/targets/folder-target.ts';
import { Growing, publishJson } from '../../publish/growing.ts';
import { filesIn } from '../../support/folder.ts';
import { palimpsestHere } from '../../support/palimpsest.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences, pagesIn } from '../../whole/trees.ts';

const folder = folderOfFile();
let history: Growing;
let other: Growing;

beforeAll(async () => {
  [history, other] = await Promise.all([
    Growing.of(folder, 'tree', { records: 30, accounts: 5 }),
    Growing.of(folder, 'other tree', { records: 50, accounts: 5 }),
  ]);
});

async function refusal(
  target: string,
  out = history.out,
  more: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly error: unknown }> {
  const { code, stdout } = await palimpsestHere(['publish', target, '--out', out, '--json', ...more]);
  return { code, error: JSON.parse(stdout).error };
}

describe('a folder that shares files with the tree', () => {
  it.each([
    ['it is the tree', (tree: string) => tree],
    ['it is inside the tree', (tree: string) => join(tree, 'site/deep')],
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
  ])('is refused if %s', async (name, targetOf) => {
    const tree = join(folder, name);
    cpSync(history.out, tree, { recursive: true });
    const target = targetOf(tree);
    const before = pagesIn(tree);
    for (const more of [[], ['--dry-run']]) {
      expect(await refusal(target, tree, more)).toMatchObject({ code: 3, error: { code: 'not-ours', file: target } });
    }
    expect(differences(pagesIn(tree), before)).toEqual([]);
  });

  it('is refused if the tree is inside its folder of pages', async () => {
    const tree = join(folder, 'around/rest');
    cpSync(history.out, tree, { recursive: true });
    expect(await refusal(dirname(tree), tree)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
  });

  it('does not include one with the tree beside its pages, or one with a similar name', async () => {
    const tree = join(folder, 'web root/out');
    cpSync(history.out, tree, { recursive: true });
    await publishJson(['publish', dirname(tree), '--out', tree, '--allow-other-files']);
    await publishJson(['publish', `${tree}2`, '--out', tree]);
    expect(differences(pagesIn(tree), history.files())).toEqual([]);
  });
});

it.each(['', '/below/it'])('refuses a file in place of a folder at once, also with --dry-run: file%s', async (below) => {
  const file = join(folder, `file${below.length}`);
  writeFileSync(file, 'mine');
  expect(await refusal(file + below, history.out, ['--dry-run'])).toMatchObject({ code: 3, error: { code: 'not-ours' } });
  expect(await refusal(file + below)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
});

it('sends nothing again for changed headers to a folder, which keeps no headers', async () => {
  const site = join(folder, 'headers');
  await publishJson(['publish', site, '--out', history.out]);
  const again = await publishJson(['publish', site, '--out', history.out, '--cache-control', 'public, max-age=60']);
  expect(again).toMatchObject({ done: { uploads: 0 }, requests: { writes: 0 } });
});

describe('a folder that contains other files', () => {
  it('is refused without --allow-other-files, also with --dry-run, and then accepted by later publishes', async () => {
    const site = join(folder, 'web root with pages');
    mkdirSync(site);
    writeFileSync(join(site, 'index.html'), 'mine');
    for (const more of [[], ['--dry-run']]) {
      expect(await refusal(site, history.out, more)).toMatchObject({
        code: 3,
        error: { code: 'not-ours', file: site, found: 'index.html', hint: expect.stringContaining('--allow-other-files') },
      });
    }
    expect([...filesIn(site).keys()]).toEqual(['index.html']);
    await publishJson(['publish', site, '--out', history.out, '--allow-other-files']);
    expect(await publishJson(['publish', site, '--out', history.out])).toMatchObject({ requests: { all: 1 } });
    expect(readFileSync(join(site, 'index.html'), 'utf8')).toBe('mine');
  });

  it('does not include an empty folder, or one after a kill at the first write', async () => {
    for (const name of ['empty', '.palimpsest', '.palimpsest.lock']) {
      const site = join(folder, `begun ${name}`);
      mkdirSync(site);
      if (name === '.palimpsest.lock') writeFileSync(join(site, name), '');
      if (name === '.palimpsest') mkdirSync(join(site, name));
      await publishJson(['publish', site, '--out', history.out]);
    }
  });
});

describe('the temporary files of a killed run', () => {
  it('are hidden, and the next run removes them and no other file', async () => {
    const site = join(folder, 'killed');
    await publishJson(['publish', site, '--out', history.out]);
    const gone = 'browse/account/a4/acct_0206.html';
    mkdirSync(join(site, '.palimpsest'));
    const upload = await beginFile(join(site, gone), partialOf(site, gone));
    await upload.put({ number: 1, offset: 0 }, Buffer.from('a removed text'), new AbortController().signal);
    const left = [...filesIn(site).keys()].filter((path) => path.startsWith('.'));
    expect(left).toEqual([expect.stringMatching(/^\.palimpsest\/[0-9a-f]{32}\.partial$/)]);
    writeFileSync(join(site, '.palimpsest/mine.txt'), 'mine');
    await publishJson(['publish', site, '--out', other.out, '--allow-gaps', '--max-delete', '100%']);
    expect([...filesIn(site).keys()].filter((path) => path.startsWith('.'))).toEqual(['.palimpsest/mine.txt']);
  });
});

describe('a link that leads out of the folder', () => {
  it.each([
    ['the folder of pages', 'rest/data/page', 'folder'],
    ['all pages', 'rest', 'folder'],
    ['a page', 'rest/data/page/2/index.json', 'file'],
    ['the state', 'publish.json', 'file'],
    ['the manifest', 'manifest-sha256.txt', 'file'],
  ])('is not followed: %s', async (name, path, what) => {
    const site = join(folder, `${name} linked`);
    const elsewhere = join(folder, `${name} elsewhere`);
    await publishJson(['publish', site, '--out', history.out]);
    renameSync(join(site, path), elsewhere);
    symlinkSync(elsewhere, join(site, path));
    const before = what === 'file' ? readFileSync(elsewhere) : filesIn(elsewhere);
    const beside = filesIn(site);
    const { code, error } = await refusal(site, other.out, ['--allow-gaps', '--max-delete', '100%']);
    expect(what === 'file' ? readFileSync(elsewhere) : filesIn(elsewhere)).toEqual(before);
    // the manifest replaces the link
    if (code !== 0) {
      expect({ code, error }).toMatchObject({ code: 3, error: { code: 'not-ours', hint: expect.stringContaining('nothing was changed') } });
      expect(filesIn(site)).toEqual(beside);
    } else expect(lstatSync(join(site, path)).isFile()).toBe(true);
  });

  it('is not followed if it has the name of a temporary file', async () => {
    const site = join(folder, 'partial');
    const mine = join(folder, 'mine.txt');
    writeFileSync(mine, 'mine');
    const partial = partialOf(site, 'publish.json');
    mkdirSync(dirname(partial), { recursive: true });
    symlinkSync(mine, partial);
    await publishJson(['publish', site, '--out', history.out]);
    expect(readFileSync(mine, 'utf8')).toBe('mine');
  });

  it('is refused if it is the folder of the temporary files', async () => {
    const [site, elsewhere] = [join(folder, 'temporary'), join(folder, 'temporary elsewhere')];
    for (const one of [site, elsewhere]) mkdirSync(one);
    symlinkSync(elsewhere, dirname(partialOf(site, 'publish.json')));
    expect(await refusal(site, history.out)).toMatchObject({ code: 3, error: { code: 'not-ours' } });
    expect(filesIn(elsewhere).size).toBe(0);
  });

  it('is allowed if it is the folder itself', async () => {
    const [site, real] = [join(folder, 'current'), join(folder, 'release-1')];
    mkdirSync(real);
    symlinkSync(real, site);
    await publishJson(['publish', site, '--out', history.out]);
    expect(existsSync(join(real, 'build.json'))).toBe(true);
  });
});

it('reports a file in the place of a folder of pages', async () => {
  const site = join(folder, 'in the way');
  mkdirSync(join(site, 'rest/data'), { recursive: true });
  writeFileSync(join(site, 'rest/data/page'), 'mine');
  expect(await refusal(site, history.out, ['--allow-other-files'])).toMatchObject({ code: 1, error: { code: 'file-system' } });
  expect(existsSync(join(site, 'build.json'))).toBe(false);
});

describe('a replaced file', () => {
  /** The time with the resolution of FAT, which is coarser than that of ETags of web servers. */
  const step = (file: string) => Math.floor(statSync(file).mtimeMs / 2000);

  it('has a later time than all its earlier versions, even after the clock was set back', async () => {
    const site = join(folder, 'times');
    const target = await kind.open({ container: site, prefix: '', name: site }, { connections: 1, secrets: {} });
    const path = 'rest/data/index.json';
    const times: number[] = [];
    const put = async () => {
      const bytes = Buffer.from(`version ${times.length}`);
      await target.put(
        path,
        { bytes, headers: { contentType: '', cacheControl: '', contentEncoding: '' }, digest: '' },
        new AbortController().signal,
      );
      times.push(step(join(site, path)));
    };
    for (let version = 0; version < 5; version += 1) await put();
    const later = Date.now() / 1000 + 3600;
    utimesSync(join(site, path), later, later);
    times.push(step(join(site, path)));
    for (let version = 0; version < 3; version += 1) await put();
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  });
});
