/**
 * Encodes a value exactly as the JSONRenderer of Django REST Framework does:
 * compact separators, raw UTF-8, short escapes, U+2028 and U+2029 escaped.
 * A lone surrogate stays an escape, because UTF-8 cannot represent it.
 */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return LINE_SEPARATORS.test(text) ? text.replace(/[\u2028\u2029]/g, escapeUnit) : text;
}

const LINE_SEPARATORS = /[\u2028\u2029]/;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}

/** Whether a parsed JSON value is an object: not null, not an array. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a value for an error message: its JSON, cut at 60 characters. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isObject(value)) return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`;
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'a number too large for JSON readers';
  if (Object.is(value, -0)) return '-0';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `${value}, an integer too large for JSON readers to represent exactly`;
  }
  return cut(encodeJson(value));
}

/** Cuts a text at 60 characters. */
export function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57).toWellFormed()}…`;
}
