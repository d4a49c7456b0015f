import { Failure } from '../contract/failure.ts';
import type { InputError } from './source.ts';

/** A inputError as the failure that ends a run in which nothing may be set aside. */
export function rejection(inputError: InputError): Failure {
  const { code, place, expected, found } = inputError;
  const hint = inputError.hint ?? 'mend it, or set such things aside with --rejects FILE; the store is as it was';
  return new Failure(code, messageOf(inputError), { place, expected, found, hint });
}

function messageOf({ code, place }: InputError): string {
  switch (code) {
    case 'conflict':
      return 'an item conflicts with what came before';
    case 'late':
      return 'an observation comes too late';
    default:
      return `${place.file ?? 'the input'} holds something that cannot be taken in`;
  }
}
