import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { BIN, palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { failureOf } from './failures.ts';
import { type Outcome, outcomesOf } from './one-process.ts';
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

const UNCHANGED = expect.stringContaining('nothing was changed');
const repair = (out: string) => buildArgs(store, out, [...SIZES, '--repair']);
const publish = (out: string) => ['publish', `${out} target`, '--out', out];
const rewrite = (out: string) => ['rewrite', 'nginx', '--out', out];

it('a pipe at any path of a tree blocks no command, and is reported, refused or repaired', async () => {
  const lines: (readonly string[])[] = [];
  const checks: ((found: Outcome, line: string) => void)[] = [];
  /** Adds a command that one process runs with all others: a pipe could block it. */
  const ask = (args: readonly string[], check: (found: Outcome, line: string) => void) => {
    lines.push(args);
    checks.push(check);
  };
  const ends = (expected: object) => (found: Outcome, line: string) => expect(found, line).toMatchObject(expected);
  const failed = (code: string, exit = 1, more = {}) => ends({ code: exit, error: { code, ...more } });
  const violates = (expected: object) => (found: Outcome, line: string) =>
    expect(JSON.parse(found.stdout).violations, line).toContainEqual(expect.objectContaining(expected));

  const pages = [PAGE, 'rest/account/index.json', 'manifest-sha256.txt'].map((path) => ({ path, out: copy() }));
  for (const { path, out } of pages) {
    pipe(out, path);
    ask(['verify', '--out', out, '--store', store], violates({ rule: 'file-missing', path }));
    ask(publish(out), failed('tree-edited'));
    ask(rewrite(out), ends({ code: 0 }));
    ask(repair(out), ends({ code: 0 }));
  }

  const unknown = copy();
  pipe(unknown, 'build.json');
  for (const args of [['verify', '--out', unknown], publish(unknown), rewrite(unknown)]) ask(args, failed('no-tree'));
  ask(repair(unknown), failed('not-ours', 3));

  for (const path of [PAGE, 'index.html']) {
    const out = copy();
    await palimpsestJson(buildArgs(store, out, [...SIZES, '--html']));
    pipe(out, path);
    for (const [form, name] of [
      ['warc', 'a.warc'],
      ['wacz', 'a.wacz'],
      ['bag', 'bag'],
    ] as const) {
      ask(['archive', form, '--out', out, '--to', `${out} ${name}`], failed('tree-edited', 1, { file: join(out, path) }));
    }
  }

  const [published, host] = [copy(), join(folder, 'host')];
  pipe(published, 'publish.json');
  ask(['verify', '--out', published], violates({ rule: 'unexpected-file', path: 'publish.json' }));
  mkdirSync(host);
  pipe(host, 'palimpsest.conf');
  ask([...rewrite(join(folder, 'tree')), '--to', host], failed('not-ours', 3));

  const inPlace = copy();
  pipe(inPlace, 'rest/data/page/2');
  ask(repair(inPlace), failed('not-ours', 3, { file: join(inPlace, 'rest/data/page/2'), hint: UNCHANGED }));

  for (const [index, found] of (await outcomesOf(lines)).entries()) checks[index]?.(found, lines[index]?.join(' ') ?? '');
  for (const { path, out } of pages) expect(differences(filesIn(out), tree), path).toEqual([]);
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
    expect(await failureOf(repair(out))).toMatchObject({
      code: 3,
      error: { code: 'not-ours', file: join(out, path), found: expect.stringMatching(/^a /), hint: UNCHANGED },
    });
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

  it.each([{ data_pages: 3 }, { page_size: 0 }, { base_url: 'https://example.org/?page=1' }])(
    'counts as unfinished with %j',
    async (more) => {
      const out = claiming(6, more);
      const failed = (code: string) => ({ code: 1, error: { code } });
      for (const args of [publish(out), ['serve', '--out', out, '--port', '0']]) {
        expect(await failureOf(args)).toMatchObject(failed('tree-unfinished'));
      }
      expect(await failureOf(rewrite(out))).toMatchObject(failed('no-tree'));
      await palimpsestJson(buildArgs(store, out, SIZES));
      expect(differences(filesIn(out), tree)).toEqual([]);
    },
  );

  it('is rejected if its manifest has 60 MB without a line break', async () => {
    const out = copy();
    truncateSync(join(out, 'manifest-sha256.txt'), 60_000_000);
    expect((await palimpsestHere(['verify', '--out', out, '--quiet'])).code).toBe(1);
  });
});

it.skipIf(!existsSync('/proc/self'))('rewrite ends if the file system cannot create the folder', () => {
  const options = { timeout: 20_000, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'rewrite', 'nginx', '--to', '/proc/palimpsest/x', '--json'], options);
  expect(status).toBe(1);
  expect(stderr).toContain('ENOENT');
});
