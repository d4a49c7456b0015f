import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { BIN, palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { folderOfFile } from './stores.ts';
import { buildArgs } from './trees.ts';

const folder = folderOfFile();
const data = fileURLToPath(new URL('../../data/', import.meta.url));
const store = join(folder, 'store.db');
const tree = join(folder, 'tree');
const full = requirement('/dev/full', () => existsSync('/dev/full'));

beforeAll(async () => {
  await palimpsestJson(['import', join(data, 'sample'), '--store', store]);
  await palimpsestJson(buildArgs(store, tree));
});

let runs = 0;
const fresh = () => join(folder, `new ${runs++}`);

/** A successful call of every command that ends by itself. */
const COMMANDS: { readonly [name: string]: () => readonly string[] } = {
  import: () => ['import', join(data, 'sample'), '--store', fresh()],
  observe: () => ['observe', join(data, 'sample-snapshots.ndjson'), '--store', fresh()],
  build: () => buildArgs(store, fresh()),
  verify: () => ['verify', '--out', tree],
  publish: () => ['publish', fresh(), '--out', tree],
  'publish --plan': () => ['publish', fresh(), '--out', tree, '--plan'],
  history: () => ['history', 'nina_k', '--store', join(folder, 'observed.db')],
  rewrite: () => ['rewrite', 'nginx', '--out', tree],
  'rewrite --list': () => ['rewrite', '--list'],
  '--help': () => ['--help'],
  '--version': () => ['--version'],
};

beforeAll(() => palimpsestJson(['observe', join(data, 'sample-snapshots.ndjson'), '--store', join(folder, 'observed.db')]));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program with its streams redirected by a shell. */
function redirected(redirection: string, args: readonly string[]): Promise<Ended> {
  return ended(spawn('sh', ['-c', `exec "$@" ${redirection}`, 'sh', process.execPath, BIN, ...args]));
}

function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (piece) => (stdout += String(piece)));
    child.stderr?.on('data', (piece) => (stderr += String(piece)));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs the program with a closed pipe as one of its streams. */
function unread(stream: 'stdout' | 'stderr', args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child[stream]?.destroy();
  return ended(child);
}

/** The lines that `rewrite` writes to its standard error beside its file. */
let rewriteNotes: Promise<ReadonlySet<string>> | undefined;

/** Returns the errors in a standard error, without the notes of `rewrite`. */
async function errorsIn(name: string, args: readonly string[], stderr: string): Promise<string> {
  if (name !== 'rewrite') return stderr;
  rewriteNotes ??= redirected('', args).then((usual) => new Set(usual.stderr.split('\n')));
  const notes = await rewriteNotes;
  return stderr.replace(/.*\n/g, (line) => (notes.has(line.slice(0, -1)) ? '' : line));
}

/**
 * The commands that are also started with closed streams: one that reads its input, and one that writes to both outputs.
 * Node.js opens /dev/null for a stream that is closed at the start, before the program runs.
 */
const WITH_CLOSED_STREAMS = ['observe', 'rewrite'];

it.skipIf(full.skip).each(['ndjson', 'csv', 'parquet'])(
  'does not call an export complete (%s) if its output cannot be written',
  async (format) => {
    const { code, stderr } = await redirected('>/dev/full', ['export', format, '--to', '-', '--store', store]);
    expect(stderr).toContain('the output is incomplete');
    expect(stderr).not.toContain('the command itself is complete');
    expect(code).toBe(1);
  },
);

describe.each(Object.entries(COMMANDS))('palimpsest %s', (name, args) => {
  it.skipIf(full.skip)('gives one clear error if standard output cannot be written', async () => {
    for (const json of [[], ['--json']]) {
      const { code, stderr } = await redirected('>/dev/full', [...args(), ...json]);
      expect(await errorsIn(name, args(), stderr)).toMatch(/^error: cannot write to standard output \(file-system\)\n( {2}\w.*\n)+$/);
      expect(code).toBe(1);
    }
  });

  it('succeeds even if nobody reads its output or its errors', async () => {
    const endings = await Promise.all([
      unread('stdout', args()),
      unread('stderr', args()),
      ...(WITH_CLOSED_STREAMS.includes(name) ? ['2>&-', '>&-', '<&-'] : []).map((closed) => redirected(closed, args())),
      ...(full.skip ? [] : [redirected('2>/dev/full', args())]),
    ]);
    const outcomes = await Promise.all(endings.map(async ({ code, stderr }) => [code, await errorsIn(name, args(), stderr)]));
    expect(outcomes).toEqual(endings.map(() => [0, '']));
  });
});

it.each<[string, readonly string[], number]>([
  ['a failure', ['build', '--store', join(folder, 'nowhere'), '--base-url', 'https://example.org'], 1],
  ['wrong usage', ['build', '--nonsense'], 2],
  ['a guard', [...buildArgs(store, folder)], 3],
])('%s keeps its exit code if nobody reads the errors', async (_, args, wanted) => {
  const endings = await Promise.all([
    unread('stderr', args),
    redirected('2>&-', args),
    unread('stdout', [...args, '--json']),
    ...(full.skip ? [] : [redirected('2>/dev/full', args), redirected('>/dev/full', [...args, '--json'])]),
  ]);
  expect(endings.map(({ code }) => code)).toEqual(endings.map(() => wanted));
});

describe('a closed standard input', () => {
  it('gives an error in a command that reads it', async () => {
    const { code, stdout } = await redirected('<&-', ['import', '-', '--store', fresh(), '--json']);
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'bad-json']);
  });
});
