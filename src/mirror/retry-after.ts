/** The longest time that a Retry-After is waited for, in milliseconds: a wrong clock may ask for years. */
export const LONGEST_RETRY_AFTER = 600_000;

/**
 * How long a Retry-After asks to wait, in milliseconds, at most {@link LONGEST_RETRY_AFTER}; 0 if it does not ask for a pause.
 * @param value seconds, or an HTTP date
 * @param now milliseconds since 1970
 */
export function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const text = value.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? 0 : Math.min(LONGEST_RETRY_AFTER, Math.max(0, milliseconds));
}
