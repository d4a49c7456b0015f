import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** O_NONBLOCK makes the opening of a pipe return at once. Windows has no such pipes. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading. Refuses folders, and pipes because reading would block.
 * @throws Error if there is no regular file, or it cannot be read
 */
export function openRegularFile(path: string): number {
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
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
