import { isTimestamp, isWholeSecond } from './instant.ts';
import { isObject, show } from './json.ts';

/** The rule of a field: a check, and its description for error messages. */
export interface Rule<T> {
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
}

/** The rules of the fields of an object, in the order in which the fields are written. */
export type Shape<T> = { readonly [K in keyof T]: Rule<T[K]> };

/** The error for a value that breaks a rule. The field is a path such as `data[3].text`. */
export class Violation extends Error {
  readonly field: string;
  readonly expected: string;
  readonly found: string;
  /** What to do, if correcting the field is not enough. */
  readonly hint: string | undefined;

  constructor(field: string, expected: string, found: string, hint?: string) {
    super(`${field}: expected ${expected}, found ${found}`);
    this.name = 'Violation';
    this.field = field;
    this.expected = expected;
    this.found = found;
    this.hint = hint;
  }
}

/**
 * Checks that an object has all fields of a shape, that each keeps its rule, and that it has no other field.
 * An unknown field could not be published and would be lost silently.
 * @param path the path of the object in the input, such as `results[3]`; '' at the top
 * @throws Violation at the first field that breaks its rule
 */
export function parseShape<T extends object>(shape: Shape<T>, value: unknown, path: string): T {
  if (!isObject(value)) throw new Violation(path || 'item', 'an object', show(value));
  assertConforms(shape, value, path);
  return value;
}

function assertConforms<T extends object>(
  shape: Shape<T>,
  value: { readonly [key: string]: unknown },
  path: string,
): asserts value is T & typeof value {
  let fields = 0;
  for (const field in shape) {
    const rule = shape[field];
    const found = value[field];
    if (!rule.accepts(found)) {
      throw new Violation(at(path, field), rule.expected, found === undefined ? 'no such field' : show(found));
    }
    // an optional field may be missing
    if (found !== undefined) fields += 1;
  }
  if (Object.keys(value).length > fields) {
    const extra = Object.keys(value).find((key) => !Object.hasOwn(shape, key)) ?? '';
    throw new Violation(at(path, extra), 'only the fields of the interface', `${show(value[extra])} in an unknown field`);
  }
}

/** Returns the path of a field inside the object at `path`. */
export function at(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && !Object.is(value, -0);

export function rule<T>(expected: string, accepts: (value: unknown) => value is T): Rule<T> {
  return { expected, accepts };
}

export const text: Rule<string> = rule('a string', isString);

export const textOrNull: Rule<string | null> = rule(
  'a string or null',
  (value): value is string | null => value === null || isString(value),
);

/** Returns the rule of a field that may be null. */
export function orNull<T>({ expected, accepts }: Rule<T>): Rule<T | null> {
  return rule(`${expected}, or null`, (value): value is T | null => value === null || accepts(value));
}

/** Returns the rule of a field that may be missing. */
export function orNothing<T>({ expected, accepts }: Rule<T>): Rule<T | undefined> {
  return rule(`${expected}, or nothing`, (value): value is T | undefined => value === undefined || accepts(value));
}

export function arrayOf<T>(expected: string, { accepts }: Rule<T>): Rule<readonly T[]> {
  return rule(expected, (value): value is readonly T[] => Array.isArray(value) && value.every((one) => accepts(one)));
}

export function objectOf<T extends object>(expected: string, shape: Shape<T>): Rule<T> {
  return rule(expected, (value): value is T => isObject(value) && hasFields(shape, value));
}

function hasFields<T extends object>(shape: Shape<T>, value: { readonly [key: string]: unknown }): boolean {
  for (const field in shape) if (!shape[field].accepts(value[field])) return false;
  return true;
}

export const identifier: Rule<number> = rule(
  'an integer from 0 to 9007199254740991',
  (value): value is number => isWhole(value) && value >= 0,
);

export const identifierOrNull: Rule<number | null> = orNull(identifier);

export const count: Rule<number> = rule('an integer of 0 or more', identifier.accepts);

/** Whether a text can be a handle or a stable id. A regular expression would take five times as long. */
function isKey(value: string): boolean {
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return false;
  }
  return value !== '' && value.isWellFormed();
}

/** The handle of an account. It is a key, so it must be valid Unicode without control characters of ASCII. */
export const handle: Rule<string> = rule(
  'a screen name: not empty, no control characters of ASCII, valid Unicode',
  (value): value is string => isString(value) && isKey(value),
);

export const timestamp: Rule<string> = rule(
  'a UTC time such as "2023-11-18T16:29:12Z" or "2023-11-18T16:29:12.006921Z"',
  (value): value is string => isString(value) && isTimestamp(value),
);

export const wholeSecond: Rule<string> = rule(
  'a UTC time such as "2023-11-18T16:29:12Z"',
  (value): value is string => isString(value) && isWholeSecond(value),
);

export const wholeSecondOrNull: Rule<string | null> = orNull(wholeSecond);

const isAbsoluteUrl = (value: unknown): value is string => isString(value) && URL.canParse(value);

/** Empty if no source gave one. This is a design decision: the interface defines only the absolute URL. */
export const urlOrEmpty: Rule<string> = rule('an absolute URL or ""', (value): value is string => value === '' || isAbsoluteUrl(value));

export const urlOrEmptyOrNull: Rule<string | null> = rule(
  'an absolute URL, "" or null',
  (value): value is string | null => value === null || value === '' || isAbsoluteUrl(value),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression excludes control characters
const WEB = /^https?:\/\/[^\u0000-\u001f\u007f-\u009f]*$/i;

/**
 * Whether a URL is http or https and has no control characters. Browsers drop control characters, and other schemes can
 * run code when a user follows the link.
 */
export function hasWebScheme(url: string): boolean {
  return WEB.test(url);
}

export const webUrlOrEmpty: Rule<string> = rule(
  'an http or https URL, or ""',
  (value): value is string => value === '' || (isAbsoluteUrl(value) && hasWebScheme(value)),
);

export function oneOf<const T extends string>(...values: readonly T[]): Rule<T> {
  return rule(`one of ${values.join(', ')}`, (value): value is T => values.some((known) => known === value));
}

export const list: Rule<readonly unknown[]> = rule('an array', (value): value is readonly unknown[] => Array.isArray(value));

/** What is written only if it is false. */
export const falseOrNothing: Rule<false | undefined> = orNothing(rule('false', (value) => value === false));

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
