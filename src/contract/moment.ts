/** A moment: whole microseconds since 1970 began, UTC. Exact up to the year 2255, where doubles end to be. */
export type Moment = number;

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/**
 * The moment that an ISO 8601 text with a zone names; a finer fraction than microseconds is cut off.
 * @returns undefined where it names none from 1970 to 2255
 */
export function momentOf(text: string): Moment | undefined {
  const match = ISO.exec(text);
  // Date.UTC takes the years 0 to 99 for 1900 to 1999
  if (match === null || text.startsWith('00')) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = match;
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(utc);
  // Date takes 31 February for 3 March
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() + 1 !== Number(month)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const moment = (utc - offset) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
  return isMoment(moment) ? moment : undefined;
}

/** The moment that milliseconds since 1970 name; undefined where they name none that can be held. */
export function momentOfMilliseconds(milliseconds: number): Moment | undefined {
  const moment = Math.round(milliseconds * 1000);
  return isMoment(moment) ? moment : undefined;
}

/** A moment as new records write it: `2023-11-18T16:29:12.006921Z`. */
export function timestampOf(moment: Moment): string {
  const micros = moment % 1000;
  return `${new Date((moment - micros) / 1000).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

function isMoment(moment: number): boolean {
  return Number.isSafeInteger(moment) && moment >= 0;
}
