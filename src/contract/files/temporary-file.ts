import { randomUUID } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from './draft-file.ts';
import { readFully, writeFully } from './file-bytes.ts';

/** Never opens an existing file or follows a symlink. Only the owner can read the file. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const MODE = 0o600;
const NAME = /^-spool-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A temporary file that exists while it is open. */
export interface TemporaryFile {
  readonly descriptor: number;
  /** Reads as many bytes as the buffer has, or fewer at the end of the file. Returns how many. */
  readonly read: (into: Uint8Array, position: number) => number;
  /** Fills the buffer. @throws Error if the file ends before */
  readonly readFully: (into: Uint8Array, position: number) => void;
  readonly write: (bytes: Uint8Array, position: number) => void;
  readonly close: () => void;
}

/**
 * Opens a temporary file beside another. Its name is removed at once, so a killed run leaves no file.
 * If the system keeps the name of an open file, closing removes it. After a kill, {@link removeTemporaryFiles} in the
 * next run does.
 */
export function openTemporaryFile(beside: string): TemporaryFile {
  const path = `${beside}-spool-${randomUUID()}`;
  const descriptor = openSync(path, FLAGS, MODE);
  const isUnnamed = remove(path);
  return {
    descriptor,
    read: (into, position) => readFully(descriptor, into, position),
    readFully: (into, position) => {
      if (readFully(descriptor, into, position) < into.length) throw new Error('a temporary file is shorter than the data written to it');
    },
    write: (bytes, position) => writeFully(descriptor, bytes, position),
    close: () => {
      closeSync(descriptor);
      if (!isUnnamed) remove(path);
    },
  };
}

/**
 * Removes the temporary files that killed runs left beside a file. Only regular files with such a name are
 * removed, no symlinks. If the folder cannot be listed, nothing is removed.
 */
export function removeTemporaryFiles(beside: string): void {
  const [folder, name] = [dirname(beside), basename(beside)];
  for (const entry of namesIn(folder)) {
    if (!entry.startsWith(name) || !NAME.test(entry.slice(name.length))) continue;
    const path = join(folder, entry);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) remove(path);
  }
}

function remove(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}
