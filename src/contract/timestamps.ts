const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The forms of a timestamp, with 0 for every digit. */
const FORMS = ['0000-00-00T00:00:00Z', '0000-00-00T00:00:00.000000Z'];
const ZERO = '0'.charCodeAt(0);

/**
 * Whether a text is a UTC timestamp of the interface: `2023-11-18T16:29:12Z` or
 * `2023-11-18T16:29:12.006921Z`. The date must exist, in the years 0001 to 9999.
 * Timestamps stay text throughout, because a JavaScript Date has no microseconds.
 * Every record is checked, so this uses no regular expression: one takes several times as long.
 */
export function isTimestamp(text: string): boolean {
  if (!FORMS.some((form) => hasForm(text, form))) return false;
  const [year, month, day] = [pair(text, 0) * 100 + pair(text, 2), pair(text, 5), pair(text, 8)];
  return year >= 1 && day >= 1 && day <= daysOf(year, month) && pair(text, 11) <= 23 && pair(text, 14) <= 59 && pair(text, 17) <= 59;
}

function hasForm(text: string, form: string): boolean {
  if (text.length !== form.length) return false;
  for (let index = 0; index < form.length; index += 1) {
    const [unit, expected] = [text.charCodeAt(index), form.charCodeAt(index)];
    if (expected === ZERO ? !isDigit(unit) : unit !== expected) return false;
  }
  return true;
}

/** Returns the number that two digits form. */
function pair(text: string, index: number): number {
  return (text.charCodeAt(index) - ZERO) * 10 + text.charCodeAt(index + 1) - ZERO;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= ZERO + 9;
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
