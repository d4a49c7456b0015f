import type { FormerHandle } from '../contract/accounts/account-state.ts';
import { parseInstant } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';

/** An entry of an account's timeline: a change, or the end of the time with a handle. The account can have that handle again. */
export type TimelineEntry = { readonly record: ChangeRecord } | { readonly former: FormerHandle };

/**
 * Merges the changes and the renames of an account, newest first. The changes after a rename happened under that former
 * handle or an earlier one.
 * @param records newest first
 * @param formerHandles sorted by time
 */
export function* timeline(records: readonly ChangeRecord[], formerHandles: readonly FormerHandle[]): Generator<TimelineEntry> {
  const renames = [...formerHandles];
  for (const record of records) {
    const instant = parseInstant(record.first_encountered_date) ?? 0;
    for (let last = renames.at(-1); last !== undefined && last.seen_to >= instant; last = renames.at(-1)) {
      renames.pop();
      yield { former: last };
    }
    yield { record };
  }
  for (const former of renames.toReversed()) yield { former };
}
