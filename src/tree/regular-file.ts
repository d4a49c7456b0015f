import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Makes opening a pipe return at once; Windows has no such pipes. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file for reading. A pipe, which reading would wait for, or a folder is refused.
 * @throws Error where there is no regular file that can be read
 */
export function openRegularFile(path: string): number {
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is not a regular file`);
}

/** A file's bytes, with the rules of {@link openRegularFile}. */
export function readRegularFile(path: string): Buffer {
  const file = openRegularFile(path);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
