/**
 * The rules of resolve.ts as regular expressions, for hosts that have no JavaScript. Percent-encoding stays as it
 * came, but for what stands for a letter of the name, for a sign or for white space.
 */

const NAME = '(?:p|%70)(?:a|%61)(?:g|%67)(?:e|%65)';

/**
 * Matches a query with a `page` parameter; `.*` takes as much as it can, so the value is that of the last. What the
 * value is has to be asked in a second step: else `page=2&page=abc` would be matched by its first parameter.
 * PCRE and RE2 read it alike.
 */
export function parameter(value: string): string {
  return `^(?:.*&)?${NAME}(?:=${value})?(?:&.*)?$`;
}

/** No `page` parameter from here on; a lookahead, which RE2 does not have. */
const NONE = `(?!(?:[^&]*&)*${NAME}(?:[=&]|$))`;

/** The same in one step, for a query whose last `page` parameter is as `value` says. For PCRE only. */
export function lastParameter(value: string): string {
  return `(?:[^&]*&)*${NAME}${value}(?:&${NONE}.*)?$`;
}

/** A query without a `page` parameter. For PCRE only. */
export const NO_PARAMETER: string = `${NONE}.*$`;

/** What stands for itself in a regular expression. */
export function literal(text: string): string {
  return text.replace(/[.\\+*?()[\]{}|^$-]/g, '\\$&');
}

/** A parameter's value as it came. */
export const VALUE = '[^&]*';

const SPACE = '(?:\\+|%20|%09|%0[AaBbCcDd])*';

/** A value that is a page number, as Python's int() reads it; `digits` is the group around its digits. */
export function number(digits: string): string {
  return `${SPACE}(?:%2[Bb])?(?:0_?)*${digits}${SPACE}`;
}

/** A page number without signs and zeros before it; no tree has more digits. */
export const DIGITS = '[1-9][0-9]{0,14}';

/** What a person who reads a pattern needs to know; a comment for each file that has one. */
export const LEGEND: string = 'In the patterns %70%61%67%65 spells page, + %20 %09 %0A to %0D are white space, %2B is a plus sign.';
