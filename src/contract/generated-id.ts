import { type Instant, parseInstant } from './instant.ts';
import type { ChangeRecord } from './record.ts';

/** How far behind its moment a record's id may lie: so many records of one moment there is room for. */
export const ID_RANGE = 1_000_000;

/**
 * The first id that a record of a moment may get, the moment's microseconds themselves; where it is
 * taken the next that is free follows. So ids rise with time across accounts, whatever the order in which
 * their histories come in.
 */
export function firstId(moment: Instant): number {
  return moment;
}

/** From here on an id leaves too little room: later records get higher ids, and JSON readers hold none beyond 2^53 - 1. */
export const FIRST_ID_WITHOUT_ROOM = 9_000_000_000_000_000;

/** Whether later records can get higher ids. A generated id is the time of its record, so that later times have room. */
export function leavesRoom(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  return record.id < FIRST_ID_WITHOUT_ROOM || isGenerated(record);
}

/** Whether palimpsest made a record from an observation: then its id tells its moment, as nobody else's does. */
export function isGenerated(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  const moment = parseInstant(record.first_encountered_date);
  return moment !== undefined && moment > ID_RANGE && record.id >= firstId(moment) && record.id < firstId(moment) + ID_RANGE;
}
