import { FAILURES, type FailureCode } from './failure-codes.ts';
import { type Hint, hintText } from './hint.ts';
import { isObject } from './json.ts';

/** A place in the input: a file (or URL), a line (from 1) or a byte (from 0), and the path of a field in the item. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly byte?: number;
  readonly field?: string;
}

interface Details {
  readonly place?: Place;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  /** What to do next, as an imperative. */
  readonly hint?: Hint | undefined;
  readonly cause?: unknown;
  /** Further errors of the same run, each in another file. */
  readonly others?: readonly Failure[] | undefined;
  /** How many further errors are not in `others`. */
  readonly unlisted?: number | undefined;
}

/** The only error that users see: what failed, where, what was expected and found, and what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** The hint as text, with commands as they are written in the documentation. */
  readonly hint: string | undefined;
  /** The hint with its commands as data. */
  readonly hintParts: Hint | undefined;
  readonly others: readonly Failure[];
  readonly unlisted: number;

  constructor(code: FailureCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.place = details.place ?? {};
    this.expected = details.expected;
    this.found = details.found;
    this.hint = details.hint === undefined ? undefined : hintText(details.hint, ({ command }) => `palimpsest ${command}`);
    this.hintParts = details.hint;
    this.others = details.others ?? [];
    this.unlisted = details.unlisted ?? 0;
  }

  with(details: Details): Failure {
    const { place, expected, found, hintParts: hint, others, unlisted, cause } = this;
    return new Failure(this.code, this.message, { place, expected, found, hint, others, unlisted, cause, ...details });
  }
}

/** Returns the code of an error, such as ENOENT; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the failure of a file or folder that cannot be read or written.
 * @param error the error of the system, or a text that says what was found
 */
export function fileSystemFailure(error: unknown, file: string, remedy: Details, what = `cannot write ${file}`): Failure {
  const found = error instanceof Error ? error.message : String(error);
  return new Failure('file-system', what, { place: { file }, found, cause: error, ...remedy });
}

/** Returns the result of work. If it throws an error, throws what `toFailure` makes of it. */
export function convertErrors<T>(work: () => T, toFailure: (error: unknown) => unknown): T {
  try {
    return work();
  } catch (error) {
    throw toFailure(error);
  }
}

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
