import { Failure } from '../../contract/failure.ts';

/** Returns the failure for an archive whose members cannot be read any further. */
export function brokenArchive(file: string, kind: string, found: string, hint = 'download or copy the archive again'): Failure {
  return new Failure('bad-archive', `${file} is damaged or cut short`, {
    place: { file },
    expected: `a complete ${kind}`,
    found,
    hint,
  });
}
