import { Failure } from '../contract/failure.ts';

/** Returns the failure for an input that cannot be read to its end, or a failure unchanged. */
export function readFailure(file: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure('bad-source', `cannot read ${file}`, {
    place: { file },
    expected: 'a readable file',
    found: cause instanceof Error ? cause.message : '',
    hint: 'check the disk and the permissions of the file',
    cause,
  });
}
