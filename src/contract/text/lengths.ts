import { at, Violation } from '../shape.ts';

/** The greatest length of a text of a profile, in UTF-16 units: several times what a service allows. */
export const MAX_TEXT = 10_000;
/** The greatest length of the HTML of such texts: a difference, or the note of Mastodon. */
export const MAX_MARKUP = 100_000;

/**
 * Checks the lengths of all texts in an item. Its list `data` or `results` is left out, because each item of that list is checked alone.
 * @throws Violation at the first text that is too long
 */
export function checkLengths(item: object, path: string): void {
  for (const [key, value] of Object.entries(item)) {
    const field = Array.isArray(item) ? `${path}[${key}]` : at(path, key);
    if (typeof value === 'string') checkLength(value, field, key === 'diff_html' ? MAX_MARKUP : MAX_TEXT);
    else if (typeof value === 'object' && value !== null && key !== 'data' && key !== 'results') checkLengths(value, field);
  }
}

/** @throws Violation if a text is too long */
export function checkLength(text: string, field: string, most: number): void {
  if (text.length > most) throw new Violation(field, `at most ${most} characters`, String(text.length));
}
