import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { FAILURES } from '../../src/contract/failure.ts';
import { palimpsest, palimpsestJson, type RunOptions } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';
import { folderOfFile } from './stores.ts';
import { buildArgs } from './trees.ts';

const folder = folderOfFile();
const data = fileURLToPath(new URL('../../data/', import.meta.url));
const tree = join(folder, 'tree');
const store = join(folder, 'store.db');
/** The user id of `nobody` on Linux. Tests that run as root use it, because root can read everything. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

/** Commands that read or write paths. `PATH` is replaced by the hostile path, `NEW` by a new one. */
const COMMANDS: { readonly [name: string]: readonly string[] } = {
  'import a source': ['import', 'PATH', '--store', 'NEW'],
  'import into a store': ['import', join(data, 'sample'), '--store', 'PATH'],
  'import with rejects': ['import', join(data, 'sample'), '--store', 'NEW', '--rejects', 'PATH'],
  'observe a source': ['observe', 'PATH', '--store', 'NEW'],
  'observe into a store': ['observe', join(data, 'sample-snapshots.ndjson'), '--store', 'PATH'],
  'build from a store': buildArgs('PATH', 'NEW'),
  'build a tree': buildArgs(store, 'PATH'),
  'repair a tree': [...buildArgs(store, 'PATH'), '--repair'],
  'serve a tree': ['serve', '--port', '0', '--out', 'PATH'],
  'verify a tree': ['verify', '--out', 'PATH'],
  'verify against a store': ['verify', '--out', tree, '--store', 'PATH'],
  'publish a tree': ['publish', 'NEW', '--out', 'PATH'],
  'publish to a folder': ['publish', 'PATH', '--out', tree],
  'plan for a folder': ['publish', 'PATH', '--out', tree, '--plan'],
  'history in a store': ['history', 'nina_k', '--store', 'PATH'],
  'rewrite into a folder': ['rewrite', 'nginx', '--out', tree, '--host-files', 'PATH'],
  'rewrite for a tree': ['rewrite', 'nginx', '--out', 'PATH', '--host-files', 'NEW'],
};

/** Commands that may succeed with a kind of path. */
const MAY_SUCCEED: { readonly [kind: string]: readonly string[] } = {
  'a file': ['import a source', 'import with rejects', 'observe a source'],
};

const KINDS: { readonly [kind: string]: () => string } = {
  'a file': () => {
    const path = join(folder, 'a file');
    copyFileSync(join(data, 'sample-snapshots.ndjson'), path);
    return path;
  },
  'a folder with other contents': () => {
    const path = join(folder, 'a folder');
    mkdirSync(join(path, 'rest/data/index.json'), { recursive: true });
    mkdirSync(join(path, 'palimpsest.conf'), { recursive: true });
    writeFileSync(join(path, 'publish.json'), 'mine');
    return path;
  },
  'a path below a file': () => {
    writeFileSync(join(folder, 'above'), 'mine');
    return join(folder, 'above/below/it');
  },
  'a path of 5,000 characters': () => join(folder, 'deep/'.repeat(1000)),
  'a name of 300 characters': () => join(folder, 'n'.repeat(300)),
  'a link to itself': () => {
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    return join(folder, 'loop');
  },
  'a device': () => '/dev/full',
  'a folder that nobody can read': () => {
    const path = join(folder, 'unreadable');
    mkdirSync(path);
    chmodSync(path, 0);
    return path;
  },
  'a path below a folder that nobody can read': () => join(folder, 'unreadable/below'),
};

beforeAll(async () => {
  // another user must be able to enter it
  chmodSync(folder, 0o777);
  await palimpsestJson(['import', join(data, 'sample'), '--store', store]);
  await palimpsestJson(buildArgs(store, tree));
  for (const path of [tree, store]) execFileSync('chmod', ['-R', 'a+rwX', path]);
});

let runs = 0;

