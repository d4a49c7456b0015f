const [POINT, COLON, UPPER_E, BACKSLASH, LOWER_E] = [0x2e, 0x3a, 0x45, 0x5c, 0x65];

/**
 * Counts the keys of all objects in a valid JSON text, including repeated ones.
 * Returns -1 if a number has a fraction or an exponent, or if a key has an escape.
 * Every input text passes through this function, so it skips strings with the fast search of the engine.
 */
export function keysIn(text: string): number {
  let count = 0;
  let before = 0;
  for (let index = 0; ; ) {
    const string = text.indexOf('"', index);
    const end = string === -1 ? text.length : string;
    for (; index < end; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === COLON) {
        if (hasBackslash(text, before, index)) return -1;
        count += 1;
      } else if (unit === POINT || unit === UPPER_E || (unit === LOWER_E && isDigit(text.charCodeAt(index - 1)))) return -1;
    }
    if (string === -1) return count;
    before = string;
    index = stringEnd(text, string);
  }
}

/** Whether a part of a text has a backslash. The part is a key, which is short. */
function hasBackslash(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (text.charCodeAt(index) === BACKSLASH) return true;
  return false;
}

/** Returns the position after the string that begins at `start`. */
export function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** Whether an odd number of backslashes precedes a character in a string. */
function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (index - before) % 2 === 0;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
