/** The maximum wait for a Retry-After, in milliseconds. With a wrong clock, it could be years. */
const LONGEST_RETRY_AFTER = 600_000;

/** Exponential backoff with jitter. Pauses are in milliseconds. */
export interface Backoff {
  /** The longest pause before the second attempt. It doubles with each further attempt. */
  readonly first: number;
  /** The longest pause before any attempt. */
  readonly longest: number;
  /** The smallest share of the longest pause that an attempt waits: with 0, the jitter is full. */
  readonly least: number;
}

/**
 * Returns the pause after a failed attempt.
 * @param attempt its number, from 1
 * @param requested the pause that the server asked for
 */
export function pauseAfter(attempt: number, { first, longest, least }: Backoff, requested = 0): number {
  return Math.max(requested, Math.min(longest, first * 2 ** (attempt - 1)) * (least + (1 - least) * Math.random()));
}

/**
 * Returns the wait that a Retry-After requests, in milliseconds, at most 10 minutes; 0 if it requests none.
 * @param value seconds, or an HTTP date
 * @param now milliseconds since 1970
 */
export function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const text = value.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? 0 : Math.min(LONGEST_RETRY_AFTER, Math.max(0, milliseconds));
}
