import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { unwritable } from '../contract/files/draft-file.ts';
import { mkdirp } from '../contract/files/mkdirp.ts';
import { writeFiles } from '../contract/files/write-files.ts';
import type { HostFile } from '../rewrite/hosts/host.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/**
 * Writes a host's files into a folder, all or none.
 * @throws Failure not-ours if a file with other contents exists, or the folder is a tree; file-system
 */
export async function writeHostFiles(out: string, files: readonly HostFile[]): Promise<void> {
  if (readBuildRecord(out) !== 'none') throw notOurs(out, 'a folder beside the tree', 'a tree');
  const missing = files.filter(({ path, text }) => {
    const file = join(out, path);
    if (!existsSync(file)) return true;
    if (hasContents(file, text)) return false;
    throw notOurs(file, 'no such file, or the same contents', 'other contents, which would be lost');
  });
  for (const { path } of missing) makeFolder(dirname(join(out, path)));
  await writeFiles(missing.map(({ path, text }) => ({ path: join(out, path), content: [text] })));
}

function makeFolder(path: string): void {
  try {
    mkdirp(path);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function hasContents(path: string, text: string): boolean {
  try {
    return readRegularFile(path).toString() === text;
  } catch {
    return false;
  }
}

function notOurs(file: string, expected: string, found: string): Failure {
  const hint = 'name another folder with --to; nothing was changed';
  return new Failure('not-ours', `cannot write the files for the host to ${file}`, { place: { file }, expected, found, hint });
}
