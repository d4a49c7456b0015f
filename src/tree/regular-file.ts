import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Flags that open a file for reading. A pipe is opened at once, and is empty if nobody writes. Windows has no such pipes. */
const WITHOUT_WAITING = O_RDONLY | O_NONBLOCK;

/**
 * Opens a regular file for reading. Refuses folders, and pipes because reading would block.
 * @throws Error if there is no regular file, or it cannot be read
 */
export function openRegularFile(path: string): number {
  const file = openSync(path, WITHOUT_WAITING);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is not a regular file`);
}

/** Reads a whole file, with the rules of {@link openRegularFile}. */
export function readRegularFile(path: string): Buffer {
  const file = openRegularFile(path);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
