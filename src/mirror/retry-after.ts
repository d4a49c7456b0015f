/** The maximum wait for a Retry-After, in milliseconds. With a wrong clock, it could be years. */
export const LONGEST_RETRY_AFTER = 600_000;

/**
 * Returns the wait that a Retry-After requests, in milliseconds, at most {@link LONGEST_RETRY_AFTER}; 0 if it requests none.
 * @param value seconds, or an HTTP date
 * @param now milliseconds since 1970
 */
export function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const text = value.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? 0 : Math.min(LONGEST_RETRY_AFTER, Math.max(0, milliseconds));
}
