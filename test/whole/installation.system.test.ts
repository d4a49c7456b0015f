import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';

const PACKAGE = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'));

/** Runs a command in a process that runs a script first. */
async function runAfter(script: string, ...args: string[]) {
  const cwd = temporaryFolder();
  await palimpsestJson(['observe', '-', '--store', 'store.db'], {
    cwd,
    input: '{"observed_at":"2024-01-01T00:00:00Z","screen_name":"ann","bio":"a"}',
  });
  writeFileSync(join(cwd, 'before.cjs'), script);
  return palimpsest(args, { cwd, env: { NODE_OPTIONS: `--require "${join(cwd, 'before.cjs')}"` }, input: '{}' });
}

/** What loading the binary of better-sqlite3 throws. */
const LOADING = {
  'is missing': `Object.assign(new Error("Cannot find module"), { code: 'MODULE_NOT_FOUND' })`,
  'is for another release of Node.js': `Object.assign(new Error("The module was compiled\\nagainst another version"), { code: 'ERR_DLOPEN_FAILED' })`,
};

it.each(Object.entries(LOADING))('a binary of better-sqlite3 that %s is one error with the command that makes it', async (_, error) => {
  const script = `require('node:module')._extensions['.node'] = () => { throw ${error}; };`;
  for (const command of cases(['import -', 'accounts'])) {
    const { code, stdout, stderr } = await runAfter(script, ...command.split(' '), '--store', 'store.db', '--json');
    expect([code, stderr.split('\n')[0]], command).toEqual([1, 'error: SQLite cannot be loaded (no-sqlite)']);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'no-sqlite', hint: expect.stringContaining('npm rebuild better-sqlite3') });
  }
});

it('a release of Node.js that is too old is one sentence', async () => {
  const [, least = ''] = />=([\d.]+)/.exec(PACKAGE.engines.node) ?? [];
  const as = (release: string) => `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${release}' } });`;
  expect(await runAfter(as('18.20.4'), 'accounts', '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `error: palimpsest needs Node.js ${least} or newer, but this is 18.20.4\n`,
  });
  const [major, minor] = least.split('.').map(Number);
  expect((await runAfter(as(`${major}.${Number(minor) - 1}.9`), '--version')).code).toBe(1);
  for (const release of cases([`${least}.0`, '22.0.0'])) expect((await runAfter(as(release), '--version')).code).toBe(0);
});
