import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { mountDisk } from './disks.ts';
import { folderOfFile } from './stores.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));
const folder = folderOfFile();

beforeAll(async () => {
  await palimpsestJson(['import', SAMPLE], { cwd: folder });
  await palimpsestJson(['build', '--base-url', 'https://example.org'], { cwd: folder });
});

describe('a full disk', () => {
  const commands: readonly (readonly [string, (disk: string) => readonly string[]])[] = [
    ['import', (disk) => ['import', SAMPLE, '--store', join(disk, 'data/new.db')]],
    ['export csv', (disk) => ['export', 'csv', '--to', join(disk, 'a/tables')]],
    ['export parquet', (disk) => ['export', 'parquet', '--to', join(disk, 'a/tables')]],
    ['store push', (disk) => ['store', 'push', join(disk, 'a/backup')]],
    ['archive bag', (disk) => ['archive', 'bag', '--to', join(disk, 'bag')]],
    ['archive wacz', (disk) => ['archive', 'wacz', '--to', join(disk, 'site.wacz')]],
  ];

  for (const [name, argsOf] of commands) {
    it(`makes ${name} fail with the path, and leaves no file or folder`, async (context) => {
      const disk = mountDisk(context, join(folder, `full ${name}`), 'size=16k');
      // a push needs space for its first file, the others begin with one that is larger than what is free
      writeFileSync(join(disk.folder, 'other'), Buffer.alloc(name === 'store push' ? 16_384 : 12_000));
      const args = argsOf(disk.folder);
      const { code, stdout, stderr } = await palimpsest([...args, '--json'], { cwd: folder });
      expect({ code, error: JSON.parse(stdout || '{}').error }, stderr).toMatchObject({
        code: 1,
        error: { code: 'file-system', file: expect.stringContaining(disk.folder) },
      });
      expect(readdirSync(disk.folder)).toEqual(['other']);
    });
  }
});

describe('export', () => {
  it.each([
    ['csv', 'other/tables/records.csv'],
    ['csv', 'other/tables'],
    ['parquet', 'other/records.parquet'],
    ['ndjson', 'other/store.ndjson'],
  ])('%s names the file that is in place of a folder in %s', async (format, to) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'other'), '');
    const { code, stdout } = await palimpsestHere(['export', format, '--store', join(folder, 'data/palimpsest.db'), '--to', to, '--json'], {
      cwd,
    });
    expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
      code: 1,
      error: { code: 'file-system', file: to, found: expect.stringMatching(/not a folder$/) },
    });
  });
});

describe('verify with a store that never had the content of the tree', () => {
  it('suggests to name another store', async () => {
    const cwd = temporaryFolder();
    await palimpsestJson(['observe', join(SAMPLE, '../sample-snapshots.ndjson')], { cwd });
    const { code, stdout } = await palimpsestHere(['verify', '--out', join(folder, 'out'), '--store', 'data/palimpsest.db'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'next: name the store of this tree with --store, because data/palimpsest.db never had the content of this tree\n' +
        'then: build again from the store of this tree:',
    );
    expect(stdout.split('\n').at(-2)).toContain('--store FILE');
  });

  it('does not suggest it for an earlier state of the store', async () => {
    const cwd = temporaryFolder();
    await palimpsestJson(['import', SAMPLE], { cwd });
    await palimpsestJson(['build', '--base-url', 'https://example.org'], { cwd });
    await palimpsestJson(['observe', join(SAMPLE, '../sample-snapshots.ndjson')], { cwd });
    const { code, stdout } = await palimpsestHere(['verify', '--store', 'data/palimpsest.db'], { cwd });
    expect(code).toBe(1);
    expect(stdout).not.toContain('never had');
  });
});

describe('remove with a name that no account has', () => {
  it('suggests accounts with similar names', async () => {
    const { code, stdout } = await palimpsestHere(['remove', 'cable_berry', '--json'], { cwd: folder });
    expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
      code: 1,
      error: {
        code: 'no-account',
        hint: expect.stringMatching(/^did you mean @cable_ferry \(.*\)\? To exclude the name anyway, add --allow-unknown$/),
      },
    });
    const unlike = await palimpsestHere(['remove', 'zzzzzzzzzzzzzzzz', '--json'], { cwd: folder });
    expect(JSON.parse(unlike.stdout).error.hint).toMatch(
      /accounts` to list all accounts; to exclude the name anyway, add --allow-unknown$/,
    );
  });
});

describe('store push to a folder', () => {
  it('refuses a folder that has a site in one of its folders', async () => {
    await palimpsestJson(['publish', 'public/site'], { cwd: folder });
    const { code, stdout } = await palimpsestHere(['store', 'push', 'public', '--json'], { cwd: folder });
    expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
      code: 3,
      error: { code: 'not-ours', file: 'site/publish.json', message: expect.stringContaining('contains a public site') },
    });
    expect(readdirSync(join(folder, 'public'))).toEqual(['site']);
  });
});
