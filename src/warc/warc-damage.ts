import { Failure } from '../contract/failure.ts';

/**
 * Returns the failure for an archive of which a part is damaged. Other parts may be readable.
 * @param byte the position of the damage in the file, from 0
 */
export function damaged(file: string, expected: string, found: string, byte?: number): Failure {
  const place = byte === undefined ? { file } : { file, byte };
  const hint = 'fetch or copy the archive again, or import the readable pages with --rejects FILE; nothing was imported';
  return new Failure('bad-archive', `${file} is damaged, or not a valid archive`, { place, expected, found, hint });
}

/** Returns the failure for an archive that is not read at all, because it is unreadable or hostile. */
export function refused(file: string, expected: string, found: string): Failure {
  return damaged(file, expected, found).with({ hint: 'fetch or copy the archive again; nothing was imported' });
}

/** Called with each damaged part of an archive; the readable parts are imported. */
export type OnDamage = (failure: Failure) => void;

export function isDamage(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'bad-archive';
}
