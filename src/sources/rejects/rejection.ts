import { Failure, type FailureCode } from '../../contract/failure.ts';
import { plural } from '../../contract/plural.ts';
import type { NotJson } from '../json/raw-value.ts';
import type { InputError } from '../source.ts';

/**
 * Converts an input error to the failure that ends a run without a rejects file.
 * @param more the other errors of the run
 */
export function rejection(inputError: InputError, more: Pick<Failure, 'others' | 'unlisted'> = NO_MORE): Failure {
  const { code, place, expected, found } = inputError;
  const hint = inputError.hint ?? 'correct the item, or write such items to a file with --rejects FILE; the store is unchanged';
  return new Failure(code, messageOf(inputError), { place, expected, found, hint, ...more });
}

const NO_MORE = { others: [], unlisted: 0 };

function messageOf({ code, place, message }: InputError): string {
  if (message !== undefined) return message;
  switch (code) {
    case 'conflict':
      return 'an item conflicts with an earlier one';
    case 'future-time':
      return 'a snapshot is from the future';
    case 'late':
      return 'a snapshot is too late';
    default:
      return `${place.file ?? 'the input'} contains an item that cannot be used`;
  }
}

/** Not the fault of the input: every other one would probably fail too, and the user has to do something before the run can succeed. */
const ENDS_RUN: ReadonlySet<FailureCode> = new Set([
  'no-tool',
  'tool-failed',
  'no-client',
  'target-denied',
  'target-failed',
  'stopped',
  'usage',
]);

/**
 * Returns the input error of an input that cannot be read to its end.
 * @throws any error that does not concern only this input
 */
export function unreadableInput(error: unknown): InputError {
  if (!(error instanceof Failure) || ENDS_RUN.has(error.code)) throw error;
  const { code, message, place, expected = '', found = '', hint } = error;
  return { kind: 'error', code, message, place, expected, found, hint };
}

/** Returns the input error for the rest of an input that is not JSON. */
export function notJson({ line, expected, found, text, hint }: NotJson, file: string): InputError {
  return { kind: 'error', code: 'bad-json', place: { file, line }, expected, found, item: text, ...(hint === undefined ? {} : { hint }) };
}

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

/**
 * Returns the reason not to add a run to the store because too many of its items were rejected; undefined if they are not.
 * @param most the highest share of rejected items, from 0 to 1
 * @param dryRun whether no rejects file is written
 */
export function tooManyRejects(rejected: number, items: number, most: number, dryRun = false): Failure | undefined {
  if (rejected <= most * items || rejected === items) return undefined;
  const reasons = dryRun
    ? 'run again without --dry-run to write the reasons to the rejects file'
    : 'look at the reasons in the rejects file';
  return new Failure('too-many-rejects', `${rejected} of ${plural(items, 'item')} cannot be used`, {
    expected: `at most ${percent(most)} of the items`,
    found: percent(rejected / items),
    hint: `${reasons}; if the other items are right, add them with --max-rejected 100%; the store is unchanged`,
  });
}

/** Formats a share, rounded down: 0.996 is not all. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}
