import { type Instant, parseInstant } from './instant.ts';
import type { ChangeRecord } from './record.ts';

/** The number of ids reserved for the records of one instant. */
export const ID_RANGE = 1_000_000;

/**
 * Returns the first id for a record of an instant: the microseconds of that instant. If it is taken, the record gets
 * the next free id. Ids therefore rise with time across accounts, in whatever order their histories are imported.
 */
export function firstId(instant: Instant): number {
  return instant;
}

/**
 * The first id that leaves too little room for later records. They need higher ids, and JSON readers represent no
 * integer beyond 2^53 - 1 exactly.
 */
export const FIRST_ID_WITHOUT_ROOM = 9_000_000_000_000_000;

/** Whether later records can get higher ids. A generated id is the time of its record, so later times have higher ids. */
export function leavesRoom(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  return record.id < FIRST_ID_WITHOUT_ROOM || isGenerated(record);
}

/** Whether palimpsest generated a record from an observation. Only then does the id follow from the time of the record. */
export function isGenerated(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  const instant = parseInstant(record.first_encountered_date) ?? 0;
  return instant > ID_RANGE && record.id >= firstId(instant) && record.id < firstId(instant) + ID_RANGE;
}
