import { Failure } from '../contract/failure.ts';
import type { Remote } from './remote.ts';
import { storageErrorKind } from './storage-failure.ts';
import type { Upload } from './target.ts';

/** A store that checks first and writes then lets two creates succeed in almost every race, and four in practically every one. */
const CREATES = 4;

/**
 * Proves with one request that the store refuses to create an object that exists. Documentation or a successful answer proves
 * nothing: some stores accept conditions and ignore them. If the object is missing, it is created, with one more request.
 */
export async function provesCreate(remote: Remote, path: string, upload: Upload): Promise<boolean> {
  const first = await create(remote, path, upload);
  // it was missing, or the condition was ignored
  return (first === 'created' ? await create(remote, path, upload) : first) === 'conflict';
}

/**
 * Proves that of several creates at once one succeeds. Needed once for each target.
 * @param path that of a new object, which is removed again
 */
export async function provesRace(remote: Remote, path: string, upload: Upload): Promise<boolean> {
  const results = await Promise.all(Array.from({ length: CREATES }, () => create(remote, path, upload)));
  await remote.remove(path);
  return !results.includes('unsupported') && results.filter((result) => result === 'created').length <= 1;
}

async function create(remote: Remote, path: string, upload: Upload): Promise<'created' | 'conflict' | 'unsupported'> {
  try {
    await remote.put(path, upload, 'absent');
    return 'created';
  } catch (error) {
    const kind = storageErrorKind(error);
    if (kind === 'conflict' || kind === 'unsupported') return kind;
    throw error;
  }
}

/** The refusal of a run at a store whose conditions are not proved. */
export function noConditions(remote: Remote): Failure {
  return new Failure('no-conditions', `${remote.name} does not refuse to create an object that exists`, {
    place: { file: remote.name },
    expected: 'conditional writes, with which one of two runs at the same time finds the other',
    found: 'a store that ignores the condition of a write, or does not support it',
    hint: 'use a bucket without versioning or another store; if you are sure that no other run writes there, add --single-publisher',
  });
}
