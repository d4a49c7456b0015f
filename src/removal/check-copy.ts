import { createReadStream, type Dirent, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { fileHead } from '../contract/files/file-bytes.ts';
import { SITE_MARKER, VERSIONS_MARKER } from '../contract/files/markers.ts';
import { HEADER_BYTES, isZipOfTree } from '../sources/unpack/detect-format.ts';
import type { Remote } from '../storage/remote.ts';
import { versionsAt } from '../storage/target-form.ts';
import { BUILD_RECORD } from '../tree/build-record.ts';
import { type CopyCheck, type CopyFile, type CopyForm, CopySearch } from './copy-search.ts';
import type { SearchedAccounts } from './trace-search.ts';

/** How many bytes of an object are read at once. */
const RANGE_BYTES = 1 << 23;

/** Searches every byte of a file, or of all files in a folder. @throws Failure no-source, and what the signal has */
export async function checkLocal(
  path: string,
  form: CopyForm | undefined,
  accounts: SearchedAccounts,
  signal?: AbortSignal,
): Promise<CopyCheck> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory() && !stat?.isFile()) throw noCopy(path);
  const inside = stat.isDirectory() ? readdirSync(path, { recursive: true, withFileTypes: true }) : [];
  const entries = inside.filter((entry) => !entry.isDirectory());
  const nameOf = ({ parentPath, name }: Dirent) => relative(path, join(parentPath, name)).replaceAll(sep, '/');
  const links = entries.filter((entry) => !entry.isFile()).map(nameOf);
  const names = entries.filter((entry) => entry.isFile()).map(nameOf);
  const fileAt = (name: string, file: string): CopyFile => ({
    path: name,
    pieces: () => createReadStream(file, { highWaterMark: 1 << 20 }),
  });
  const files = stat.isDirectory() ? names.map((name) => fileAt(name, join(path, name))) : [fileAt(path, path)];
  if (files.length + links.length === 0) throw noCopy(path);
  const formFound = form ?? (isZipOfTree(fileHead(path, HEADER_BYTES)) ? 'tree' : 'file');
  return new CopySearch(accounts, signal).check(path, formFound, files, 1, links);
}

/** Searches every byte of all objects at a target. @throws Failure no-source, target-failed, target-denied, stopped, file-system */
export async function checkObjects(remote: Remote, accounts: SearchedAccounts, concurrency: number): Promise<CopyCheck> {
  const objects = await remote.list('');
  if (objects.length === 0) throw noCopy(remote.name);
  const files = objects.map(({ path, size }) => ({ path, pieces: () => piecesOf(remote, path, size) }));
  return new CopySearch(accounts, undefined).check(remote.name, await formOf(remote), files, concurrency);
}

export async function formOf(remote: Remote): Promise<CopyForm> {
  const versions = await versionsAt(remote, VERSIONS_MARKER);
  if (versions !== undefined) return versions;
  if ((await remote.head(SITE_MARKER)) !== undefined) return 'pages';
  return (await remote.head(BUILD_RECORD)) === undefined ? 'file' : 'tree';
}

async function* piecesOf(remote: Remote, path: string, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; from += RANGE_BYTES) {
    const fetched = await remote.get(path, { from, to: Math.min(size, from + RANGE_BYTES) });
    if (fetched !== undefined) yield fetched.bytes;
  }
}

/** Returns the error for a place without files. */
export function noCopy(name: string): Failure {
  return new Failure('no-source', `there is nothing at ${name} to check`, {
    place: { field: '--check' },
    expected: 'a folder, a file or a target with files',
    found: 'nothing',
    hint: 'check the path or the address of --check',
  });
}
