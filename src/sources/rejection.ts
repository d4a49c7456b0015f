import { Failure } from '../contract/failure.ts';
import type { InputError } from './source.ts';

/** Converts an input error to the failure that ends a run without a rejects file. */
export function rejection(inputError: InputError): Failure {
  const { code, place, expected, found } = inputError;
  const hint = inputError.hint ?? 'fix it, or write such items to a file with --rejects FILE; the store is unchanged';
  return new Failure(code, messageOf(inputError), { place, expected, found, hint });
}

function messageOf({ code, place }: InputError): string {
  switch (code) {
    case 'conflict':
      return 'an item conflicts with an earlier one';
    case 'late':
      return 'an observation is too late';
    default:
      return `${place.file ?? 'the input'} contains an item that cannot be imported`;
  }
}
