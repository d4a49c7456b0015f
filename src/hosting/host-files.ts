import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { unwritable, writeWhole } from '../contract/files/draft.ts';
import type { HostFile } from '../rewrite/hosts/host.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/**
 * Writes a host's files into a folder.
 * @throws Failure not-ours if a file with other contents exists, or the folder is a tree; file-system
 */
export function writeHostFiles(out: string, files: readonly HostFile[]): void {
  refuse(readBuildRecord(out) !== 'none', out, 'a folder beside the tree', 'a tree');
  for (const file of files) {
    const target = join(out, file.path);
    const isOther = existsSync(target) && !hasContents(target, file.text);
    refuse(isOther, target, 'no such file, or the same contents', 'other contents, which would be lost');
  }
  for (const file of files) {
    const target = join(out, file.path);
    if (existsSync(target)) continue;
    makeFolder(dirname(target));
    writeWhole(target, file.text, '--to');
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function hasContents(path: string, text: string): boolean {
  try {
    return readRegularFile(path).toString() === text;
  } catch {
    return false;
  }
}

function refuse(isRefused: boolean, file: string, expected: string, found: string): void {
  if (!isRefused) return;
  const hint = 'name another folder with --to; nothing was changed';
  throw new Failure('not-ours', `cannot write the files for the host to ${file}`, { place: { file }, expected, found, hint });
}
