import { Failure } from '../contract/failure.ts';
import type { Flaw } from './source.ts';

/** A flaw as the failure that ends a run in which nothing may be set aside. */
export function refusal(flaw: Flaw): Failure {
  const { code, place, expected, found } = flaw;
  const hint = flaw.hint ?? 'mend it, or set such things aside with --rejects FILE; the store is as it was';
  return new Failure(code, messageOf(flaw), { place, expected, found, hint });
}

function messageOf({ code, place }: Flaw): string {
  switch (code) {
    case 'conflict':
      return 'an item conflicts with what came before';
    case 'late':
      return 'an observation comes too late';
    default:
      return `${place.file ?? 'the input'} holds something that cannot be taken in`;
  }
}
