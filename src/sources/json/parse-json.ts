import { cut, isObject } from '../../contract/json.ts';
import { at } from '../../contract/json-shape.ts';
import { isRecordJson } from '../../contract/pages/json-patterns.ts';
import { notJson, placeIn } from '../rejects/rejection.ts';
import type { InputError } from '../source.ts';
import { keysIn, type LossInItem, lossesIn, stringEnd } from './parse-loss.ts';
import type { RawValue } from './raw-value.ts';

/** The value of a JSON text. It is wrapped in an object because the value itself may look like an input error. */
export interface Parsed {
  readonly value: unknown;
  /** Whether the text is the JSON of a record as on a page. */
  readonly isCanonical?: boolean;
  /** The errors of the items in the text that would lose data, by the paths of the items. The value has null there. */
  readonly lost?: ReadonlyMap<string, InputError>;
}

/**
 * Parses a JSON text. Returns an input error if the text is not JSON, is nested too deeply, or loses data in JSON.parse. If
 * only some items of a list lose data, the others are in the value.
 */
export function parseJson(raw: RawValue, file: string): Parsed | InputError {
  const { text, line, path, broken } = raw;
  if (broken !== undefined) return notJson(broken, file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\s*\(line \d+ column \d+\)$/, '');
    const found = `${cut(text.trim())} (${reason})`;
    const hint = isCutOff(text, reason) ? CUT_OFF : undefined;
    return { kind: 'error', code: 'bad-json', place: placeIn({ file, line }, path), expected: 'JSON', found, hint, item: text };
  }
  // such a text has each key once, and no number that JSON.parse changes to a valid one
  if (isRecordJson(text)) return { value, isCanonical: true };
  if (keysIn(text) === keysOf(value)) return { value };
  value = parseWithNames(text);
  const losses = lossesIn(text);
  if (losses.length === 0) return { value };
  const lost = new Map<string, InputError>();
  for (const { code, expected, found, item, ...loss } of losses) {
    const place = placeIn({ file, line }, within(path, loss.path));
    if (item === undefined) return { kind: 'error', code, place, expected, found, item: text };
    lost.set(within(path, item.path), { kind: 'error', code, place, expected, found, item: text.slice(item.start, item.end).trim() });
  }
  return { value: parseWithNames(withoutItems(text, losses)), lost };
}

const CUT_OFF =
  'if the file is cut off, save or copy it again; otherwise correct the item, or write such items to a file with --rejects FILE; the store is unchanged';

/** Whether JSON.parse failed because a text ends too early. */
function isCutOff(text: string, reason: string): boolean {
  return /^Unterminated string|end of JSON input$/.test(reason) || Number(/ at position (\d+)$/.exec(reason)?.[1]) >= text.trimEnd().length;
}

/** Returns the text with null instead of the items that lose data. */
function withoutItems(text: string, losses: readonly LossInItem[]): string {
  let [rest, from] = ['', 0];
  for (const { item } of losses) {
    if (item === undefined) continue;
    rest += `${text.slice(from, item.start)}null`;
    from = item.end;
  }
  return rest + text.slice(from);
}

/** Joins the path of an item and the path of a field in it; '' is the item itself. */
function within(path: string, field: string): string {
  return field === '' || field.startsWith('[') ? path + field : at(path, field);
}

function keysOf(value: unknown): number {
  let count = 0;
  // only nested values go through the list: most objects are flat
  const open: unknown[] = [];
  for (let next = value; next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (isNested(item)) open.push(item);
    } else if (isObject(next)) {
      for (const key in next) {
        count += 1;
        if (isNested(next[key])) open.push(next[key]);
      }
    }
  }
  return count;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Matches the last escape in a name, up to the colon after the name. It also matches some values, which costs only time. */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/s;
const COLON = /\s*:/y;

/**
 * Returns the value of a JSON text, with the names exactly as written.
 * JSON.parse of Node 24 (V8 13.6) returns a wrong name if the name is one escaped character, such as `\u0061`, and an earlier
 * object with the same preceding names has the name `\\`. Therefore escaped names are replaced while the text is parsed.
 * @throws SyntaxError if the text is not JSON
 */
export function parseWithNames(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!ESCAPED_NAME.test(text)) return value;
  const { numbered, names } = numberNames(text);
  return JSON.parse(numbered, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([number, field]) => [names[Number(number)], field])) : inner,
  );
}

/** Replaces each name in a valid JSON text by its number. */
function numberNames(text: string): { readonly numbered: string; readonly names: readonly string[] } {
  const names: string[] = [];
  let numbered = '';
  let copied = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', COLON.lastIndex)) {
    const end = stringEnd(text, start);
    COLON.lastIndex = end;
    if (COLON.test(text)) {
      names.push(String(JSON.parse(text.slice(start, end))));
      numbered += `${text.slice(copied, start)}"${names.length - 1}"`;
      copied = end;
    } else COLON.lastIndex = end;
  }
  return { numbered: numbered + text.slice(copied), names };
}
