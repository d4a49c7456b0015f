import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/command-line/commands.ts';
import { isSwitch } from '../../src/command-line/refusals.ts';
import type { CommandSpec } from '../../src/command-line/spec.ts';
import { allCommands } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const SPECS: { readonly [name: string]: CommandSpec } = COMMANDS;

/** The arguments with which each command succeeds in the folder below, without the option that makes it print a result. */
const ARGS: { readonly [name: string]: string } = {
  import: 'records.ndjson --store new.db',
  observe: 'night.ndjson',
  normalize: 'night.ndjson --to part.ndjson',
  build: '--out new --base-url https://example.org',
  verify: '--store data/palimpsest.db',
  publish: 'pub',
  versions: 'site',
  history: 'ann',
  accounts: '',
  remove: 'bob --yes',
  exclusions: 'zoe',
  rewrite: 'nginx',
  'archive wacz': '--to a.wacz',
  'archive warc': '--to a.warc',
  'archive bag': '--to bag',
  'export ndjson': '--to a.ndjson',
  'export csv': '--to tables',
  'export parquet': '--to tables',
  'store check': '',
  'store push': 'backup',
  'store pull': 'backup',
  'store versions': 'backup',
};
/** Commands that run until they are stopped, need a service, or have no text but their result. */
const OTHERS = ['serve', 'mirror', 'completion'];

/** The value that follows an option in these tests. */
const VALUES: { readonly [option: string]: string } = { '--to': '--to host' };

/** The options with which a command prints its result, and those with which it prints only words about its work. */
const RESULTS = Object.entries(SPECS)
  .filter(([, { result, options }]) => '--dry-run' in options || result !== undefined)
  .map(([name, { options }]) => [name, '--dry-run' in options ? '--dry-run' : ''] as const);
const WORK = Object.entries(SPECS).flatMap(([name, { result }]) => {
  if (OTHERS.includes(name) || result === 'always') return [];
  return [[name, result === undefined ? '' : (VALUES[result.without] ?? result.without)] as const];
});

const base = folderOfFile();

beforeAll(async () => {
  const night = (hour: number, ...names: string[]) =>
    names.map((screen_name) => `${JSON.stringify({ observed_at: `2024-01-0${hour}T00:00:00Z`, screen_name, bio: `${hour}` })}\n`).join('');
  await palimpsestJson(['observe', '-'], { cwd: base, input: night(1, 'ann', 'bob', 'zoe') });
  await palimpsestJson(['remove', 'zoe', '--yes'], { cwd: base });
  writeFileSync(join(base, 'night.ndjson'), night(2, 'ann', 'bob'));
  for (const args of [
    'export ndjson --to records.ndjson',
    'build --base-url https://example.org',
    'build --base-url https://example.org --out history.zip',
    'publish site --out history.zip',
    'store push backup',
  ])
    await palimpsestJson(args.split(' '), { cwd: base });
});

/** Runs a command in a copy of the folder. Returns what it printed, without times. */
async function printed(name: string, more: string, env: Readonly<Record<string, string>> = {}, args = ARGS[name]): Promise<string> {
  const cwd = temporaryFolder();
  cpSync(base, cwd, { recursive: true });
  const words = `${name} ${args} ${more}`.split(' ').filter((word) => word !== '');
  const { code, stdout, stderr } = await palimpsestHere(words, { cwd, env });
  expect([code, name], stderr).toEqual([0, name]);
  return stdout.replaceAll(/\d+\.\d s/g, 'a time');
}

/** Every switch of every command, as a variable that says no. */
const ALL_OFF = Object.fromEntries(
  allCommands().flatMap(([, { options }]) =>
    options.flatMap((one) => (isSwitch(one) && one.envVar !== undefined ? [[one.envVar, 'no'] as const] : [])),
  ),
);

describe('a quiet command', () => {
  it('is in the table here', () => {
    expect([...Object.keys(ARGS), ...OTHERS].toSorted()).toEqual(Object.keys(SPECS).toSorted());
  });

  it.each(RESULTS)('prints the result that was asked for: %s %s', async (name, option) => {
    const result = await printed(name, option);
    expect(result).not.toBe('');
    expect(await printed(name, `${option} --quiet`)).toBe(result);
    expect(await printed(name, option, ALL_OFF), 'with a variable for each switch that says no').toBe(result);
  });

  it.each(WORK)('prints no words about its work: %s %s', async (name, option) => {
    const words = await printed(name, option);
    expect(words).not.toBe('');
    expect(await printed(name, `${option} --quiet`)).toBe('');
    expect(await printed(name, option, ALL_OFF), 'with a variable for each switch that says no').toBe(words);
  });

  it.each(['export ndjson', 'export csv', 'export parquet'])('writes the whole output of %s to standard output', async (name) => {
    const result = await printed(name, '', {}, '--to -');
    expect(result).not.toBe('');
    expect(await printed(name, '--quiet', {}, '--to -')).toBe(result);
  });

  it('prints what it found if its exit code is not 0', async () => {
    const cwd = temporaryFolder();
    cpSync(base, cwd, { recursive: true });
    writeFileSync(join(cwd, 'out', 'rest', 'data', 'index.json'), '{}');
    const { code, stdout } = await palimpsestHere(['verify', '--quiet'], { cwd });
    expect([code, stdout]).toEqual([1, expect.stringContaining('rest/data/index.json')]);
  });
});
