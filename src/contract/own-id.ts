import { type Moment, momentOf } from './moment.ts';
import type { ChangeRecord } from './record.ts';

/** How far behind its moment a record's id may lie: so many records of one moment there is room for. */
export const ROOM = 1_000_000;

/**
 * The first id that a record of a moment may get, the moment's microseconds themselves; where it is
 * taken the next that is free follows. So ids rise with time across accounts, whatever the order in which
 * their histories come in.
 */
export function firstId(moment: Moment): number {
  return moment;
}

/** Whether palimpsest made a record from an observation: then its id tells its moment, as nobody else's does. */
export function isOwn(record: Pick<ChangeRecord, 'id' | 'first_encountered_date'>): boolean {
  const moment = momentOf(record.first_encountered_date);
  return moment !== undefined && moment > ROOM && record.id >= firstId(moment) && record.id < firstId(moment) + ROOM;
}
