import { type Markup, markup, trusted } from './markup.ts';

/** Dates, months and times need no escape: the contract checks them when it reads them. */

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Returns the name of a month: `March`. @param month such as `2024-03` */
export function monthName(month: string): (typeof MONTHS)[number] | '' {
  return MONTHS[Number(month.slice(5, 7)) - 1] ?? '';
}

/** Returns `March 2024`. @param date a date or a month */
export function monthAndYear(date: string): Markup {
  return trusted(`${monthName(date)} ${date.slice(0, 4)}`);
}

/** Returns `5 March 2024`. @param date begins with a date: `2024-03-05` */
export function fullDate(date: string): Markup {
  const day = date.charCodeAt(8) === 0x30 ? date.slice(9, 10) : date.slice(8, 10);
  return trusted(`${day} ${monthAndYear(date)}`);
}

/** Returns `5 March 2024, 14:03:09 UTC`. @param time a time of a record */
export function fullTime(time: string): Markup {
  return markup`${fullDate(time)}, ${clockTime(time)} UTC`;
}

/** Returns `14:03:09`. @param time a time of a record */
export function clockTime(time: string): Markup {
  return trusted(time.slice(11, 19));
}

/** The length of a time with a fraction. It has six digits, and HTML allows three. */
const LONG = '2024-03-05T14:03:09.000123Z'.length;

/** Returns the element for a time, with the text that readers see. */
export function timeMarkup(time: string, text: Markup): Markup {
  return markup`<time datetime=${trusted(time.length === LONG ? `${time.slice(0, 23)}Z` : time)}>${text}</time>`;
}

/** Returns the element for the day of a time. */
export function dateMarkup(time: string): Markup {
  return timeMarkup(time, fullDate(time));
}

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Returns the weekday of a date, from 0 for Monday. */
export function weekdayOf(date: string): number {
  return (new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7;
}
