import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { behindLinks, draftOf, unwritable } from '../contract/files/draft.ts';
import { refuseDatabase } from '../contract/files/refuse-output.ts';

/**
 * Writes a file under another name beside it, and renames it when it is complete: the target is complete or unchanged. If the
 * path is a symbolic link, the link stays and its target is replaced.
 * @returns what `work` returns
 * @throws Failure not-ours if the file is a database, file-system if it cannot be written
 */
export async function writeDraft<T>(path: string, work: (file: WriteStream) => Promise<T>): Promise<T> {
  refuseDatabase(path);
  if (existsSync(path) && !statSync(path).isFile()) throw unwritable(path, 'something that is not a file');
  const target = targetOf(path);
  const draft = draftOf(target);
  const file = createWriteStream(draft, { flags: 'wx', flush: true });
  // an error stays in file.errored
  file.on('error', () => {});
  try {
    await once(file, 'open');
    const result = await work(file);
    file.end();
    // after an error it can be closed already
    if (!file.closed) await once(file, 'close');
    if (file.errored !== null) throw file.errored;
    await rename(draft, target);
    return result;
  } catch (error) {
    const { errored } = file.destroy();
    if (errored === null || isNotTaken(errored)) rmSync(draft, { force: true });
    throw errored === null ? error : unwritable(path, errored.message, errored);
  }
}

/**
 * Writes bytes, and waits while the disk is slower than what comes.
 * @throws the error of an earlier write
 */
export async function write(file: WriteStream, bytes: Uint8Array): Promise<void> {
  // a file with an error never drains
  if (file.errored !== null) throw file.errored;
  if (!file.write(bytes)) await once(file, 'drain');
}

function targetOf(path: string): string {
  try {
    return behindLinks(path);
  } catch (cause) {
    throw unwritable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function isNotTaken(error: Error): boolean {
  return !('code' in error && error.code === 'EEXIST');
}
