import { closeSync, readSync, statSync } from 'node:fs';
import { decodeHeader, HEADER_BYTES } from '../zip/local-header.ts';
import { indexPath } from './layout.ts';
import { openRegularFile } from './regular-file.ts';

/** The first member of the ZIP of a tree. */
const FIRST = indexPath('data');

/** Whether a file begins like the ZIP of a tree. Its end may be damaged or missing. */
export function isOwnZip(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const bytes = Buffer.alloc(HEADER_BYTES + FIRST.length);
  const file = openRegularFile(path);
  try {
    return readSync(file, bytes) === bytes.length && decodeHeader(bytes)?.path === FIRST;
  } finally {
    closeSync(file);
  }
}
