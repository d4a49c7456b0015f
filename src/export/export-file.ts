import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Pauses } from '../contract/pauses.ts';

/** The minimum number of characters in one write. */
const CHUNK_LENGTH = 1 << 16;

/**
 * Writes lines to a temporary file beside the target, then renames it atomically. The target is complete or unchanged.
 * @param pauses end the export: the target is unchanged
 * @throws Failure file-system if the file cannot be written, stopped
 */
export async function writeLines(path: string, lines: Iterable<string>, pauses: Pauses): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw unwritable(path, 'something that is not a file');
  const draft = `${path}.${process.pid}.draft`;
  const file = attempt(path, () => openSync(draft, 'wx'));
  let isOpen = true;
  try {
    for (const chunk of pieces(lines)) {
      attempt(path, () => writeFileSync(file, chunk));
      if (pauses.areDue) await pauses.take();
    }
    attempt(path, () => fsyncSync(file));
    closeSync(file);
    isOpen = false;
    attempt(path, () => renameSync(draft, path));
  } catch (error) {
    if (isOpen) closeSync(file);
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Whether two paths refer to the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}

/** Joins lines to chunks that are large enough for one write. Each line ends with a newline. */
export function* pieces(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unwritable(path: string, found: string, cause?: unknown): Failure {
  const expected = 'a writable file and enough free space';
  const hint = 'name another file with --to, or check the permissions and free space of its folder';
  return new Failure('file-system', `cannot write ${path}`, { place: { file: path }, expected, found, hint, cause });
}
