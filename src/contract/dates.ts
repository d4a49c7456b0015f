const UTC = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{6})?Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether a text is a UTC timestamp of the interface: `2023-11-18T16:29:12Z` or
 * `2023-11-18T16:29:12.006921Z`. The date must exist, in the years 0001 to 9999.
 * Timestamps stay text throughout, because a JavaScript Date has no microseconds.
 */
export function isTimestamp(text: string): boolean {
  const match = UTC.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return year >= 1 && day >= 1 && day <= daysOf(year, month) && hour <= 23 && minute <= 59 && second <= 59;
}

/** Whether a text is a UTC timestamp without a fraction of a second. */
export function isWholeSecond(text: string): boolean {
  return !text.includes('.') && isTimestamp(text);
}

/** Returns the number of days of a month (from 1), or 0 if the month does not exist. */
export function daysOf(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}
