import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { outcomesOf } from './one-process.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, type Files, freshTree, marksOf } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '10', '--account-page-size', '10'];
const store = join(folder, 'store.db');
const PAGE = 'rest/data/page/2/index.json';
let tree: Files;
let trees = 0;

beforeAll(async () => {
  await importLines(store, await recordLines(60, 20));
  tree = await freshTree(store, join(folder, 'tree'), SIZES);
});

/** Copies the tree. Returns the folder of the copy. */
function copy(): string {
  const out = join(folder, `copy ${trees++}`);
  cpSync(join(folder, 'tree'), out, { recursive: true, preserveTimestamps: true });
  return out;
}

/** Puts a pipe at a path: reading it would block. */
function pipe(...path: readonly string[]): void {
  const at = join(...path);
  rmSync(at, { recursive: true, force: true });
  execFileSync('mkfifo', [at]);
}

const repair = (out: string) => buildArgs(store, out, [...SIZES, '--repair']);
const publish = (out: string) => ['publish', `${out} target`, '--out', out];
const rewrite = (out: string) => ['rewrite', 'nginx', '--out', out];

it.each([PAGE, 'rest/account/index.json', 'manifest-sha256.txt'])(
  'a pipe at the path of %s blocks no command, and is repaired',
  async (path) => {
    const out = copy();
    pipe(out, path);
    const [verified, published, rewritten, repaired] = await outcomesOf([
      ['verify', '--out', out, '--store', store],
      publish(out),
      rewrite(out),
      repair(out),
    ]);
    expect(JSON.parse(verified?.stdout ?? '').violations).toContainEqual(expect.objectContaining({ rule: 'file-missing', path }));
    expect([published, rewritten, repaired]).toMatchObject([{ code: 1, error: { code: 'tree-edited' } }, { code: 0 }, { code: 0 }]);
    expect(differences(filesIn(out), tree)).toEqual([]);
  },
);

it('a pipe at the path of build.json blocks no command, and a build refuses the folder', async () => {
  const out = copy();
  pipe(out, 'build.json');
  const none = { code: 1, error: { code: 'no-tree' } };
  expect(await outcomesOf([['verify', '--out', out], publish(out), rewrite(out), repair(out)])).toMatchObject([
    none,
    none,
    none,
    { code: 3, error: { code: 'not-ours' } },
  ]);
});

it.each([PAGE, 'index.html'])('a pipe at the path of %s does not block archive', async (path) => {
  const out = copy();
  await outcomesOf([buildArgs(store, out, [...SIZES, '--html'])]);
  pipe(out, path);
  const archive = (form: string, to: string) => ['archive', form, '--out', out, '--to', `${out} ${to}`];
  const found = await outcomesOf([archive('warc', 'a.warc'), archive('wacz', 'a.wacz'), archive('bag', 'bag')]);
  const edited = { code: 1, error: { code: 'tree-edited', file: join(out, path) } };
  expect(found).toMatchObject([edited, edited, edited]);
});

it('a pipe at the path of the state of publish, or of a file for a host, blocks neither verify nor rewrite', async () => {
  const [out, host] = [copy(), join(folder, 'host')];
  pipe(out, 'publish.json');
  mkdirSync(host);
  pipe(host, 'palimpsest.conf');
  const [verified, rewritten] = await outcomesOf([
    ['verify', '--out', out],
    [...rewrite(join(folder, 'tree')), '--host-files', host],
  ]);
  expect(JSON.parse(verified?.stdout ?? '').violations).toMatchObject([{ rule: 'unexpected-file', path: 'publish.json' }]);
  expect(rewritten).toMatchObject({ code: 3, error: { code: 'not-ours' } });
});

