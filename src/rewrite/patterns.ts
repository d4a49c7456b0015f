import { BROWSE_TYPES } from './resolve.ts';

/**
 * The rules of resolve.ts as regular expressions, for hosts without JavaScript. The patterns match percent-encoded text,
 * and decode only the letters of the name `page`, plus signs and white space.
 */

const NAME = '(?:p|%70)(?:a|%61)(?:g|%67)(?:e|%65)';

/**
 * Returns a pattern for a query with a `page` parameter. `.*` is greedy, so the value is that of the last parameter. The
 * host must check the value in a second step: otherwise `page=2&page=abc` would match with its first parameter.
 * The pattern means the same in PCRE and RE2.
 */
export function parameter(value: string): string {
  return `^(?:.*&)?${NAME}(?:=${value})?(?:&.*)?$`;
}

/** A lookahead that matches if no `page` parameter follows. RE2 has no lookaheads. */
const NO_MORE = `(?!(?:[^&]*&)*${NAME}(?:[=&]|$))`;

/** Returns a pattern for a query whose last `page` parameter has a value that matches `value`. Needs no second step. PCRE only. */
export function lastParameter(value: string): string {
  return `(?:[^&]*&)*${NAME}${value}(?:&${NO_MORE}.*)?$`;
}

/** Matches a query without a `page` parameter. PCRE only. */
export const NO_PARAMETER: string = `${NO_MORE}.*$`;

/** Returns a pattern for a path in which every character may be percent-encoded. For hosts that do not decode paths. */
export function spelled(path: string): string {
  return path.replace(/./g, (character) => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase();
    const either = hex.replace(/[A-F]/, (digit) => `[${digit}${digit.toLowerCase()}]`);
    return `(?:${literal(character)}|%${either})`;
  });
}

/**
 * Matches empty and dot segments in an undecoded path, which a server may remove. The path ends at its query, at the end of
 * the text, or at the space in a request line.
 */
export const UNNORMALIZED = '(?:/|%2[Ff])(?:/|%2[Ff]|(?:\\.|%2[Ee]){1,2}(?:/|%2[Ff]|[? ]|$))';

/** Escapes a text for a regular expression. */
export function literal(text: string): string {
  return text.replace(/[.\\+*?()[\]{}|^$-]/g, '\\$&');
}

/**
 * Returns a pattern for an Accept-Encoding header with a coding that is not excluded by `q=0`, as fetch-handler.ts decides. The
 * host must ignore letter case. PCRE only.
 */
export function accepts(coding: string): string {
  return `(?:^|,)\\s*${coding}\\s*(?:,|$|;(?!\\s*q\\s*=\\s*0(?:\\.0*)?\\s*(?:,|$)))`;
}

const NAME_PART = '[A-Za-z0-9_~-][A-Za-z0-9_.~-]*';

/** Matches the path of a browse file in the tree, as resolve.ts does. It has no capturing groups. */
export const BROWSE_PATH: string = `(?:index\\.html|browse/(?:${NAME_PART}/)*${NAME_PART}\\.(?:${Object.keys(BROWSE_TYPES).join('|')}))`;

/** Matches an undecoded parameter value. */
export const VALUE = '[^&]*';

/** Matches the white space that Python's int() accepts, as percent-encoded UTF-8: ASCII, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028 and others. */
const SPACE = '(?:\\+|%20|%09|%0[AaBbCcDd]|%[Cc]2%(?:85|[Aa]0)|%[Ee](?:1%9[Aa]%80|2%80%(?:8[0-9Aa]|[Aa][89Ff])|2%81%9[Ff]|3%80%80))*';

/** Returns a pattern for a page number as Python's int() parses it. `digits` is the pattern or group for its digits. */
export function number(digits: string): string {
  // leading zeros are matched outside the group: engines store a backtracking position for each repetition of a group, and limit them
  return `${SPACE}(?:%2[Bb])?(?:0+_)*0*${digits}${SPACE}`;
}

/** Matches the digits of a page number without sign and leading zeros. No tree needs more digits. */
export const DIGITS = '[1-9][0-9]{0,14}';

/** Explains the patterns; a comment in each generated file that has patterns. */
export const LEGEND: string = 'In the patterns, %70%61%67%65 means "page", + %20 %09 and similar are white space, and %2B is a plus sign.';
