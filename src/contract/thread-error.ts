import { FAILURES, Failure } from './failure.ts';
import { isObject } from './json.ts';

/** Restores an error of another thread. If its class cannot be cloned, only its properties arrive. A Failure stays a Failure. */
export function errorOfThread(error: unknown): Error {
  if (isFailure(error)) return new Failure(error.code, error.message, { ...error, hint: error.hintParts });
  if (error instanceof Error || !isObject(error)) return error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(String(error['message'])), error);
}

/** Whether an error was a Failure in the other thread. */
function isFailure(error: unknown): error is Failure {
  return isObject(error) && Object.hasOwn(FAILURES, String(error['code'])) && 'place' in error;
}
