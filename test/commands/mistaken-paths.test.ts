import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));
const observing = (cwd: string) => palimpsestJson(['observe', join(DATA, 'sample-snapshots.ndjson')], { cwd });

/** A folder with a store and its tree. */
async function built(): Promise<string> {
  const cwd = temporaryFolder();
  await palimpsestJson(['import', join(DATA, 'sample')], { cwd });
  await palimpsestJson(['build', '--base-url', 'https://example.org'], { cwd });
  return cwd;
}

it('verify suggests to name another store, and no repair, if the store does not know the state of the tree', async () => {
  const [cwd, other] = [await built(), temporaryFolder()];
  await observing(other);
  await palimpsestJson(['publish', 'pub'], { cwd });
  for (const [args, last] of [
    [[], /\nor: replace this tree with one of .*palimpsest.db: .* --replace-tree\n$/],
    [['pub'], / verify pub --store FILE\n$/],
  ] as const) {
    // a variable can be for other commands of the same job
    const env = args.length === 0 ? {} : { PALIMPSEST_OUT: 'elsewhere' };
    const { code, stdout } = await palimpsestHere(['verify', ...args, '--store', join(other, 'data/palimpsest.db')], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /next: name the store of this tree, because .*palimpsest.db does not know the state of this tree: .*--store FILE\n/,
    );
    expect(stdout).toMatch(last);
    expect(stdout).not.toMatch(/--repair|the store has changed/);
  }
});

it('verify does not suggest another store if the tree has an earlier state of the store', async () => {
  const cwd = await built();
  await observing(cwd);
  expect(await palimpsestHere(['verify', '--store', 'data/palimpsest.db'], { cwd })).toMatchObject({
    code: 1,
    stdout: expect.not.stringContaining('does not know'),
  });
});

it.each([
  ['publish absent --rollback', 'there is no folder absent', '--prefix'],
  ['verify absent', 'there is no tree at absent', 'name another target'],
  ['archive warc -o my.warc --to x.warc', 'there is no tree in my.warc', 'the archive is --to'],
])('%s says that nothing is there, and suggests no build', async (line, message, hint) => {
  const { code, stdout } = await palimpsestHere([...line.split(' '), '--json'], { cwd: temporaryFolder() });
  expect([code, JSON.parse(stdout).error]).toMatchObject([1, { message, hint: expect.stringContaining(hint) }]);
});

it.each([
  ['h.zip', ['build', '--out']],
  ['e.ndjson', ['export', 'ndjson', '--to']],
  ['e.csv', ['export', 'csv', '--to']],
  ['w.wacz', ['archive', 'wacz', '--to']],
  ['w.warc.gz', ['archive', 'warc', '--to']],
  ['p.ndjson.gz', ['normalize', join(DATA, 'sample-snapshots.ndjson'), '--to']],
])('%s is written to the file behind a link, also if there is none yet', async (name, args) => {
  const cwd = await built();
  const [link, file] = [join(cwd, name), join(cwd, 'elsewhere', name)];
  mkdirSync(join(cwd, 'elsewhere'));
  symlinkSync(join('elsewhere', name), link);
  for (const _ of ['new', 'again']) {
    expect(await palimpsestHere([...args, name], { cwd })).toMatchObject({ code: 0 });
    expect([lstatSync(link).isSymbolicLink(), statSync(file).isFile(), readdirSync(join(cwd, 'elsewhere'))]).toEqual([true, true, [name]]);
  }
  symlinkSync(`circle.${name}`, join(cwd, `circle.${name}`));
  expect(await palimpsestHere([...args, `circle.${name}`], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(file-system)'),
  });
});

it('store push refuses a folder that has a site in one of its folders', async () => {
  const cwd = await built();
  await palimpsestJson(['publish', 'public/site'], { cwd });
  const { code, stdout } = await palimpsestHere(['store', 'push', 'public', '--json'], { cwd });
  const error = { code: 'not-ours', file: 'site/publish.json', message: expect.stringContaining('contains a public site') };
  expect([code, JSON.parse(stdout).error]).toMatchObject([3, error]);
  expect(readdirSync(join(cwd, 'public'))).toEqual(['site']);
});

