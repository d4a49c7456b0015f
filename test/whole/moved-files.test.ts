import { execFileSync } from 'node:child_process';
import fs, { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { machineId } from '../../src/contract/files/running-process.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, marksOf } from './trees.ts';

const folder = folderOfFile();
const at = (...path: readonly string[]) => join(folder, ...path);
const SIZES = ['--page-size', '10', '--account-page-size', '10'];

/** A command that moves files into place: its results of two states of a store, and the command for the second one. */
interface Writer {
  /** The name of its output. */
  readonly output: string;
  readonly command: (store: string, tree: string, output: string) => readonly string[];
}

const build = (options: readonly string[]) => (store: string, _: string, output: string) => buildArgs(store, output, options);
const WRITERS = {
  build: { output: 'out', command: build([...SIZES, '--no-html', '--compress', 'none']) },
  compressed: { output: 'out', command: build([...SIZES, '--no-html', '--compress', 'gzip,brotli']) },
  html: { output: 'out', command: build([...SIZES, '--html']) },
  zip: { output: 'history.zip', command: build([...SIZES, '--html']) },
  publish: {
    output: 'site',
    command: (_, tree, output) => ['publish', output, '--out', tree, '--allow-gaps', '--max-delete', '100%'],
  },
  bag: { output: 'bag', command: (_, tree, output) => ['archive', 'bag', '--out', tree, '--to', output] },
  wacz: { output: 'a.wacz', command: (_, tree, output) => ['archive', 'wacz', '--out', tree, '--to', output] },
  export: { output: 'tables', command: (store, _, output) => ['export', 'csv', '--store', store, '--to', output] },
} as const satisfies { readonly [name: string]: Writer };
type Name = keyof typeof WRITERS;
const NAMES = Object.keys(WRITERS) as Name[];

/** The states of a store: records are added, and the tree of the first one has pages and accounts that the second one lacks. */
const STATES = { larger: 120, smaller: 70 } as const;
type State = keyof typeof STATES;

const run = (name: Name, state: State, output: string, ...more: string[]) =>
  palimpsestHere([...WRITERS[name].command(at(`${state}.db`), at(state, 'tree'), output), ...more, '--json']);

beforeAll(async () => {
  const lines = await recordLines(STATES.larger, 40);
  for (const state of ['larger', 'smaller'] as const) {
    await importLines(at(`${state}.db`), lines.slice(0, STATES[state]));
    await palimpsestHere(buildArgs(at(`${state}.db`), at(state, 'tree'), SIZES));
    for (const name of NAMES) {
      mkdirSync(at(state, name));
      const done = await run(name, state, at(state, name, WRITERS[name].output));
      expect(done.code, `${name}: ${done.stderr}`).toBe(0);
    }
  }
});

let cases = 0;

/** Copies the result of a command into a new folder. Returns that folder and the path of the result. */
function copyOf(name: Name, state: State): { readonly home: string; readonly output: string } {
  const home = at(`case ${cases++}`, name);
  cpSync(at(state, name), home, { recursive: true, preserveTimestamps: true });
  return { home, output: join(home, WRITERS[name].output) };
}

const STATES_OF_RUNS = /^(site\/publish|out\/build)\.json$/;

/** Returns the bytes of a result, without what differs between two runs: the time and the lease in the state of a publish. */
function resultIn(home: string): Map<string, string> {
  const files = [...filesIn(home)].map(([path, bytes]) => [path, STATES_OF_RUNS.test(path) ? '' : bytes.toString('latin1')] as const);
  return new Map(files);
}

function expectResult(home: string, name: Name, ...states: readonly State[]): void {
  const found = resultIn(home);
  const wanted = states.map((state) => resultIn(at(state, name)));
  const other = [...found].filter(([path, bytes]) => !wanted.some((one) => one.get(path) === bytes)).map(([path]) => path);
  if (states.length === 1) other.push(...[...(wanted[0]?.keys() ?? [])].filter((path) => !found.has(path)));
  expect(other).toEqual([]);
}

/** What can be at a path. Each is put there instead of what is there. */
const OBSTACLES: { readonly [kind: string]: (path: string, elsewhere: string) => void } = {
  nothing: () => {},
  'a folder': (path) => mkdirSync(path),
  'a folder with a file': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), 'mine');
  },
  'a file': (path) => writeFileSync(path, 'mine'),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to a file': (path, elsewhere) => symlinkSync(join(elsewhere, 'mine'), path),
  'a link to a folder': (path, elsewhere) => symlinkSync(elsewhere, path),
};

