import { Failure } from '../contract/failure.ts';

/** Returns the failure for an archive that cannot be trusted. */
export function damaged(
  file: string,
  expected: string,
  found: string,
  hint = 'fetch or copy the archive again; nothing was imported',
): Failure {
  return new Failure('bad-archive', `${file} is damaged, or not a valid archive`, { place: { file }, expected, found, hint });
}
