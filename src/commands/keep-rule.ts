import { InvalidArgumentError } from '@commander-js/extra-typings';
import { DAY_MS, type KeepPolicy } from '../versions/keep.ts';

/** The most days or months of a rule that keeps versions. */
export const MOST_PERIODS = 10_000;

/** Parses a time in days, such as `90d`. Returns milliseconds. */
export function days(text: string): number {
  const match = /^([1-9]\d{0,4})d$/.exec(text);
  if (match !== null) return Number(match[1]) * DAY_MS;
  throw new InvalidArgumentError('Expected a time in days, at least 1d, such as 90d.');
}

/** Parses a number of versions such as `14`, or a time in days such as `90d`. */
export function versionsOrDays(text: string): KeepPolicy {
  if (/^[1-9]\d{0,4}$/.test(text)) return { last: Number(text) };
  if (/d$/.test(text)) return { within: days(text) };
  throw new InvalidArgumentError('Expected a number of versions, such as 14, or a time in days, such as 90d.');
}
