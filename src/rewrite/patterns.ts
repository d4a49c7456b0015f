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

/** A path in any of its spellings: every character may be percent-encoded. For hosts that see paths as they came. */
export function spelled(path: string): string {
  return path.replace(/./g, (character) => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase();
    const either = hex.replace(/[A-F]/, (digit) => `[${digit}${digit.toLowerCase()}]`);
    return `(?:${literal(character)}|%${either})`;
  });
}

/**
 * Empty and dot segments in a path as it came, up to where it ends or its query begins: a server may take
 * them away. The space is the one that ends it in a request line.
 */
export const UNNORMALIZED = '(?:/|%2[Ff])(?:/|%2[Ff]|(?:\\.|%2[Ee]){1,2}(?:/|%2[Ff]|[? ]|$))';

/** What stands for itself in a regular expression. */
export function literal(text: string): string {
  return text.replace(/[.\\+*?()[\]{}|^$-]/g, '\\$&');
}

/** A parameter's value as it came. */
export const VALUE = '[^&]*';

/** What Python's int() takes for white space, as UTF-8: ASCII's, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028 and so on. */
const SPACE = '(?:\\+|%20|%09|%0[AaBbCcDd]|%[Cc]2%(?:85|[Aa]0)|%[Ee](?:1%9[Aa]%80|2%80%(?:8[0-9Aa]|[Aa][89Ff])|2%81%9[Ff]|3%80%80))*';

/** A value that is a page number, as Python's int() reads it; `digits` is the group around its digits. */
export function number(digits: string): string {
  // zeros by themselves, not in the group: engines keep a place to return to for each round of a group, and have few
  return `${SPACE}(?:%2[Bb])?(?:0+_)*0*${digits}${SPACE}`;
}

/** A page number without signs and zeros before it; no tree has more digits. */
export const DIGITS = '[1-9][0-9]{0,14}';

/** What a person who reads a pattern needs to know; a comment for each file that has one. */
export const LEGEND: string = 'In the patterns %70%61%67%65 spells page, + %20 %09 and so on are white space, %2B is a plus sign.';
