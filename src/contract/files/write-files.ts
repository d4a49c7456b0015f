import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Pauses } from '../event-loop-pauses.ts';
import { codeOf, convertErrors } from '../failure.ts';
import { behindLinks, draftOf, unwritable } from './draft-file.ts';
import { BufferedFile } from './file-bytes.ts';
import { refuseDatabase } from './refuse-output.ts';
import { statusOf } from './same-file.ts';

/** The minimum number of characters in a chunk. */
const CHUNK_LENGTH = 1 << 16;

export interface NewFile {
  readonly path: string;
  readonly content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

/**
 * Writes each file to a temporary file beside it. At the end, it renames all of them atomically. If a file cannot be
 * written, none changes. If the path is a symbolic link, the link stays and its target is replaced.
 * @param pauses end the writing: no file changes
 * @param option the option that names the files or their folder
 * @throws Failure not-ours if a file is a database, file-system if it cannot be written, stopped; and the errors of the content
 */
export async function writeFiles(files: readonly NewFile[], pauses?: Pauses, option?: string): Promise<void> {
  await withDrafts(files, pauses, option, (draft, target) => renameSync(draft, target));
}

/**
 * Checks that a file can be written: writes its temporary file, and removes it. The file does not change.
 * @throws Failure as {@link writeFiles}
 */
export async function testWrite(file: NewFile, option?: string): Promise<void> {
  await withDrafts([file], undefined, option, (draft) => rmSync(draft));
}

/** Writes the temporary file of each file, and then calls `finish` with each of them. Removes them if there is an error. */
async function withDrafts(
  files: readonly NewFile[],
  pauses: Pauses | undefined,
  option: string | undefined,
  finish: (draft: string, target: string) => void,
): Promise<void> {
  const attempt = <T>(path: string, work: () => T): T => convertErrors(work, (cause) => unwritable(path, foundAt(path, cause), option));
  const drafts: { readonly path: string; readonly target: string; readonly draft: string }[] = [];
  try {
    for (const { path, content } of files) {
      refuseDatabase(path);
      const status = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
      if (status?.isFile() === false) throw unwritable(path, 'something that is not a file', option);
      const target = attempt(path, () => behindLinks(path));
      const draft = draftOf(target);
      const file = attempt(path, () => openSync(draft, 'wx'));
      drafts.push({ path, target, draft });
      try {
        const output = new BufferedFile(file);
        for await (const part of content) {
          attempt(path, () => output.write(typeof part === 'string' ? Buffer.from(part) : part));
          if (pauses?.areDue) await pauses.take();
        }
        attempt(path, () => output.flush());
        attempt(path, () => fsyncSync(file));
      } finally {
        closeSync(file);
      }
    }
    for (const { path, target, draft } of drafts) attempt(path, () => finish(draft, target));
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    throw error;
  }
}

/** Joins texts to chunks that are large enough for one write, and yields them. */
export function* chunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Returns the error, or a text that names the file if a part of the folder of a path is a file. */
function foundAt(path: string, cause: unknown): unknown {
  if (codeOf(cause) !== 'ENOTDIR') return cause;
  let parent = dirname(path);
  while (statusOf(parent) === undefined && parent !== dirname(parent)) parent = dirname(parent);
  return `${parent}, which is not a folder`;
}
