import { Failure } from '../contract/failure.ts';
import { plural } from '../contract/plural.ts';

/**
 * Returns the reason not to add a run to the store because too many of its items were rejected; undefined if they are not.
 * @param most the highest share of rejected items, from 0 to 1
 */
export function tooManyRejects(rejected: number, items: number, most: number): Failure | undefined {
  if (rejected <= most * items || rejected === items) return undefined;
  return new Failure('too-many-rejects', `${rejected} of ${plural(items, 'item')} cannot be used`, {
    expected: `at most ${percent(most)} of the items`,
    found: percent(rejected / items),
    hint: 'look at the reasons in the rejects file; if the other items are right, add them with --max-rejected 100%; the store is unchanged',
  });
}

/** Formats a share, rounded down: 0.996 is not all. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}
