import { Failure } from '../../contract/failure.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-failure.ts';
import type { Condition, Upload } from '../../storage/target.ts';

/** A tag that no version of an object has. */
const NO_TAG = `"${'0'.repeat(32)}"`;

/**
 * Finds out whether a store supports conditional writes: some stores ignore the condition. Writes a chunk again that is
 * there, so a write that should have failed changes nothing.
 * @param path of a chunk that is at the target
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
