import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../contract/failure.ts';

/** How many characters are written at once. */
const PIECE = 1 << 16;

/**
 * Writes lines to a file: into a draft beside it first, so that the file is whole or as it was before.
 * @throws Failure file-system where it cannot be written
 */
export function writeLines(path: string, lines: Iterable<string>): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw unwritable(path, 'something that is no file');
  const draft = `${path}.${process.pid}.draft`;
  const file = attempt(path, () => openSync(draft, 'wx'));
  let isOpen = true;
  try {
    for (const piece of pieces(lines)) attempt(path, () => writeFileSync(file, piece));
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

/** Whether two paths lead to the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}

/** Lines joined to pieces that are worth a write, each line with its end. */
export function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unwritable(path: string, found: string, cause?: unknown): Failure {
  const expected = 'a file that can be written and has room';
  const hint = 'name another file with --to, or look at its folder';
  return new Failure('file-system', `cannot write ${path}`, { place: { file: path }, expected, found, hint, cause });
}
