import { Failure } from '../../contract/failure.ts';

/** Called with each damaged part of an archive; the readable parts are imported. */
export type OnDamage = (failure: Failure) => void;

/** Whether an error says that an archive is damaged. */
export function isDamage(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'bad-archive';
}
