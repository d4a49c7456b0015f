import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Output, ProcessIO } from '../../src/terminal/process-io.ts';
import { type Finished, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from './stores.ts';
import { buildArgs } from './trees.ts';

const folder = folderOfFile();
const data = fileURLToPath(new URL('../../data/', import.meta.url));
const [store, observed, tree] = ['store.db', 'observed.db', 'tree'].map((name) => join(folder, name)) as [string, string, string];

beforeAll(async () => {
  await palimpsestJson(['import', join(data, 'sample'), '--store', store]);
  await palimpsestJson(['observe', join(data, 'sample-snapshots.ndjson'), '--store', observed]);
  await palimpsestJson(buildArgs(store, tree));
});

let runs = 0;
const fresh = () => join(folder, `new ${runs++}`);

/** Runs a command. Removes the number of a {@link fresh} path from its warnings, because each run has another one. */
async function run(args: readonly string[], io: Partial<ProcessIO> = {}): Promise<Finished> {
  const ended = await palimpsestHere(args, { io });
  return { ...ended, stderr: ended.stderr.replaceAll(/new \d+/g, 'new') };
}

/** A successful call of every command that ends by itself. */
const COMMANDS: { readonly [name: string]: () => readonly string[] } = {
  import: () => ['import', join(data, 'sample'), '--store', fresh()],
  observe: () => ['observe', join(data, 'sample-snapshots.ndjson'), '--store', fresh()],
  build: () => buildArgs(store, fresh()),
  verify: () => ['verify', '--out', tree],
  publish: () => ['publish', fresh(), '--out', tree],
  'publish --dry-run': () => ['publish', fresh(), '--out', tree, '--dry-run'],
  history: () => ['history', 'nina_k', '--store', observed],
  rewrite: () => ['rewrite', 'nginx', '--out', tree],
  'rewrite without a host': () => ['rewrite'],
  '--help': () => ['--help'],
  '--version': () => ['--version'],
};

/** An output that fails at each write: a disk is full, or the reader has ended. */
function failing(code: 'ENOSPC' | 'EPIPE'): Output {
  const listeners: ((error: Error) => void)[] = [];
  const fail = (done?: () => void) => {
    for (const listener of listeners) listener(Object.assign(new Error(`${code}: write`), { code }));
    done?.();
  };
  return { write: (_, done) => process.nextTick(fail, done), on: (_, listener) => void listeners.push(listener) };
}

describe.each(Object.entries(COMMANDS))('palimpsest %s', (_, args) => {
  it('gives one clear error if standard output cannot be written', async () => {
    for (const json of [[], ['--json']]) {
      const usual = (await run([...args(), ...json])).stderr.split('\n');
      const { code, stderr } = await run([...args(), ...json], { stdout: failing('ENOSPC') });
      const errors = stderr.replace(/.*\n/g, (line) => (usual.includes(line.slice(0, -1)) ? '' : line));
      expect([code, errors]).toEqual([1, expect.stringMatching(/^error: cannot write to standard output \(file-system\)\n( {2}\w.*\n)+$/)]);
    }
  });

  it('succeeds even if nobody reads its output or its errors', async () => {
    const { stderr } = await run(args());
    expect(await run(args(), { stdout: failing('EPIPE') })).toMatchObject({ code: 0, stderr });
    expect(await palimpsestHere(args(), { io: { stderr: failing('ENOSPC') } })).toMatchObject({ code: 0 });
  });
});

it.each(['ndjson', 'csv', 'parquet'])('does not call an export complete (%s) if its output cannot be written', async (format) => {
  const args = ['export', format, '--to', '-', '--store', store];
  const { code, stderr } = await palimpsestHere(args, { io: { stdout: failing('ENOSPC') } });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the output is incomplete')]);
  expect(stderr).not.toContain('the command itself is complete');
});

it.each<[string, readonly string[], number]>([
  ['a failure', ['build', '--store', join(folder, 'nowhere'), '--base-url', 'https://example.org'], 1],
  ['wrong usage', ['build', '--nonsense'], 2],
  ['a guard', buildArgs(store, folder), 3],
])('%s keeps its exit code if nobody reads the errors', async (_, args, code) => {
  expect(await palimpsestHere(args, { io: { stderr: failing('EPIPE') } })).toMatchObject({ code });
  for (const why of ['EPIPE', 'ENOSPC'] as const)
    expect(await palimpsestHere([...args, '--json'], { io: { stdout: failing(why) } })).toMatchObject({ code });
});
