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
