import { closeSync, openSync, readSync } from 'node:fs';

/** Returns the first bytes of a file, or none if it cannot be read: a later read reports the error. */
export function fileHead(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  try {
    const file = openSync(path, 'r');
    try {
      return head.subarray(0, readSync(file, head, 0, length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return head.subarray(0, 0);
  }
}
