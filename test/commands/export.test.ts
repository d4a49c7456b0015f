import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const SNAPSHOTS = [
  '{"observed_at":"2020-01-01T00:00:00Z","screen_name":"ann","id":"1","bio":"one"}',
  '{"observed_at":"2020-01-02T00:00:00Z","screen_name":"new","id":"1","bio":"two"}',
].join('\n');

let folder: string;
let store: string;

beforeEach(async () => {
  folder = temporaryFolder();
  store = join(folder, 'store.db');
  await palimpsestJson(['observe', '-', '--store', store], { input: SNAPSHOTS });
});

describe('palimpsest export ndjson', () => {
  it('writes a file that import reads back, and leaves no other file', async () => {
    const to = join(folder, 'store.ndjson');
    expect(await palimpsestJson(['export', 'ndjson', '--to', to, '--store', store])).toMatchObject({ to, store, records: 2, accounts: 1 });
    expect((await readdir(folder)).toSorted()).toEqual(['store.db', 'store.ndjson']);
    const copy = join(folder, 'copy.db');
    await palimpsestJson(['import', '-', '--store', copy], { input: gzipSync(readFileSync(to)) });
    const again = join(folder, 'again.ndjson');
    await palimpsestJson(['export', 'ndjson', '--to', again, '--store', copy]);
    expect(readFileSync(again)).toEqual(readFileSync(to));
  });

  it('writes only the export to standard output', async () => {
    const to = join(folder, 'store.ndjson');
    expect(await palimpsestHere(['export', 'ndjson', '--to', to, '--store', store])).toMatchObject({ code: 0, stderr: '' });
    for (const voice of [[], ['--json'], ['--quiet']]) {
      const { code, stdout } = await palimpsestHere(['export', 'ndjson', '--to', '-', '--store', store, ...voice]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: readFileSync(to, 'utf8') });
    }
  });

  it('names the command that compresses the output', async () => {
    const { stderr } = await palimpsestHere(['export', 'ndjson', '--to', 'x.ndjson.gz', '--store', store]);
    expect(stderr).toContain(
      'expected  a name that does not end in .gz, because the export is not compressed; to compress it, use --to - | gzip',
    );
  });

  it.each([
    ['the store itself', () => store, 2, 'usage'],
    ['a folder', () => folder, 1, 'file-system'],
    ['a folder that is not there', () => join(folder, 'none', 'file'), 1, 'file-system'],
    ['a name that promises compression', () => join(folder, 'store.ndjson.gz'), 2, 'usage'],
  ])('rejects the output %s', async (_, to, exit, error) => {
    const { code, stdout } = await palimpsestHere(['export', 'ndjson', '--to', to(), '--store', store, '--json']);
    expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: exit, error });
    expect(await readdir(folder)).toEqual(['store.db']);
  });
});
