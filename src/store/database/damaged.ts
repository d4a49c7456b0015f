import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';

export function damaged(path: string, found: string, cause?: unknown): Failure {
  return new Failure('bad-store', `the store ${path} is damaged`, {
    place: { file: path },
    expected: 'the data that palimpsest wrote',
    found,
    hint: hint`run ${suggested('store check', { '--store': path })} to list the damage, and add --repair to restore derived data`,
    cause,
  });
}

/**
 * Parses a JSON object from a store.
 * @param subject the owner of the text, for the error
 * @throws Failure bad-store if the text is not a JSON object
 */
export function storedJson(path: string, subject: string, json: string): ReturnType<typeof JSON.parse> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw damaged(path, `${subject} is not JSON`, cause);
  }
  throw damaged(path, `${subject} is not a JSON object`);
}
