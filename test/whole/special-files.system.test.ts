import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
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

/** Runs a command that must end soon. Returns its exit code, its JSON error and its output. */
async function outcome(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly error: unknown; readonly stdout: string }> {
  const { code, stdout, stderr } = await palimpsest([...args, '--json'], {
    onStart: (process) => void setTimeout(() => process.kill('SIGKILL'), 30_000).unref(),
  });
  expect(stderr).not.toContain('    at ');
  return { code, error: JSON.parse(stdout || '{}').error, stdout };
}

describe.each([PAGE, 'rest/account/index.json', 'manifest-sha256.txt', 'build.json'])('a pipe at the path of %s', (path) => {
  const isRecord = path === 'build.json';
  function piped(): string {
    const out = copy();
    rmSync(join(out, path));
    execFileSync('mkfifo', [join(out, path)]);
    return out;
  }

  it(isRecord ? 'makes a build refuse the folder' : 'is replaced by a repair', async () => {
    const out = piped();
    const { code, error } = await outcome(buildArgs(store, out, [...SIZES, '--repair']));
    if (isRecord) expect([code, error]).toMatchObject([3, { code: 'not-ours' }]);
    else expect([code, differences(filesIn(out), tree)]).toEqual([0, []]);
  });

  it('does not block verify, publish and rewrite', async () => {
    const out = piped();
    const verified = await outcome(['verify', '--out', out, '--store', store]);
    if (isRecord) expect(verified).toMatchObject({ code: 1, error: { code: 'no-tree' } });
    else expect(JSON.parse(verified.stdout).violations).toContainEqual(expect.objectContaining({ rule: 'file-missing', path }));
    const published = await outcome(['publish', `${out} target`, '--out', out]);
    expect(published).toMatchObject({ code: 1, error: { code: isRecord ? 'no-tree' : 'tree-edited' } });
    expect((await outcome(['rewrite', 'nginx', '--out', out])).code).toBe(isRecord ? 1 : 0);
  });
});

it.each([PAGE, 'index.html'])('a pipe at the path of %s does not block archive', async (path) => {
  const out = copy();
  if (path !== PAGE) expect(await outcome(buildArgs(store, out, [...SIZES, '--html']))).toMatchObject({ code: 0 });
  rmSync(join(out, path));
  execFileSync('mkfifo', [join(out, path)]);
  for (const [form, to] of [['warc', 'a.warc'] as const, ['wacz', 'a.wacz'] as const, ['bag', 'bag'] as const]) {
    const archived = await outcome(['archive', form, '--out', out, '--to', `${out} ${to}`]);
    expect([form, archived]).toMatchObject([form, { code: 1, error: { code: 'tree-edited', file: join(out, path) } }]);
  }
});

it('a pipe at the path of the state of publish does not block verify', async () => {
  const out = copy();
  execFileSync('mkfifo', [join(out, 'publish.json')]);
  const { stdout } = await outcome(['verify', '--out', out]);
  expect(JSON.parse(stdout).violations).toMatchObject([{ rule: 'unexpected-file', path: 'publish.json' }]);
});

it('a pipe at the path of a page does not block serve', async () => {
  const out = copy();
  rmSync(join(out, PAGE));
  execFileSync('mkfifo', [join(out, PAGE)]);
  const { code } = await palimpsest(['serve', '--out', out, '--port', '0', '--json'], {
    onStart: (process) => {
      process.stdout?.once('data', async (text: string) => {
        const { url } = JSON.parse(text);
        const statuses = await Promise.all([2, 3].map((page) => fetch(`${url}/rest/data/?page=${page}`).then(({ status }) => status)));
        process.kill(statuses.join() === '404,200' ? 'SIGTERM' : 'SIGKILL');
      });
    },
  });
  expect(code, 'page 2 is answered with 404, page 3 with 200').toBe(143);
});

it('a pipe at the path of a file for a host does not block rewrite', async () => {
  const out = join(folder, 'host');
  mkdirSync(out);
  execFileSync('mkfifo', [join(out, 'palimpsest.conf')]);
  expect(await outcome(['rewrite', 'nginx', '--out', join(folder, 'tree'), '--host-files', out])).toMatchObject({
    code: 3,
    error: { code: 'not-ours' },
  });
});