/** What a command does about it. */
type Answer = `${'not-ours' | 'file-system'}: ${string}` | 'replaces it' | 'leaves it';

const [FOLDER, FILE, LINK, SPECIAL] = ['a folder', 'a file', 'a symbolic link', 'a special file'];
const inTheWay = (found: string): Answer => `not-ours: ${found}`;

const page = 'out/rest/data/page/2/index.json';
const TABLE: readonly (readonly [Name, path: string, kind: string, Answer])[] = [
  // a build refuses what is no folder at the path of a folder, and a folder at the path of a file. Anything else it replaces
  ['build', page, 'a folder', inTheWay(FOLDER)],
  ['build', page, 'a folder with a file', inTheWay(FOLDER)],
  ['build', page, 'nothing', 'replaces it'],
  ['build', 'out/rest/data/page/2', 'nothing', 'replaces it'],
  ['build', 'out/rest/account/page', 'nothing', 'replaces it'],
  ['compressed', 'out/rest/data/page/2', 'nothing', 'replaces it'],
  ['html', 'out/rest/data/page/2', 'nothing', 'replaces it'],
  ['html', 'out/browse', 'nothing', 'replaces it'],
  ['build', page, 'a pipe', 'replaces it'],
  ['build', page, 'a link to a file', 'replaces it'],
  ['build', page, 'a link to a folder', 'replaces it'],
  ['build', 'out/rest/data/page/2', 'a file', inTheWay(FILE)],
  ['build', 'out/rest/data/page/2', 'a pipe', inTheWay(SPECIAL)],
  ['build', 'out/rest/data/page/2', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest/data/page/2', 'a link to a file', inTheWay(LINK)],
  ['build', 'out/rest/data/page/12', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest/data/page/12', 'a file', inTheWay(FILE)],
  ['build', 'out/rest/data/page/999', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest/account/page/last', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest/account/page', 'a file', inTheWay(FILE)],
  ['build', 'out/rest/account', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest', 'a file', inTheWay(FILE)],
  ['build', 'out/rest', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/manifest-sha256.txt', 'a folder', inTheWay(FOLDER)],
  ['build', 'out/manifest-sha256.txt', 'a link to a file', 'replaces it'],
  ['build', 'out/sort-keys.txt', 'a folder', inTheWay(FOLDER)],
  ['build', 'out/sort-keys.txt', 'a pipe', 'replaces it'],
  ['build', 'out/.palimpsest', 'a file', inTheWay(FILE)],
  ['build', 'out/.palimpsest', 'a link to a folder', inTheWay(LINK)],
  ['build', 'out/rest/data/page/mine', 'a link to a folder', 'leaves it'],
  ['build', 'out/rest/data/page/02', 'a file', 'leaves it'],
  ['compressed', 'out/rest/data/page/2/index.json.gz', 'a folder', inTheWay(FOLDER)],
  ['compressed', 'out/rest/data/page/2/index.json.br', 'a link to a file', 'replaces it'],
  // without copies, the build removes them
  ['build', 'out/rest/data/page/2/index.json.gz', 'a folder', inTheWay(FOLDER)],
  ['build', 'out/rest/data/page/2/index.json.gz', 'a link to a file', 'replaces it'],
  ['html', 'out/index.html', 'a folder', inTheWay(FOLDER)],
  ['html', 'out/index.html', 'a link to a file', 'replaces it'],
  ['html', 'out/browse', 'a file', inTheWay(FILE)],
  ['html', 'out/browse', 'a link to a folder', inTheWay(LINK)],
  ['html', 'out/browse/changes', 'a link to a folder', inTheWay(LINK)],
  ['html', 'out/browse/changes/1.html', 'a folder', inTheWay(FOLDER)],
  ['html', 'out/browse/changes/1.html', 'a link to a file', 'replaces it'],
  ['html', 'out/browse/mine', 'a link to a folder', 'leaves it'],
  ['build', 'out/rest/data/page/12/index.json', 'a folder with a file', inTheWay(FOLDER)],
  // a ZIP and an archive replace only their own kind; a link stays, and what is behind it is replaced
  ['zip', 'history.zip', 'a file', inTheWay(FILE)],
  ['zip', 'history.zip', 'a link to a file', inTheWay(FILE)],
  ['zip', '.history.zip.palimpsest', 'a link to a folder', inTheWay(LINK)],
  ['zip', '.history.zip.palimpsest', 'a file', inTheWay(FILE)],
  ['wacz', 'a.wacz', 'a folder', 'file-system: something that is not a file'],
  ['wacz', 'a.wacz', 'a pipe', 'file-system: something that is not a file'],
  ['wacz', 'a.wacz', 'a link to a folder', 'file-system: something that is not a file'],
  ['wacz', 'a.wacz', 'a file', 'replaces it'],
  ['bag', 'bag', 'a file', inTheWay(FILE)],
  ['bag', 'bag', 'a folder with a file', 'not-ours: a folder that contains mine'],
  ['bag', 'bag', 'a link to a folder', 'not-ours: a folder that contains mine'],
  ['bag', 'bag/data/mine', 'a file', 'not-ours: a folder that contains data/mine'],
  ['bag', 'bag/data/mine', 'a link to a folder', 'not-ours: a folder that contains data/mine'],
  ['bag', 'bag/mine', 'a folder', 'not-ours: a folder that contains mine'],
  ['export', 'tables', 'a file', 'file-system: something that is not a folder'],
  ['export', 'tables', 'a folder with a file', 'not-ours: a folder that contains mine'],
  ['export', 'tables/mine', 'a folder', 'not-ours: a folder that contains mine'],
  ['export', 'tables/accounts.csv', 'a folder', 'file-system: something that is not a file'],
  ['export', 'tables/records.csv', 'a pipe', 'file-system: something that is not a file'],
  // a publish follows no link out of its folder
  ['publish', 'site', 'a file', inTheWay(FILE)],
  ['publish', 'site/rest', 'a link to a folder', 'not-ours: a link to ELSEWHERE/data/page/last/index.json'],
  ['publish', 'site/rest/data/page', 'a link to a folder', 'not-ours: a link to ELSEWHERE/last/index.json'],
  ['publish', 'site/.palimpsest', 'a link to a folder', 'not-ours: a link to ELSEWHERE'],
  ['publish', 'site/publish.json', 'a folder', 'not-ours: something that is not a regular file'],
  ['publish', 'site/.palimpsest.lock', 'a link to a file', 'not-ours: a file with other contents, or not a file'],
];

const namesBelow = (home: string) => readdirSync(home, { recursive: true }).map(String).toSorted();

describe('what is in the way', () => {
  it.each(TABLE)('%s: at %s, %s: %s', async (name, path, kind, answer) => {
    const { home, output } = copyOf(name, 'larger');
    const elsewhere = join(dirname(home), 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'mine'), 'mine');
    rmSync(join(home, path), { recursive: true, force: true });
    OBSTACLES[kind]?.(join(home, path), elsewhere);
    const mine = marksOf(elsewhere);
    const before = [namesBelow(home), marksOf(home)];
    const { code, stdout, stderr } = await run(name, 'smaller', output, ...(name === 'build' || name === 'html' ? ['--repair'] : []));
    expect([namesBelow(elsewhere), marksOf(elsewhere)], 'what is elsewhere').toEqual([['mine'], mine]);
    if (answer.includes(':')) {
      const { error } = JSON.parse(stdout);
      const found = String(error.found).replace(elsewhere, 'ELSEWHERE');
      expect([`${error.code}: ${found}`, code]).toEqual([answer, error.code === 'not-ours' ? 3 : 1]);
      if (error.hint?.includes('nothing was changed')) expect([namesBelow(home), marksOf(home)]).toEqual(before);
      return;
    }
    expect(code, stderr).toBe(0);
    if (answer === 'leaves it') {
      expect(lstatSync(join(home, path)).isDirectory()).toBe(false);
      rmSync(join(home, path), { recursive: true });
    }
    expectResult(home, name, 'smaller');
  });
});

it('html: refuses a folder at the path of a file that the new tree does not have, and changes nothing', async () => {
  const { home, output } = copyOf('html', 'larger');
  const path = join(output, 'browse/changes/12.html');
  rmSync(path);
  mkdirSync(path);
  const before = [namesBelow(home), marksOf(home)];
  const { code, stdout } = await run('html', 'smaller', output);
  expect([code, JSON.parse(stdout).error]).toMatchObject([3, { code: 'not-ours', file: path, found: 'a folder' }]);
  expect([namesBelow(home), marksOf(home)]).toEqual(before);
});

/** Returns the marks of the files of a result, without what a publish writes before it looks at the pages. */
function marksIn(home: string): Map<string, string> {
  return new Map([...marksOf(home)].filter(([path]) => path !== 'site/publish.json' && path !== 'site/sort-keys.txt'));
}

/** Folders that cannot be read or written. */
const CLOSED: readonly (readonly [Name, path: string, mode: number])[] = [
  ['build', 'out', 0],
  ['build', 'out', 0o555],
  ['build', 'out/rest/account', 0],
  ['build', 'out/rest/data/page', 0],
  ['build', 'out/rest/data/page/2', 0],
  ['html', 'out/browse/changes', 0],
  ['zip', '.', 0o555],
  ['publish', 'site/rest', 0],
  ['publish', 'site', 0o555],
  ['bag', 'bag', 0],
  ['bag', 'bag', 0o555],
  ['wacz', '.', 0o555],
  ['export', 'tables', 0],
  ['export', 'tables', 0o555],
];

/** The user id of `nobody` on Linux: root can read and write everything. */
const NOBODY = 65_534;

it.each(CLOSED)('%s: fails if %s has the mode %o, and changes nothing', async (name, path, mode) => {
  const { home, output } = copyOf(name, 'larger');
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', String(NOBODY), folder]);
  const before = marksIn(home);
  chmodSync(join(home, path), mode);
  try {
    if (isRoot) process.seteuid?.(NOBODY);
    const { code, stdout } = await run(name, 'smaller', output);
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'file-system']);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(home, path), 0o755);
  }
  expect(marksIn(home)).toEqual(before);
});