/** Runs a command. Returns the code of its error, or `done`. */
async function outcome(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, signal, stdout, stderr } = await palimpsest([...args, '--json'], {
    ...options,
    onStart: (process) => void setTimeout(() => process.kill('SIGKILL'), 30_000).unref(),
  });
  const shown = `${args.join(' ').slice(0, 200)}: ${stderr}${stdout}`.slice(0, 2000);
  expect(signal, shown).toBe(null);
  expect(stderr, shown).not.toMatch(/^ {4}at |bug in palimpsest|UnhandledPromise/m);
  if (code === 0) return 'done';
  expect(stdout, shown).toContain('"error":{');
  const { error } = JSON.parse(stdout);
  expect(Object.entries(FAILURES), shown).toContainEqual([error.code, code]);
  expect(error.message, shown).not.toBe('');
  return error.code;
}

describe.each(Object.keys(KINDS))('%s as a path', (kind) => {
  it('gives one clear error in every command', async () => {
    const path = KINDS[kind]?.() ?? '';
    const wrong: string[] = [];
    await Promise.all(
      Object.entries(COMMANDS).map(async ([name, args]) => {
        runs += 1;
        const fresh = join(folder, `new ${runs}`);
        const given = args.map((arg) => (arg === 'PATH' ? path : arg === 'NEW' ? fresh : arg));
        const ended = await outcome(given, { uid: kind.includes('nobody') ? uid : undefined });
        if (ended === 'done' && !MAY_SUCCEED[kind]?.includes(name)) wrong.push(name);
      }),
    );
    expect(wrong, 'commands that end with 0').toEqual([]);
  });
});

it('an unreadable folder or file inside a folder gives one clear error in every command that reads it', async () => {
  const sources = join(folder, 'sources');
  cpSync(join(data, 'sample'), sources, { recursive: true });
  mkdirSync(join(sources, 'secret'));
  const secretFile = join(folder, 'secret file');
  writeFileSync(secretFile, '{}');
  const half = join(folder, 'half a tree');
  cpSync(tree, half, { recursive: true });
  const linked = join(folder, 'unreadable store.db');
  copyFileSync(store, linked);
  execFileSync('chmod', ['-R', 'a+rwX', half, sources]);
  for (const path of [join(sources, 'secret'), join(half, 'rest/account'), secretFile, linked]) chmodSync(path, 0);
  const fresh = () => join(folder, `new ${runs++}`);
  const runsOf: readonly (readonly [readonly string[], string])[] = [
    [['import', sources, '--store', fresh()], 'no-source'],
    // its files with records are the first error, and the unreadable folder is a further one
    [['observe', sources, '--store', fresh()], 'bad-field'],
    [['import', secretFile, '--store', fresh()], 'bad-source'],
    [['verify', '--out', half], 'done'],
    [['publish', fresh(), '--out', half], 'tree-edited'],
    [['rewrite', 'cloudflare-workers', '--out', half], 'file-system'],
    [buildArgs(store, half, ['--repair']), 'file-system'],
    [buildArgs(linked, fresh()), 'file-system'],
    [['history', 'nina_k', '--store', linked], 'file-system'],
  ];
  const found = await Promise.all(
    runsOf.map(async ([args]) => {
      if (args[0] !== 'verify') return outcome(args, { uid });
      const { code, stderr } = await palimpsest(args, { uid });
      return code === 1 && stderr === '' ? 'done' : stderr;
    }),
  );
  expect(runsOf.map(([args], index) => [args[0], found[index]])).toEqual(runsOf.map(([args, code]) => [args[0], code]));
});

it('a missing or read-only TMPDIR gives one clear error, but only in commands that need temporary files', async () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  const snapshots = join(data, 'sample-snapshots.ndjson');
  for (const TMPDIR of cases([join(folder, 'nowhere'), closed, join(folder, 'deep/'.repeat(1000))])) {
    const options = { env: { TMPDIR }, uid };
    const new1 = join(folder, `new ${runs++}`);
    expect(await outcome(['observe', snapshots, '--store', join(folder, `new ${runs++}`), '--dry-run'], options)).toBe('file-system');
    expect(await outcome(['observe', snapshots, '--store', new1], options)).toBe('done');
    expect(await outcome(buildArgs(new1, join(folder, `new ${runs++}`)), options)).toBe('done');
    expect(await outcome(['history', 'nina_k', '--store', new1], options)).toBe('done');
  }
});