describe('a build with --repair', () => {
  it.each<[string, string, (path: string) => void]>([
    ['a folder at the path of a page', PAGE, (path) => mkdirSync(path)],
    [
      'a folder with a file at the path of a page',
      PAGE,
      (path) => cpSync(join(folder, 'tree/rest/data/page/3'), path, { recursive: true }),
    ],
    ['a folder at the path of the manifest', 'manifest-sha256.txt', (path) => mkdirSync(path)],
    ['a file at the path of the folder of a page', 'rest/data/page/2', (path) => writeFileSync(path, 'mine')],
    ['a pipe at the path of the folder of a page', 'rest/data/page/2', (path) => void execFileSync('mkfifo', [path])],
    ['a file at the path of a collection', 'rest/account', (path) => writeFileSync(path, 'mine')],
    ['a file at the path of the pages', 'rest', (path) => writeFileSync(path, 'mine')],
    ['a file at the path of the working folder', '.palimpsest', (path) => writeFileSync(path, 'mine')],
  ])('refuses %s with a hint', async (_, path, put) => {
    const out = copy();
    rmSync(join(out, path), { recursive: true, force: true });
    put(join(out, path));
    const marks = marksOf(out);
    const { code, error } = await outcome(buildArgs(store, out, [...SIZES, '--repair']));
    expect([code, error]).toMatchObject([
      3,
      {
        code: 'not-ours',
        file: join(out, path),
        found: expect.stringMatching(/^a /),
        hint: expect.stringContaining('nothing was changed'),
      },
    ]);
    expect(marksOf(out)).toEqual(marks);
  });

  it('refuses a lock file with contents', async () => {
    const out = copy();
    mkdirSync(join(out, '.palimpsest'));
    writeFileSync(join(out, '.palimpsest/lock'), 'garbage '.repeat(1000));
    const { code, error } = await outcome(buildArgs(store, out, [...SIZES, '--repair']));
    expect([code, error]).toMatchObject([
      3,
      { code: 'not-ours', file: join(out, '.palimpsest/lock'), hint: expect.stringContaining('remove that file') },
    ]);
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

  it.each([10_000_000, 900_000_000_000])('is rejected with %i pages in build.json', async (pages) => {
    for (const hasManifest of [true, false]) {
      const out = claiming(pages);
      if (!hasManifest) rmSync(join(out, 'manifest-sha256.txt'));
      const { code, stdout } = await outcome(['verify', '--out', out, '--store', store]);
      expect([code, JSON.parse(stdout).violations]).toMatchObject([1, [{ rule: 'build-record' }]]);
      expect(await outcome(['publish', `${out} target`, '--out', out])).toMatchObject({ code: 1, error: { code: 'tree-edited' } });
      expect((await outcome(['rewrite', 'nginx', '--out', out])).code).toBe(0);
      expect((await outcome(buildArgs(store, out, [...SIZES, '--repair']))).code).toBe(0);
      expect(differences(filesIn(out), tree)).toEqual([]);
    }
  });

  it('counts as unfinished if its numbers contradict each other or its base URL is invalid', async () => {
    for (const more of [{ data_pages: 3 }, { page_size: 0 }, { base_url: 'x' }, { base_url: 'https://example.org/?page=1' }]) {
      const out = claiming(6, more);
      expect(await outcome(['publish', `${out} target`, '--out', out])).toMatchObject({ code: 1, error: { code: 'tree-unfinished' } });
      expect(await outcome(['serve', '--out', out, '--port', '0'])).toMatchObject({ code: 1, error: { code: 'tree-unfinished' } });
      expect(await outcome(['rewrite', 'nginx', '--out', out])).toMatchObject({ code: 1, error: { code: 'no-tree' } });
      expect((await outcome(buildArgs(store, out, SIZES))).code).toBe(0);
      expect(differences(filesIn(out), tree)).toEqual([]);
    }
  });

  it('is rejected if its manifest has 60 MB without a line break', async () => {
    const out = copy();
    truncateSync(join(out, 'manifest-sha256.txt'), 60_000_000);
    expect((await outcome(['verify', '--out', out])).code).toBe(1);
  });
});