/** The process id of no process. */
const DEAD = 2 ** 22 + 1;
const draft = (of: string, id = DEAD) => `.${of}.palimpsest-${machineId().slice(0, 8)}-${id}.draft`;
const hash = 'ab'.repeat(16);

/** What killed runs leave, and what users have that looks like it. */
const LEFT: readonly (readonly [Name, left: readonly string[], mine: readonly string[]])[] = [
  ['build', ['out/.palimpsest/lock', 'out/.palimpsest/stage/rest/data/page/2/index.json', 'out/.palimpsest/stage/tree.zip'], []],
  ['build', ['out/.palimpsest/stage/lines/x'], ['out/.palimpsest/mine', 'out/rest/mine', 'out/.hidden', 'out/mine.txt']],
  // the second state has no page 12
  ['build', ['out/rest/data/page/13/index.json.gz'], ['out/rest/data/page/12/mine']],
  ['html', ['out/.palimpsest/stage/browse/index.html'], ['out/browse/mine.txt', 'out/rest/data/page/2/mine']],
  ['zip', ['.history.zip.palimpsest/stage/tree.zip', '.history.zip.palimpsest/lock'], ['.other.zip.palimpsest/stage/tree.zip']],
  ['publish', [`site/.palimpsest/${hash}.partial`, `site/.palimpsest/${hash}.lock`, 'site/.palimpsest.lock'], ['site/.palimpsest/mine']],
  ['bag', [`bag/${draft('bag')}/data/index.json`], [draft('other'), `${draft('bag')}/data/index.json`]],
  ['wacz', [draft('a.wacz')], [draft('b.wacz'), '.a.wacz', 'a.wacz.draft']],
  ['export', [`tables/${draft('accounts.csv')}`], []],
];

