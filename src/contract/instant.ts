/** Whole microseconds since 1970-01-01T00:00:00Z. Exact up to the year 2255, because a number has 53 bits. */
export type Instant = number;

export const DAY_MS = 86_400_000;
export const DAY_MICROS = 86_400_000_000;

/**
 * Parses an ISO 8601 time with a zone. Digits beyond microseconds are cut off.
 * No regular expression is used here and in {@link isTimestamp}: it would take as long as all other processing of a snapshot.
 * @returns undefined if the text is not such a time, or not from 1970 to 2255
 */
export function parseInstant(text: string): Instant | undefined {
  const zone = zoneStart(text);
  const instant = (secondsOf(text) - 60 * offset(text, zone)) * 1_000_000 + microseconds(text, zone);
  return isInstant(instant) ? instant : undefined;
}

/** The first second of the year 1. */
const FIRST_SECOND = -62_135_596_800;

/**
 * Whether a text is a UTC timestamp of the interface: `2023-11-18T16:29:12Z` or `2023-11-18T16:29:12.006921Z`. The date must exist, in
 * the years 0001 to 9999. Timestamps stay text throughout, because a JavaScript Date has no microseconds.
 */
export function isTimestamp(text: string): boolean {
  const zone = zoneStart(text);
  const isForm = (zone === 19 || zone === 26) && text.length === zone + 1 && text.charAt(zone) === 'Z' && text.charAt(10) === 'T';
  return isForm && secondsOf(text) >= FIRST_SECOND;
}

/** Whether a text is a UTC timestamp without a fraction of a second. */
export function isWholeSecond(text: string): boolean {
  return text.length === 20 && isTimestamp(text);
}

/** Returns the seconds since 1970 of the date and time at the start of a text, in its zone. NaN or before the year 1: there is none. */
function secondsOf(text: string): number {
  const year = pair(text, 0) * 100 + pair(text, 2);
  const [month, day, hour, minute, second] = [pair(text, 5), pair(text, 8), pair(text, 11), pair(text, 14), pair(text, 17)];
  if (day < 1 || day > daysOf(year, month) || !isPunctuated(text)) return Number.NaN;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return Number.NaN;
  return ((daysBefore(year, month) + day - 1) * 24 + hour) * 3600 + minute * 60 + second;
}

/** So negative that every sum with it is outside the range of days, hours and years. */
const NO_NUMBER = -1_000_000;

/** Parses two digits. Returns NO_NUMBER if they are not digits. */
function pair(text: string, index: number): number {
  const [tens, ones] = [text.charCodeAt(index) - 48, text.charCodeAt(index + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NO_NUMBER;
}

function isPunctuated(text: string): boolean {
  const between = text.charAt(10);
  const isDate = text.charAt(4) === '-' && text.charAt(7) === '-' && (between === 'T' || between === ' ' || between === 't');
  return isDate && text.charAt(13) === ':' && text.charAt(16) === ':';
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the number of days of a month (from 1), or 0 if the month does not exist. */
export function daysOf(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Returns the number of days from 1970 to the beginning of a month. */
function daysBefore(year: number, month: number): number {
  const before = year - 1;
  let days = (year - 1970) * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
  for (let earlier = 1; earlier < month; earlier += 1) days += daysOf(year, earlier);
  return days;
}

/** Returns the index of the zone. It follows the fraction of a second, which has at most nine digits. */
function zoneStart(text: string): number {
  let end = 19;
  if (text.charAt(end) !== '.') return end;
  do end += 1;
  while (text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57 && end < 29);
  return end;
}

/** Returns the microseconds of the fraction between its point at index 19 and the zone. NaN if it has no digit. */
function microseconds(text: string, zone: number): number {
  if (zone === 20) return Number.NaN;
  let count = 0;
  for (let index = 20; index < 26; index += 1) count = count * 10 + (index < zone ? text.charCodeAt(index) - 48 : 0);
  return count;
}

/** Returns the minutes by which a zone is ahead of UTC. NaN if the rest of the text is not exactly a zone. */
function offset(text: string, zone: number): number {
  const sign = text.charAt(zone);
  if (sign === 'Z' || sign === 'z') return text.length === zone + 1 ? 0 : Number.NaN;
  const colon = text.charAt(zone + 3) === ':' ? 1 : 0;
  const [hours, minutes] = [pair(text, zone + 1), pair(text, zone + 3 + colon)];
  const isOffset = (sign === '+' || sign === '-') && hours >= 0 && hours <= 23 && minutes >= 0 && minutes <= 59;
  if (!isOffset || text.length !== zone + 5 + colon) return Number.NaN;
  const ahead = hours * 60 + minutes;
  return sign === '-' ? -ahead : ahead;
}

/** Converts milliseconds since 1970 to an instant. Returns undefined if it is out of range. */
export function instantOfMilliseconds(milliseconds: number): Instant | undefined {
  const instant = Math.round(milliseconds * 1000);
  return isInstant(instant) ? instant : undefined;
}

/** Formats an instant for new records: `2023-11-18T16:29:12.006921Z`. */
export function timestampOf(instant: Instant): string {
  const micros = instant % 1000;
  return `${new Date((instant - micros) / 1000).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Returns the date of an instant: `2020-12-19`. */
export function dateOf(instant: Instant): string {
  return timestampOf(instant).slice(0, 10);
}

function isInstant(instant: number): boolean {
  return Number.isSafeInteger(instant) && instant >= 0;
}
