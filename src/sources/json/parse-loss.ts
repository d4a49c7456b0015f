import { cut } from '../../contract/json.ts';
import { at } from '../../contract/json-shape.ts';

/** Data that JSON.parse drops or rounds silently, and its place. */
export interface ParseLoss {
  readonly code: 'bad-json' | 'bad-field';
  /** The field's path in the value, such as `data[3].text`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** A loss, and the smallest item that has it. */
export interface LossInItem extends ParseLoss {
  /** The item: an element of a list of records, accounts or snapshots. Undefined: the text is one item. */
  readonly item: { readonly path: string; readonly start: number; readonly end: number } | undefined;
}

/** An open array or object, with the names seen or the index reached. */
interface Open {
  readonly names: Set<string> | undefined;
  /** The path of the current element, and where it begins in the text. */
  path: string;
  start: number;
  readonly base: string;
  index: number;
}

/** The fields whose elements are records, accounts or snapshots, in the input of any command. */
const LISTS: ReadonlySet<string> = new Set(['results', 'data', 'users', 'accounts', 'profiles']);

/** Matches a bracket, a comma, a colon, a number, or the quote that begins a string. */
const TOKEN = /["[\]{},:]|-?\d[\d.eE+-]*/g;

/**
 * Returns the first loss of each item in a valid JSON text. There are two kinds of loss:
 * - A name occurs twice in one object: JSON.parse keeps only the last value.
 * - A number that is not an integer would be rounded to an integer.
 */
export function lossesIn(text: string): readonly LossInItem[] {
  const losses: LossInItem[] = [];
  const open: Open[] = [];
  let isName = false;
  /** The loss of the current item, and how many arrays and objects were open around the item. */
  let lost: { readonly loss: ParseLoss; readonly list: Open; readonly depth: number } | undefined;
  const endItem = (end: number) => {
    if (lost === undefined || lost.depth !== open.length) return;
    const { path, start } = lost.list;
    // the item contains the smaller ones that were found in it
    while ((losses.at(-1)?.item?.start ?? -1) > start) losses.pop();
    losses.push({ ...lost.loss, item: { path, start, end } });
    lost = undefined;
  };
  for (const { token, start } of tokensIn(text)) {
    const inner = open.at(-1);
    let loss: ParseLoss | undefined;
    if (token === '{' || token === '[') {
      const base = inner?.path ?? '';
      const isArray = token === '[';
      open.push({ names: isArray ? undefined : new Set(), path: isArray ? `${base}[0]` : base, start: start + 1, base, index: 0 });
      isName = !isArray;
    } else if (token === '}' || token === ']') {
      endItem(start);
      open.pop();
      isName = false;
    } else if (token === ',') {
      isName = inner?.names !== undefined;
      if (inner !== undefined && !isName) {
        endItem(start);
        inner.index += 1;
        inner.path = `${inner.base}[${inner.index}]`;
        inner.start = start + 1;
      }
    } else if (isName && inner?.names !== undefined && token !== ':') {
      const name = nameOf(token);
      inner.path = at(inner.base, name);
      if (inner.names.has(name)) loss = repeated(inner.path, token);
      inner.names.add(name);
      isName = false;
    } else if (isRounded(token)) {
      loss = rounded(inner?.path ?? '', token);
    }
    if (loss === undefined || lost !== undefined) continue;
    const index = open.findLastIndex(isList);
    const list = open[index];
    if (list === undefined) return [{ ...loss, item: undefined }];
    lost = { loss, list, depth: index + 1 };
  }
  return losses;
}

function isList({ names, base }: Open): boolean {
  return names === undefined && (base === '' || base.endsWith(']') || LISTS.has(base.slice(base.lastIndexOf('.') + 1)));
}

function* tokensIn(text: string): Generator<{ readonly token: string; readonly start: number }> {
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const end = match[0] === '"' ? stringEnd(text, match.index) : TOKEN.lastIndex;
    yield { token: text.slice(match.index, end), start: match.index };
    TOKEN.lastIndex = end;
  }
}

function nameOf(token: string): string {
  return String(JSON.parse(token));
}

function repeated(path: string, token: string): ParseLoss {
  return { code: 'bad-json', path, expected: 'each field once', found: `the field ${cut(token)} twice in one object` };
}

function rounded(path: string, token: string): ParseLoss {
  const found = `${cut(token)}, which JSON parsers round to ${Number(token)}`;
  return { code: 'bad-field', path, expected: 'a number that JSON parsers represent exactly', found };
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether a number is not an integer although the nearest double is one. */
function isRounded(token: string): boolean {
  const match = NUMBER.exec(token);
  if (match === null || !Number.isInteger(Number(token))) return false;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/0+$/, '');
  const zeros = whole.length + fraction.length - digits.length;
  return /[1-9]/.test(digits) && Number(exponent) - fraction.length + zeros < 0;
}

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
