const MONTHS: readonly string[] = [
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
];

/** Returns the name of a month: `March`. @param month such as `2024-03` */
export function monthName(month: string): string {
  return MONTHS[Number(month.slice(5, 7)) - 1] ?? '';
}

/** Returns `March 2024`. @param date a date or a month */
export function monthAndYear(date: string): string {
  return `${monthName(date)} ${yearOf(date)}`;
}

/** Returns `5 March 2024`. @param date begins with a date: `2024-03-05` */
export function fullDate(date: string): string {
  const day = date.charCodeAt(8) === 0x30 ? date.slice(9, 10) : date.slice(8, 10);
  return `${day} ${monthAndYear(date)}`;
}

/** Returns `5 March 2024, 14:03:09 UTC`. @param time a time of a record */
export function fullTime(time: string): string {
  return `${fullDate(time)}, ${time.slice(11, 19)} UTC`;
}

/** Returns the element for a time, with the text that readers see. */
export function timeMarkup(time: string, text: string): string {
  return `<time datetime=${time}>${text}</time>`;
}

function yearOf(date: string): string {
  return date.slice(0, 4);
}

const WEEKDAYS: readonly string[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Returns the weekday of a date, from 0 for Monday. */
export function weekdayOf(date: string): number {
  return (new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export function weekdayName(weekday: number): string {
  return WEEKDAYS[weekday] ?? '';
}