it.each(LEFT)('%s: removes %j of a killed run, and nothing else', async (name, left, mine) => {
  const { home, output } = copyOf(name, 'larger');
  for (const path of [...left, ...mine]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), path.endsWith('lock') ? '' : 'left');
  }
  const { code, stderr } = await run(name, 'smaller', output);
  expect(code, stderr).toBe(0);
  for (const path of mine) {
    expect(existsSync(join(home, path)), path).toBe(true);
    rmSync(join(home, path));
  }
  expectResult(home, name, 'smaller');
  expect(readdirSync(home).filter((one) => one !== basename(output) && filesIn(join(home, one)).size > 0)).toEqual([]);
});

describe('the moves', () => {
  const [moved, movedLater] = [fs.renameSync, promises.rename];
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  /** Calls a function before each move into a folder, with the path in it. */
  function watch(output: string, onMove: (path: string) => void): void {
    const see = (to: fs.PathLike) => {
      const path = relative(dirname(output), String(to));
      if (!path.includes('.palimpsest') && !path.startsWith('..')) onMove(path);
    };
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (existsSync(from) && existsSync(dirname(String(to)))) see(to);
      moved(from, to);
    });
    vi.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
      see(to);
      await movedLater(from, to);
    });
    syncBuiltinESMExports();
  }

  /** Returns the paths that a command moves into place, and `-` with each watched path that is gone, in order. */
  async function movesOf(name: Name, state: State, output: string, watched: readonly string[], ...more: string[]): Promise<string[]> {
    const moves: string[] = [];
    const left = new Set(watched.filter((path) => existsSync(join(dirname(output), path))));
    const lookAt = () => {
      for (const path of left) if (!existsSync(join(dirname(output), path)) && left.delete(path)) moves.push(`- ${path}`);
    };
    watch(output, (path) => {
      lookAt();
      moves.push(path);
    });
    const { code, stderr } = await run(name, state, output, ...more);
    expect(code, stderr).toBe(0);
    lookAt();
    return moves;
  }

  const pages = (collection: string, ...numbers: readonly (number | string)[]) =>
    numbers.map((number) => `out/rest/${collection}/page/${number}/index.json`);
  const END = ['out/sort-keys.txt', 'out/manifest-sha256.txt', 'out/build.json'];

  it('of a build are the record, the feed and the accounts from the highest page to the index, and the record again', async () => {
    const { output } = copyOf('build', 'smaller');
    expect(await movesOf('build', 'larger', output, [])).toEqual([
      'out/build.json',
      ...pages('data', 'last'),
      ...[12, 11, 10, 9, 8].map((number) => `out/rest/data/page/${number}`),
      ...pages('data', 7, 6, 5, 4, 3, 2, 1),
      'out/rest/data/index.json',
      ...pages('account', 'last'),
      ...pages('account', 4, 3, 2, 1),
      'out/rest/account/index.json',
      ...END,
    ]);
  });

  it('of a build with copies are each copy before its file, and then copies and pages are removed', async () => {
    const { output } = copyOf('compressed', 'larger');
    const copies = (path: string) => ['.br', '.gz', ''].map((suffix) => path + suffix);
    const watched = ['out/rest/account/page/1/index.json.br', 'out/rest/data/page/8', 'out/rest/data/page/12'];
    const moves = await movesOf('compressed', 'smaller', output, watched);
    expect(moves).toEqual([
      'out/build.json',
      ...[...pages('data', 'last', 7, 6, 5, 4, 3, 2, 1), 'out/rest/data/index.json'].flatMap(copies),
      ...[...pages('account', 'last', 4, 3, 2, 1), 'out/rest/account/index.json'].flatMap(copies),
      ...watched.slice(1).map((path) => `- ${path}`),
      ...END,
    ]);
    const plain = await movesOf('build', 'smaller', output, watched);
    expect(plain).toEqual(['out/build.json', `- ${watched[0]}`, ...END.slice(1)]);
  });

  it.each(['data/page/2', 'data', 'data/page/last', 'account'])('of a repair is only the page in %s', async (place) => {
    const { output } = copyOf('build', 'smaller');
    writeFileSync(join(output, 'rest', place, 'index.json'), 'half');
    const moves = await movesOf('build', 'smaller', output, [], '--repair');
    expect(moves).toEqual(['out/build.json', `out/rest/${place}/index.json`, ...END.slice(1)]);
  });

  it('of a build with HTML pages are the new ones before the others, the home page after them, and then obsolete ones are removed', async () => {
    const { output } = copyOf('html', 'smaller');
    const isNew = (path: string) => !resultIn(at('smaller', 'html')).has(path);
    const moves = await movesOf('html', 'larger', output, []);
    const browse = moves.slice(moves.indexOf('out/rest/account/index.json') + 1);
    expect(browse.slice(-4)).toEqual(['out/index.html', ...END]);
    const inOrder = browse.slice(0, -4).map(isNew);
    expect([inOrder.length > 20, inOrder.indexOf(false) > 5, inOrder.lastIndexOf(true) < inOrder.indexOf(false)]).toEqual([
      true,
      true,
      true,
    ]);

    const gone = [...resultIn(output).keys()].find((path) => path.startsWith('browse/') && !existsSync(at('smaller/html/out', path))) ?? '';
    const back = await movesOf('html', 'smaller', output, [`out/${gone}`]);
    expect(back.slice(-5)).toEqual(['out/index.html', `- out/${gone}`, ...END]);
  });

  it('of a first build is one for all pages, and one for all HTML pages', async () => {
    const output = join(at(`case ${cases++}`), 'out');
    expect(await movesOf('html', 'larger', output, [])).toEqual(['out/build.json', 'out/rest', 'out/browse', 'out/index.html', ...END]);
  });

  it('of a bag take an earlier one away from its last file to its first, and then bring the new one in the opposite order', async () => {
    const { output } = copyOf('bag', 'larger');
    const names = ['bag-info.txt', 'data', 'manifest-sha256.txt', 'tagmanifest-sha256.txt', 'bagit.txt'].map((one) => `bag/${one}`);
    const watched = names.filter((one) => one !== 'bag/data');
    expect((await movesOf('bag', 'smaller', output, watched)).filter((one) => !one.startsWith('-'))).toEqual(names);
  });

  it('of tables begin when all of them are written', async () => {
    const { output } = copyOf('export', 'larger');
    const moves = await movesOf('export', 'smaller', output, []);
    expect(moves).toEqual(['records', 'accounts', 'exclusions'].map((one) => `tables/${one}.csv`));
  });

  it('of a publish are the state, the pages, and the manifest and the build record after them', async () => {
    const { output } = copyOf('publish', 'smaller');
    const moves = await movesOf('publish', 'larger', output, []);
    const last = (part: string) => moves.findLastIndex((path) => path.startsWith(`site/${part}`));
    expect(moves[0]).toBe('site/publish.json');
    expect(last('rest/')).toBeLessThan(moves.indexOf('site/manifest-sha256.txt'));
    expect(moves.at(-1)).toBe('site/publish.json');
  });

  /** Commands whose files are all old or all new after an error. Of the others, each single file is. */
  const WHOLE: readonly Name[] = ['zip', 'bag', 'wacz'];
  it.each(NAMES)('%s: a full disk before any of them loses nothing, and the next run completes them', async (name) => {
    for (let [move, isDone] = [1, false]; !isDone; move += move < 4 ? 1 : 7) {
      const { home, output } = copyOf(name, 'larger');
      let moves = 0;
      watch(output, (path) => {
        moves += 1;
        if (moves === move) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28, syscall: 'rename', path });
      });
      const { code, stdout } = await run(name, 'smaller', output);
      vi.restoreAllMocks();
      syncBuiltinESMExports();
      isDone = code === 0;
      if (!isDone) expect([move, JSON.parse(stdout).error.code]).toEqual([move, 'file-system']);
      if (isDone) expectResult(home, name, 'smaller');
      else expectResult(home, name, 'larger', ...(WHOLE.includes(name) ? [] : ['smaller' as const]));
      const next = await run(name, 'smaller', output);
      expect(next.code, next.stderr).toBe(0);
      expectResult(home, name, 'smaller');
      expect(namesBelow(home).filter((one) => /palimpsest|replaced/.test(one))).toEqual([]);
    }
  });
});