it.each([
  ['store versions', 'no-store'],
  ['versions', 'no-tree'],
])('%s refuses a folder that does not exist, and accepts an empty one', async (command, code) => {
  const cwd = temporaryFolder();
  const { code: exit, stdout } = await palimpsestHere([...command.split(' '), 'absent', '--json'], { cwd });
  expect([exit, JSON.parse(stdout).error]).toMatchObject([1, { code, file: 'absent' }]);
  expect(await palimpsestHere([...command.split(' '), '.'], { cwd })).toMatchObject({ code: 0 });
});

it('nothing is exported into a tree, because every file there is published', async () => {
  const cwd = await built();
  mkdirSync(join(cwd, 'versions'));
  writeFileSync(join(cwd, 'versions/palimpsest.json'), '{}');
  const before = readdirSync(join(cwd, 'out'), { recursive: true });
  for (const line of [
    'export csv --to out',
    'export csv --to versions/tables',
    'export parquet --to out/tables',
    'export ndjson --to out/rest/a.ndjson',
    'archive warc --to out/a.warc',
    'normalize - --to out/a.ndjson',
  ])
    expect(await palimpsestHere(line.split(' '), { cwd }), line).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is inside the tree'),
    });
  expect(readdirSync(join(cwd, 'out'), { recursive: true })).toEqual(before);
});

it('a tree that cannot be looked at does not fail an import that has succeeded', async () => {
  const options = { env: { PALIMPSEST_OUT: 'x'.repeat(300) } };
  const { code, stdout } = await palimpsestHere(['import', join(DATA, 'sample'), '--store', join(temporaryFolder(), 's.db')], options);
  expect([code, stdout]).toEqual([0, expect.stringContaining('\nnext: ')]);
});

it.each(['publish', 'store push'])('%s to a file says that it is no folder, and which options name a store and a tree', async (command) => {
  const cwd = await built();
  for (const [target, found] of [
    ['data/palimpsest.db', /^a file$/],
    ['data/palimpsest.db/below', /^a file at .*palimpsest\.db$/],
  ] as const) {
    const { code, stdout } = await palimpsestHere([...command.split(' '), target, '--json'], { cwd });
    const error = { code: 'not-ours', file: target, expected: 'a folder, or nothing', found: expect.stringMatching(found) };
    expect([code, JSON.parse(stdout).error]).toMatchObject([3, { ...error, hint: expect.stringContaining('--store') }]);
  }
});

it('build and serve refuse a target with versions of a store, and build one with versions of a site', async () => {
  const cwd = await built();
  await palimpsestJson(['build', '--out', 'h.zip', '--base-url', 'https://example.org'], { cwd });
  await palimpsestJson(['publish', 'site', '--out', 'h.zip'], { cwd });
  await palimpsestJson(['store', 'push', 'backup'], { cwd });
  for (const [command, out, message] of [
    ['build', 'site', 'site is a target with versions'],
    ['build', 'backup', 'backup is a target with versions'],
    ['serve', 'backup', 'backup has versions of a store'],
  ] as const) {
    const { code, stdout } = await palimpsestHere([command, '--out', out, '--json'], { cwd });
    expect([code, JSON.parse(stdout).error]).toMatchObject([3, { code: 'other-form', message }]);
  }
});

it('verify refuses --out beside a target, because only one of them is checked', async () => {
  const cwd = await built();
  await palimpsestJson(['publish', 'pub'], { cwd });
  const { code, stdout } = await palimpsestHere(['verify', 'pub', '--out', 'missing', '--json'], { cwd });
  expect([code, JSON.parse(stdout).error]).toMatchObject([2, { code: 'usage', message: '--out cannot be used with a target' }]);
});

it('observe and import say that they create a store, because a mistake in the path makes a new one', async () => {
  const cwd = temporaryFolder();
  for (const [command, source] of [
    ['observe', 'sample-snapshots.ndjson'],
    ['import', 'sample'],
  ] as const) {
    const run = async (...args: string[]) =>
      (await palimpsestHere([command, join(DATA, source), '--store', `${command}.db`, ...args], { cwd })).stdout;
    expect(await run('--dry-run')).toContain(`store     would create a new store at ${command}.db`);
    expect(await run()).toContain(`store     created a new store at ${command}.db`);
    expect(await run()).not.toContain('new store');
  }
});
