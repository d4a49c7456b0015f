import { randomUUID } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Never a file that is there, whatever a link of that name leads to; readable by its owner only. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const MODE = 0o600;
const NAME = /^-spool-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A temporary file that is on disk as long as it is open. */
export interface SpoolFile {
  readonly descriptor: number;
  readonly close: () => void;
}

/**
 * Opens a temporary file beside another. Its name is removed at once, so that a run that is killed leaves nothing;
 * where a system keeps the name of an open file, closing removes it, or {@link removeSpools} in the next run.
 */
export function openSpool(beside: string): SpoolFile {
  const path = `${beside}-spool-${randomUUID()}`;
  const descriptor = openSync(path, FLAGS, MODE);
  const isUnnamed = remove(path);
  return {
    descriptor,
    close: () => {
      closeSync(descriptor);
      if (!isUnnamed) remove(path);
    },
  };
}

/** Removes the temporary files that killed runs left beside a file: only regular files with such a name, and no link. */
export function removeSpools(beside: string): void {
  const [folder, name] = [dirname(beside), basename(beside)];
  for (const entry of namesIn(folder)) {
    if (!entry.startsWith(name) || !NAME.test(entry.slice(name.length))) continue;
    const path = join(folder, entry);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) remove(path);
  }
}

/** None where the folder cannot be listed: then nothing is removed, and a run still works. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
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
