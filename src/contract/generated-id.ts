import { parseInstant } from './instant.ts';
import type { ChangeRecord } from './record.ts';

/** The number of ids reserved for the records of one instant. */
export const ID_RANGE = 1_000_000;

/**
 * The first id that leaves too little room for later records. They need higher ids, and JSON readers represent no
 * integer beyond 2^53 - 1 exactly.
 */
export const FIRST_ID_WITHOUT_ROOM = 9_000_000_000_000_000;

/** Whether later records can get higher ids. A generated id is the time of its record, so later times have higher ids. */
export function leavesRoom(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  return record.id < FIRST_ID_WITHOUT_ROOM || isGenerated(record);
}

/**
 * Whether palimpsest generated a record from an observation. Only then does the id follow from the time of the record: it is the instant
 * of the record, or the next free id. So ids rise with time across accounts, in whatever order their histories are imported.
 */
export function isGenerated(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  const instant = parseInstant(record.first_encountered_date) ?? 0;
  return instant > ID_RANGE && record.id >= instant && record.id < instant + ID_RANGE;
}