it('a pipe at the path of a page does not block serve', async () => {
  const out = copy();
  pipe(out, PAGE);
  const statuses: number[] = [];
  await palimpsest(['serve', '--out', out, '--port', '0', '--json'], {
    onStart: (process) => {
      process.stdout?.once('data', async (text: string) => {
        const { url } = JSON.parse(text);
        for (const page of [2, 3]) statuses.push((await fetch(`${url}/rest/data/?page=${page}`)).status);
        process.kill('SIGTERM');
      });
    },
  });
  expect(statuses).toEqual([503, 200]);
});

describe('a build with --repair', () => {
  it.each<[string, string, (path: string) => void]>([
    ['a pipe at the path of the folder of a page', 'rest/data/page/2', (path) => pipe(path)],
    ['a folder at the path of a page', PAGE, (path) => mkdirSync(path)],
    [
      'a folder with a file at the path of a page',
      PAGE,
      (path) => cpSync(join(folder, 'tree/rest/data/page/3'), path, { recursive: true }),
    ],
    ['a folder at the path of the manifest', 'manifest-sha256.txt', (path) => mkdirSync(path)],
    ['a file at the path of the folder of a page', 'rest/data/page/2', (path) => writeFileSync(path, 'mine')],
    ['a file at the path of a collection', 'rest/account', (path) => writeFileSync(path, 'mine')],
    ['a file at the path of the pages', 'rest', (path) => writeFileSync(path, 'mine')],
    ['a file at the path of the working folder', '.palimpsest', (path) => writeFileSync(path, 'mine')],
  ])('refuses %s with a hint', async (_, path, put) => {
    const out = copy();
    rmSync(join(out, path), { recursive: true, force: true });
    put(join(out, path));
    const marks = marksOf(out);
    const hint = expect.stringContaining('nothing was changed');
    expect(await outcomesOf([repair(out)])).toMatchObject([
      { code: 3, error: { code: 'not-ours', file: join(out, path), found: expect.stringMatching(/^a /), hint } },
    ]);
    expect(marksOf(out)).toEqual(marks);
  });
});

describe('a tree that claims to be large', () => {
  /** Copies the tree with a build.json that has this number of pages, and a consistent number of records. */
  function claiming(pages: number, more: Record<string, unknown> = {}): string {
    const out = copy();
    const record = JSON.parse(readFileSync(join(out, 'build.json'), 'utf8'));
    writeFileSync(join(out, 'build.json'), `${JSON.stringify({ ...record, records: pages * 10, data_pages: pages, ...more })}\n`);
    return out;
  }

  it.each([true, false])('is rejected with 900 billion pages in build.json; with a manifest: %s', async (hasManifest) => {
    const out = claiming(900_000_000_000);
    if (!hasManifest) rmSync(join(out, 'manifest-sha256.txt'));
    const [verified, ...others] = await outcomesOf([['verify', '--out', out, '--store', store], publish(out), rewrite(out), repair(out)]);
    expect(JSON.parse(verified?.stdout ?? '').violations).toMatchObject([{ rule: 'build-record' }]);
    expect(others).toMatchObject([{ code: 1, error: { code: 'tree-edited' } }, { code: 0 }, { code: 0 }]);
    expect(differences(filesIn(out), tree)).toEqual([]);
  });

  it.each([{ data_pages: 3 }, { page_size: 0 }, { base_url: 'https://example.org/?page=1' }])(
    'counts as unfinished with %j',
    async (more) => {
      const out = claiming(6, more);
      const unfinished = { code: 1, error: { code: 'tree-unfinished' } };
      expect(
        await outcomesOf([publish(out), ['serve', '--out', out, '--port', '0'], rewrite(out), buildArgs(store, out, SIZES)]),
      ).toMatchObject([unfinished, unfinished, { code: 1, error: { code: 'no-tree' } }, { code: 0 }]);
      expect(differences(filesIn(out), tree)).toEqual([]);
    },
  );

  it('is rejected if its manifest has 60 MB without a line break', async () => {
    const out = copy();
    truncateSync(join(out, 'manifest-sha256.txt'), 60_000_000);
    expect(await outcomesOf([['verify', '--out', out]])).toMatchObject([{ code: 1 }]);
  });
});
