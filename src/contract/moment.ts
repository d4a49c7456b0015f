import { daysOf } from './dates.ts';

/** A moment: whole microseconds since 1970 began, UTC. Exact up to the year 2255, where doubles end to be. */
export type Moment = number;

/**
 * The moment that an ISO 8601 text with a zone names; a finer fraction than microseconds is cut off.
 * Read by hand: a regular expression would take as long as all else that is done with a snapshot.
 * @returns undefined where it names none from 1970 to 2255
 */
export function momentOf(text: string): Moment | undefined {
  if (text[4] !== '-' || text[7] !== '-' || !'Tt '.includes(text[10] ?? '') || text[13] !== ':' || text[16] !== ':') return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  // with another zone a moment may fall into 1970 that is none of its year; what is no number fails each comparison
  if (!(year >= 1969 && day >= 1 && day <= daysOf(year, month) && hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const zone = text[19] === '.' ? endOfDigits(text, 20) : 19;
  if (zone === 20 || zone > 29) return undefined;
  const minutes = Date.UTC(year, month - 1, day, hour, minute) / 60_000 - offset(text, zone);
  const moment = (minutes * 60 + second) * 1_000_000 + microseconds(text, zone);
  return isMoment(moment) ? moment : undefined;
}

/** The number that digits from one place up to another write; NaN where there is anything else. */
function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (!Number.isNaN(digits(text, end, end + 1))) end += 1;
  return end;
}

/** The fraction of a second between its point at 19 and the zone. */
function microseconds(text: string, zone: number): number {
  if (zone === 19) return 0;
  const end = Math.min(zone, 26);
  return digits(text, 20, end) * 10 ** (26 - end);
}

/** The minutes by which a zone is ahead of UTC; NaN where there is none at this place, or more than a zone. */
function offset(text: string, zone: number): number {
  const sign = text[zone];
  if (sign === 'Z' || sign === 'z') return text.length === zone + 1 ? 0 : Number.NaN;
  const colon = text[zone + 3] === ':' ? 1 : 0;
  const [hours, minutes] = [digits(text, zone + 1, zone + 3), digits(text, zone + 3 + colon, zone + 5 + colon)];
  if ((sign !== '+' && sign !== '-') || !(hours <= 23 && minutes <= 59) || text.length !== zone + 5 + colon) return Number.NaN;
  return (hours * 60 + minutes) * (sign === '-' ? -1 : 1);
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
