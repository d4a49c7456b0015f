import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Failure } from '../contract/failure.ts';

/**
 * Writes a file under another name beside it, and renames it when it is complete: the target is complete or unchanged.
 * @returns what `work` returns
 * @throws Failure file-system if the file cannot be written
 */
export async function writeDraft<T>(path: string, work: (file: WriteStream) => Promise<T>): Promise<T> {
  if (existsSync(path) && !statSync(path).isFile()) throw unwritable(path, 'something that is not a file');
  const draft = `${path}.${process.pid}.draft`;
  const file = createWriteStream(draft, { flags: 'wx', flush: true });
  let failed: unknown;
  file.on('error', (error) => {
    failed = error;
  });
  try {
    await once(file, 'open');
    const result = await work(file);
    const closed = once(file, 'close');
    file.end();
    await closed;
    if (failed !== undefined) throw failed;
    await rename(draft, path);
    return result;
  } catch (error) {
    file.destroy();
    if (failed === undefined || isNotTaken(failed)) rmSync(draft, { force: true });
    throw failed === undefined ? error : unwritable(path, failed instanceof Error ? failed.message : String(failed), failed);
  }
}

/** Writes bytes, and waits while the disk is slower than what comes. */
export async function write(file: WriteStream, bytes: Uint8Array): Promise<void> {
  if (!file.write(bytes)) await once(file, 'drain');
}

function isNotTaken(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error && error.code === 'EEXIST');
}

function unwritable(path: string, found: string, cause?: unknown): Failure {
  const expected = 'a writable file and enough free space';
  const hint = 'name another file with --to, or check the permissions and free space of its folder';
  return new Failure('file-system', `cannot write ${path}`, { place: { file: path }, expected, found, hint, cause });
}
