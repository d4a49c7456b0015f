import { hash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { link, open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf } from '../../contract/failure.ts';
import { readHandleFully, writeFully } from '../../contract/files/file-bytes.ts';
import { isLaterTime, timeAfter } from '../../contract/files/file-time.ts';
import { removeEmptyFolders } from '../../contract/files/mkdirp.ts';
import type { ByteRange } from '../object-source.ts';
import { StorageError } from '../storage-error.ts';
import type { PartsUpload } from '../target.ts';

/**
 * The folder for temporary files at a target: no page links to it, and its name says whose it is. A run that has the lock of the
 * target removes what killed runs left there.
 */
export const TEMPORARY = '.palimpsest';

/** The end of the names of temporary files, and of the locks of single files. */
const PARTIAL = '.partial';
const FILE_LOCK = '.lock';

/** Returns the path of the temporary file for a file of a target. @param run tells apart writes at the same time */
export function partialOf(folder: string, path: string, run = ''): string {
  return join(folder, TEMPORARY, hash('sha256', path).slice(0, 32) + run + PARTIAL);
}

export function fileLockOf(folder: string, path: string): string {
  return join(folder, TEMPORARY, hash('sha256', path).slice(0, 32) + FILE_LOCK);
}

/** Removes the temporary files that killed runs left at a target. */
export function removeTemporary(folder: string): void {
  const temporary = join(folder, TEMPORARY);
  if (!lstatSync(temporary, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of readdirSync(temporary, { withFileTypes: true }))
    if (!entry.isDirectory() && /^[0-9a-f]+\.(partial|lock)$/.test(entry.name)) rmSync(join(temporary, entry.name), { force: true });
  removeEmptyFolders([temporary]);
}

/** The errors of a file system without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Creates a file with its contents if nothing is there, and writes both to the disk. Of several processes, exactly one succeeds.
 * @param partial its temporary file, which no other create at the same time may share
 * @throws StorageError conflict if something is there; unsupported if the file system has no hard links
 */
export async function createFile(file: string, partial: string, bytes: Uint8Array): Promise<void> {
  if (existsSync(file)) throw conflict(file);
  try {
    await writeFile(partial, bytes, { flag: 'wx', flush: true });
    await link(partial, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw conflict(file);
    throw NO_LINKS.has(codeOf(error) ?? '') ? new StorageError('unsupported', 'a file system without hard links') : error;
  } finally {
    await rm(partial, { force: true });
  }
  await syncFolder(dirname(file));
}

export async function replaceFile(file: string, partial: string, bytes: Uint8Array): Promise<void> {
  try {
    // removes what a kill left, or a symlink, which must not be followed
    await rm(partial, { force: true });
    await writeFile(partial, bytes, { flag: 'wx' });
    await setTime(partial, file);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

/** Begins to write a file in parts. It appears when all of it is on the disk. */
export async function beginFile(file: string, partial: string): Promise<PartsUpload> {
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx');
  return {
    put: async ({ number, offset }, bytes) => {
      writeFully(handle.fd, bytes, offset);
      return String(number);
    },
    complete: async () => {
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      await syncFolder(dirname(file));
    },
    abort: async () => {
      await handle.close().catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

/** Reads some bytes of a file. They may be fewer if the file is shorter. */
export async function readRange(file: string, { from, to }: ByteRange): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.allocUnsafe(to - from);
    return bytes.subarray(0, await readHandleFully(handle, bytes, from));
  } finally {
    await handle.close();
  }
}

/** Sets the modification time of a file later than that of the file it replaces, because web servers derive ETags from it. */
async function setTime(partial: string, replaced: string): Promise<void> {
  const [now, before] = await Promise.all([stat(partial), stat(replaced).catch(() => undefined)]);
  if (before === undefined || isLaterTime(now.mtimeMs, before.mtimeMs)) return;
  const time = timeAfter(before.mtimeMs);
  await utimes(partial, time, time);
}

/** Returns the longest existing part of a path. */
export function nearestOf(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestOf(dirname(path));
}

/** Returns the real path of a folder that may not exist yet. */
export function placeOf(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync.native(path);
  } catch {
    return path === dirname(path) ? path : join(placeOf(dirname(path)), basename(path));
  }
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Writes the names in a folder to the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  // some file systems cannot
  await handle.sync().catch(() => {});
  await handle.close();
}

function conflict(file: string): StorageError {
  return new StorageError('conflict', `${file} exists`);
}
