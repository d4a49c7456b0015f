import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { palimpsestJson } from '../support/palimpsest.ts';
import { outcomesOf } from './one-process.ts';
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
  'plan for a folder': ['publish', 'PATH', '--out', tree, '--dry-run'],
  'history in a store': ['history', 'nina_k', '--store', 'PATH'],
  'rewrite into a folder': ['rewrite', 'nginx', '--out', tree, '--to', 'PATH'],
  'rewrite for a tree': ['rewrite', 'nginx', '--out', 'PATH', '--to', 'NEW'],
};

/** The commands that succeed with a file. */
const WITH_A_FILE = ['import a source', 'import with rejects', 'observe a source'];

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
  'a path below a folder that nobody can read': () => {
    mkdirSync(join(folder, 'closed'), { mode: 0 });
    return join(folder, 'closed/below');
  },
};

beforeAll(async () => {
  // another user must be able to enter it
  chmodSync(folder, 0o777);
  await palimpsestJson(['import', join(data, 'sample'), '--store', store]);
  await palimpsestJson(buildArgs(store, tree));
  for (const path of [tree, store]) execFileSync('chmod', ['-R', 'a+rwX', path]);
});

let runs = 0;
const fresh = () => join(folder, `new ${runs++}`);

it.each(Object.keys(KINDS))('%s as a path gives one clear error in every command', async (kind) => {
  const path = KINDS[kind]?.() ?? '';
  const lines = Object.values(COMMANDS).map((args) => args.map((arg) => (arg === 'PATH' ? path : arg === 'NEW' ? fresh() : arg)));
  const found = await outcomesOf(lines, { uid: kind.includes('nobody') ? uid : undefined });
  const done = Object.keys(COMMANDS).filter((_, index) => found[index]?.error === undefined);
  expect(done.filter((name) => kind !== 'a file' || !WITH_A_FILE.includes(name))).toEqual([]);
});

it('an unreadable folder or file inside a folder gives one clear error in every command that reads it', async () => {
  const sources = join(folder, 'sources');
  cpSync(join(data, 'sample'), sources, { recursive: true });
  mkdirSync(join(sources, 'secret'));
  const secretFile = join(folder, 'secret file');
  writeFileSync(secretFile, '{}');
  const half = join(folder, 'half a tree');
  cpSync(tree, half, { recursive: true });
  const closed = join(folder, 'unreadable store.db');
  copyFileSync(store, closed);
  execFileSync('chmod', ['-R', 'a+rwX', half, sources]);
  for (const path of [join(sources, 'secret'), join(half, 'rest/account'), secretFile, closed]) chmodSync(path, 0);
  const runsOf: readonly (readonly [readonly string[], string | undefined])[] = [
    [['import', sources, '--store', fresh()], 'no-source'],
    // its files with records are the first error, and the unreadable folder is a further one
    [['observe', sources, '--store', fresh()], 'bad-field'],
    [['import', secretFile, '--store', fresh()], 'bad-source'],
    [['verify', '--out', half], undefined],
    [['publish', fresh(), '--out', half], 'tree-edited'],
    [['rewrite', 'cloudflare-workers', '--out', half], 'file-system'],
    [buildArgs(store, half, ['--repair']), 'file-system'],
    [buildArgs(closed, fresh()), 'file-system'],
    [['history', 'nina_k', '--store', closed], 'file-system'],
  ];
  const found = await outcomesOf(
    runsOf.map(([args]) => args),
    { uid },
  );
  expect(runsOf.map(([args], index) => [args[0], found[index]?.error?.code])).toEqual(runsOf.map(([args, code]) => [args[0], code]));
  // verify reports the missing files
  expect(found[3]).toMatchObject({ code: 1 });
});

it.each([
  ['that is closed', 0o555],
  ['that is missing', undefined],
])('a TMPDIR %s gives one clear error, but only in commands that need temporary files', async (name, mode) => {
  const TMPDIR = join(folder, `temporary folder ${name}`);
  if (mode !== undefined) mkdirSync(TMPDIR, { mode });
  const [made, snapshots] = [fresh(), join(data, 'sample-snapshots.ndjson')];
  const lines = [
    ['observe', snapshots, '--store', fresh(), '--dry-run'],
    ['observe', snapshots, '--store', made],
    buildArgs(made, fresh()),
    ['history', 'nina_k', '--store', made],
  ];
  const found = await outcomesOf(lines, { env: { TMPDIR }, uid });
  expect(found.map(({ error }) => error?.code)).toEqual(['file-system', undefined, undefined, undefined]);
});
