import { Failure } from '../../contract/failure.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-failure.ts';
import type { Condition, Upload } from '../../storage/target.ts';

/** A tag that no version of an object has. */
const NO_TAG = `"${'0'.repeat(32)}"`;

/**
 * Replaces an object if nobody wrote it since it was read.
 * @param tag of the version that was read; undefined if there was none
 * @returns the tag of the new version
 * @throws Failure target-busy if another run wrote it
 */
export async function replaceObject(remote: Remote, path: string, upload: Upload, tag: string | undefined): Promise<string> {
  try {
    return await remote.put(path, upload, tag === undefined ? 'absent' : { tag });
  } catch (error) {
    if (storageErrorKind(error) !== 'conflict') throw error;
    const now = await remote.get(path);
    // the response to this very write may have been lost
    if (now?.bytes.equals(upload.bytes)) return now.tag;
    throw overtaken(remote, path);
  }
}

/** Does the same at a store without conditional writes, which has only one publisher. */
export async function replaceUnconditionally(remote: Remote, path: string, upload: Upload, tag: string | undefined): Promise<string> {
  if ((await remote.get(path))?.tag !== tag) throw overtaken(remote, path);
  return await remote.put(path, upload);
}

/**
 * Finds out whether a store supports conditional writes: some stores ignore the condition. Writes an object again that is
 * there, so a write that should have failed changes nothing.
 */
export async function supportsConditions(remote: Remote, path: string, upload: Upload): Promise<boolean> {
  for (const condition of ['absent', { tag: NO_TAG }] as const) {
    if (!(await isRefused(remote, path, upload, condition))) return false;
  }
  return true;
}

async function isRefused(remote: Remote, path: string, upload: Upload, condition: Condition): Promise<boolean> {
  try {
    await remote.put(path, upload, condition);
    return false;
  } catch (error) {
    const kind = storageErrorKind(error);
    if (kind !== 'conflict' && kind !== 'unsupported') throw error;
    return kind === 'conflict';
  }
}

/** The failure for an object store without conditional writes. */
export function unconditional(remote: Remote): Failure {
  return new Failure('no-conditional-writes', `${remote.name} does not support conditional writes`, {
    expected: 'an object store that refuses a write if the object has another version (If-Match and If-None-Match)',
    found: 'an object store that ignores or rejects the condition: two publishes at the same time may not detect each other',
    hint: 'publish with --single-publisher if no other run can publish to this target at the same time',
  });
}

function overtaken(remote: Remote, path: string): Failure {
  return new Failure('target-busy', `another run published to ${remote.name} at the same time`, {
    place: { file: path },
    expected: `the ${path} that was there when this run began`,
    found: `a newer ${path}, which is unchanged`,
    hint: 'run the same command again if your tree is the newer one',
  });
}
