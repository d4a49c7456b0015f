import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from './stores.ts';
import { buildArgs } from './trees.ts';

const folder = folderOfFile();
const data = fileURLToPath(new URL('../../data/', import.meta.url));
const store = join(folder, 'store.db');
const tree = join(folder, 'tree');
let runs = 0;
const fresh = () => join(folder, `new ${runs++}`);

beforeAll(async () => {
  await palimpsestJson(['import', join(data, 'sample'), '--store', store]);
  await palimpsestJson(buildArgs(store, tree));
  await palimpsestJson(['observe', join(data, 'sample-snapshots.ndjson'), '--store', join(folder, 'observed.db')]);
});

/** A name that clears the screen, sets the title of the window, rings the bell, and looks like an error on a separate line. */
const EVIL = '\u001b[2J\u001b]0;title\u0007\r\nerror: none (x)\u009b31m';
/** Characters that must not reach a terminal: all control characters except line breaks, and the forged error. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|^error: none/m;

describe('escape sequences and line breaks in input', () => {
  const path = join(folder, EVIL);

  it.each<[string, () => readonly string[], number]>([
    ['a missing source', () => ['import', `${path}.missing`, '--store', fresh()], 1],
    ['an unknown account', () => ['history', EVIL, '--store', join(folder, 'observed.db')], 1],
    ['an option', () => ['build', `--${EVIL}`, '--base-url', 'https://example.org'], 2],
    ['a command', () => [EVIL], 2],
    ['a field', () => ['history', 'jack', '--field', EVIL], 2],
    ['a summary of an import', () => ['import', join(data, 'sample'), '--store', path], 0],
    ['a summary of a build', () => buildArgs(store, join(folder, `out ${EVIL}`)), 0],
    ['a summary of a verification', () => ['verify', '--out', join(folder, `tree ${EVIL}`)], 1],
    ['a plan', () => ['publish', join(folder, `plan ${EVIL}`), '--out', tree, '--dry-run'], 0],
  ])('do not reach the terminal with %s', async (_, args, wanted) => {
    const broken = join(folder, `tree ${EVIL}`);
    if (!existsSync(broken)) {
      cpSync(tree, broken, { recursive: true });
      cpSync(join(data, 'sample-snapshots.ndjson'), join(broken, `stray ${EVIL}`));
    }
    const { code, stdout, stderr } = await palimpsestHere(args());
    expect([code, stdout + stderr]).toEqual([wanted, expect.not.stringMatching(CONTROL)]);
  });

  it('do not reach the terminal with a warning', async () => {
    const { code, stderr } = await palimpsestHere(['rewrite', 'nginx'], { env: { PALIMPSEST_OUT: join(folder, `no tree ${EVIL}`) } });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: there is no finished tree in /)]);
    expect(stderr).not.toMatch(CONTROL);
  });

  it('stay unchanged in --json', async () => {
    const missing = await palimpsestHere(['import', `${path}.missing`, '--store', fresh(), '--json']);
    expect(JSON.parse(missing.stdout).error).toMatchObject({ file: `${path}.missing`, message: `cannot read ${path}.missing` });
    const account = await palimpsestHere(['history', EVIL, '--store', join(folder, 'observed.db'), '--json']);
    expect(JSON.parse(account.stdout).error).toMatchObject({ code: 'no-account', found: EVIL });
    const usage = await palimpsestHere(['build', `--${EVIL}`, '--base-url', 'https://example.org', '--json']);
    expect(JSON.parse(usage.stdout).error).toMatchObject({ code: 'usage', message: `unknown option '--${EVIL}'` });
  });
});

describe('wrong usage', () => {
  it.each<[string, readonly string[]]>([
    ['a missing argument', ['publish']],
    ['an unknown option', ['verify', '--nonsense']],
    ['an unknown command', ['nonsense']],
    ['no command', []],
    ['an invalid value', ['serve', '--port', 'abc']],
  ])('gives a JSON error with --json and with PALIMPSEST_JSON: %s', async (_, args) => {
    const asked = args.length === 0 ? { env: { PALIMPSEST_JSON: 'yes' } } : {};
    const flag = await palimpsestHere(args.length === 0 ? args : [...args, '--json'], asked);
    const variable = await palimpsestHere(args, { env: { PALIMPSEST_JSON: '1' } });
    const off = await palimpsestHere(args, { env: { PALIMPSEST_JSON: '0' } });
    expect([flag.code, variable.code, off.code, off.stdout]).toEqual([2, 2, 2, '']);
    expect(JSON.parse(variable.stdout)).toMatchObject({
      error: { code: 'usage', message: expect.stringMatching(/^[^(].*/), hint: expect.any(String) },
    });
    expect(JSON.parse(flag.stdout)).toEqual(JSON.parse(variable.stdout));
  });

  it.each<[string, string, readonly string[]]>([
    ['PALIMPSEST_PORT', 'abc', ['serve']],
    ['PALIMPSEST_MENTION_URL', 'x', ['observe', 'x']],
  ])('in a variable gives an error that names the variable: %s=%s', async (variable, value, args) => {
    const { code, stdout, stderr } = await palimpsestHere([...args, '--json'], { env: { [variable]: value } });
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'usage']);
    expect(stderr).toContain(variable);
  });
});
