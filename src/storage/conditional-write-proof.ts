import { Failure } from '../contract/failure.ts';
import type { Remote } from './remote.ts';
import { storageErrorKind } from './storage-error.ts';
import type { Condition, Upload } from './target.ts';

/** A store that checks first and writes then lets two creates succeed in almost every race, and four in practically every one. */
export const RACE_CREATES = 4;
/** A tag that no version of an object has. */
const STALE = `"${'0'.repeat(32)}"`;

/**
 * Proves with one request that the store refuses to create an object that exists. Documentation or a successful answer proves
 * nothing: some stores accept conditions and ignore them. If the object is missing, it is created, with one more request.
 */
export async function provesCreate(remote: Remote, path: string, upload: Upload): Promise<boolean> {
  const first = await write(remote, path, upload, 'absent');
  // it was missing, or the condition was ignored
  return (first === 'written' ? await write(remote, path, upload, 'absent') : first) === 'conflict';
}

/**
 * Proves with one request that the store refuses to replace another version of an object than the one that was read.
 * @param upload what the object contains, so that it does not change at a store that ignores the condition
 */
export async function provesReplace(remote: Remote, path: string, upload: Upload): Promise<boolean> {
  return (await write(remote, path, upload, { tag: STALE })) === 'conflict';
}

/**
 * Proves that of several creates at once one succeeds. Needed once for each target.
 * @param path that of a new object, which is removed again
 * @param isReplaced whether objects are replaced there too, so that {@link provesReplace} is needed
 */
export async function provesRace(remote: Remote, path: string, upload: Upload, isReplaced = false): Promise<boolean> {
  try {
    const results = await Promise.all(Array.from({ length: RACE_CREATES }, () => write(remote, path, upload, 'absent')));
    const isUnique = !results.includes('unsupported') && results.filter((result) => result === 'written').length <= 1;
    return isUnique && (!isReplaced || (await provesReplace(remote, path, upload)));
  } finally {
    // also after a stop
    await remote.with({ signal: undefined }).remove(path);
  }
}

async function write(remote: Remote, path: string, upload: Upload, condition: Condition): Promise<'written' | 'conflict' | 'unsupported'> {
  try {
    await remote.put(path, upload, condition);
    return 'written';
  } catch (error) {
    const kind = storageErrorKind(error);
    if (kind === 'conflict' || kind === 'unsupported') return kind;
    throw error;
  }
}

/** The refusal of a run at a store whose conditions are not proved. */
export function noConditions(remote: Remote): Failure {
  return new Failure(
    'no-conditions',
    `${remote.name} does not refuse to create an object that exists, or to replace one that has changed`,
    {
      place: { file: remote.name },
      expected: 'conditional writes, so that two runs at the same time detect each other',
      found: 'an object store that ignores the condition of a write, or does not support it',
      hint: 'use a bucket without versioning, or another object store; if you are sure that no other run writes there, add --single-publisher',
    },
  );
}
