import { cut } from '../contract/json.ts';
import { at } from '../contract/shape.ts';
import { stringEnd } from './key-count.ts';

/** Data that JSON.parse drops or rounds silently, and its place. */
export interface ParseLoss {
  readonly code: 'bad-json' | 'bad-field';
  /** The field's path in the value, such as `data[3].text`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** An open array or object, with the names seen or the index reached. */
interface Open {
  readonly names: Set<string> | undefined;
  /** The path of the current element. */
  path: string;
  readonly base: string;
  index: number;
}

/** Matches a bracket, a comma, a colon, a number, or the quote that begins a string. */
const TOKEN = /["[\]{},:]|-?\d[\d.eE+-]*/g;

/**
 * Returns the first loss in a valid JSON text, or undefined. There are two kinds of loss:
 * - A name occurs twice in one object: JSON.parse keeps only the last value.
 * - A number that is not an integer would be rounded to an integer.
 */
export function lossIn(text: string): ParseLoss | undefined {
  const open: Open[] = [];
  let isName = false;
  for (const token of tokensIn(text)) {
    const inner = open.at(-1);
    if (token === '{' || token === '[') {
      const base = inner?.path ?? '';
      const isArray = token === '[';
      open.push({ names: isArray ? undefined : new Set(), path: isArray ? `${base}[0]` : base, base, index: 0 });
      isName = !isArray;
    } else if (token === '}' || token === ']') {
      open.pop();
      isName = false;
    } else if (token === ',') {
      isName = inner?.names !== undefined;
      if (inner !== undefined && !isName) {
        inner.index += 1;
        inner.path = `${inner.base}[${inner.index}]`;
      }
    } else if (isName && inner?.names !== undefined && token !== ':') {
      const name = nameOf(token);
      inner.path = at(inner.base, name);
      if (inner.names.has(name)) return repeated(inner.path, token);
      inner.names.add(name);
      isName = false;
    } else if (isRounded(token)) {
      return rounded(inner?.path ?? '', token);
    }
  }
  return undefined;
}

function* tokensIn(text: string): Generator<string> {
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const end = match[0] === '"' ? stringEnd(text, match.index) : TOKEN.lastIndex;
    yield text.slice(match.index, end);
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
