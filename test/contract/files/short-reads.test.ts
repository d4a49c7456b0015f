import fs, { closeSync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fileHead } from '../../../src/contract/files/file-bytes.ts';
import { openFolder } from '../../../src/serve/served-files.ts';
import { checkDirectory } from '../../../src/sources/archives/zip-directory.ts';
import { openZipFile } from '../../../src/sources/unpack/zip-members.ts';
import { readRange } from '../../../src/storage/targets/folder-file.ts';
import { isOwnZip } from '../../../src/tree/build/claim-output.ts';
import { indexPath, pagePath } from '../../../src/tree/layout.ts';
import { linesOfGroup, listFiles } from '../../../src/tree/manifest/listing.ts';
import { validEnd } from '../../../src/warc/valid-end.ts';
import { encodeHeader } from '../../../src/zip/local-header.ts';
import { warcRecord } from '../../archive/written.ts';
import { zipOf } from '../../support/archives.ts';

import { palimpsestHere } from '../../support/palimpsest.ts';
import { folderOfFile } from '../../whole/stores.ts';

const folder = folderOfFile();

/** Writes a file. Returns its path. */
function fileOf(name: string, bytes: string | Uint8Array): string {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

const handle = await open(fileOf('empty', ''));
const handles: { read: (into: Uint8Array, at: number, length: number, position: number) => Promise<unknown> } =
  Object.getPrototypeOf(handle);
await handle.close();
const { readSync } = fs;
const { read: readHandle } = handles;

beforeEach(() => {
  const half = (length: number) => Math.ceil(length / 2);
  const short = (file: number, into: Uint8Array, at = 0, length = into.length, position: number | null = null) =>
    readSync(file, into, at, half(length), position);
  vi.spyOn(fs, 'readSync').mockImplementation(short as typeof readSync);
  vi.spyOn(handles, 'read').mockImplementation(function (this: unknown, into, at, length, position) {
    return readHandle.call(this, into, at, half(length), position);
  });
  // the modules that import it get the function with short reads
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Runs a function with the descriptor of a file. */
function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

const text = '0123456789'.repeat(10);
const header = encodeHeader({ path: indexPath('data'), method: 0, crc: 0, packed: 0, size: 0 });
const range = { from: 10, to: 90, length: 80 };

it.each<[string, () => unknown, unknown]>([
  [
    'the lines of a manifest',
    () => {
      const path = pagePath('data', 1);
      const listing = listFiles(fileOf('manifest', `${'a'.repeat(64)}  ${path}\n`.repeat(3)), () => 'all');
      return [...linesOfGroup(listing, 'all')].length;
    },
    3,
  ],
  ['the first bytes of a source', () => fileHead(fileOf('head', text), 50).length, 50],
  [
    'the end of a WARC',
    () => withFile(fileOf('warc', warcRecord({ 'WARC-Type': 'metadata' }, text)), (file) => (validEnd(file) ?? 0) > text.length),
    true,
  ],
  ['whether a file is the ZIP of a tree', () => isOwnZip(fileOf('tree.zip', header)), true],
  [
    'the end records of a ZIP',
    async () => {
      const zip = await zipOf({ text }, { forceZip64Format: true });
      zip.writeUInt8(1, zip.length - 22 - 20 + 8 + 7);
      return openZipFile(fileOf('large.zip', zip)).catch((error: unknown) => String(error));
    },
    'Error: the end record of ZIP64 is outside of the file',
  ],
  [
    'the directory of a ZIP',
    async () => {
      const path = fileOf('files.zip', await zipOf({ text }));
      const zip = await openZipFile(path);
      const entries = [];
      for await (const entry of zip.eachEntry()) entries.push(entry);
      await checkDirectory(path, zip, entries, (work) => work()).finally(() => zip.close());
    },
    undefined,
  ],
  ['a part of a file at a target', async () => (await readRange(fileOf('file', text), range)).toString(), text.slice(10, 90)],
  [
    'a part of a file with versions',
    async () => Buffer.from((await openFolder(folder)(fileOf('file', text).slice(folder.length), range)) ?? []).toString(),
    text.slice(10, 90),
  ],
  [
    'whether a file is a receipt',
    async () => {
      const run = (...args: string[]) => palimpsestHere([...args, '--receipt', 'receipt.txt'], { cwd: folder });
      await palimpsestHere(['import', '-'], { cwd: folder, input: '' });
      const remove = ['remove', 'nobody', '--allow-unknown', '--yes'];
      return [(await run(...remove)).code, (await run(...remove)).code];
    },
    [0, 0],
  ],
])('reads %s, also if a read returns fewer bytes than it was asked for', async (_, work, expected) => {
  expect(await work()).toEqual(expected);
});
