import { plural } from '../../contract/amounts.ts';
import { Failure, type Place } from '../../contract/failure.ts';
import type { FailureCode } from '../../contract/failure-codes.ts';
import { Violation } from '../../contract/json-shape.ts';
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

export function notJson({ line, expected, found, text, hint }: NotJson, file: string): InputError {
  return { kind: 'error', code: 'bad-json', place: { file, line }, expected, found, hint, item: text };
}

/**
 * Returns the input error for an item that breaks a rule.
 * @param origin the place of the JSON value that contains the item
 * @throws any error that is not a Violation
 */
export function brokenRule(error: unknown, origin: Place, item: unknown): InputError {
  if (!(error instanceof Violation)) throw error;
  const { field, expected, found, hint } = error;
  return { kind: 'error', code: 'bad-field', place: placeIn(origin, field), expected, found, hint, item };
}

/** Returns the place of a field in an item; '' is the item itself. */
export function placeIn(origin: Place, field: string): Place {
  return field === '' ? origin : { ...origin, field };
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

/** How many inputs with errors are listed. All errors are counted. */
const MAX_LISTED = 100;

/**
 * Collects the errors of a run without a rejects file. The run reads all inputs, so that one run shows everything that is
 * wrong, and fails at its end.
 */
export class InputErrors {
  readonly #inputs: number;
  /** The first error of each input. */
  readonly #first = new Map<string, InputError>();
  #count = 0;

  /** @param inputs how many inputs the run has */
  constructor(inputs: number) {
    this.#inputs = inputs;
  }

  add(inputError: InputError): void {
    const file = inputError.place.file ?? '';
    if (!this.#first.has(file) && this.#first.size < MAX_LISTED) this.#first.set(file, inputError);
    this.#count += 1;
  }

  /** @throws Failure for the first error, with the first error of each other input, if there is any */
  throwIfAny(): void {
    const [first, ...others] = this.#first.values();
    if (first === undefined) return;
    const isAllOther = this.#inputs > 1 && this.#first.size === this.#inputs && others.every(({ otherCommand }) => otherCommand);
    const hint = (isAllOther ? first.otherCommand?.hintForAll : undefined) ?? first.hint;
    throw rejection({ ...first, hint }, { others: others.map((one) => rejection(one)), unlisted: this.#count - this.#first.size });
  }
}
