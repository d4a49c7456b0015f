import type { InputError } from '../source.ts';
import { rejection } from './rejection.ts';

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
