import { chunks } from '../contract/files/write-files.ts';
import type { Column, Value } from './tables.ts';

/**
 * The beginning of a text that a spreadsheet can take for a formula, white space and invisible characters before it included. A text that begins
 * with an apostrophe is also marked, so that a reader who removes one apostrophe gets the text back.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: spreadsheets skip these characters before a formula
const MARKED = /^(?:['\t\r\u0000]|[\s\u0000\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u;
/** A number that a spreadsheet rounds, because it keeps 15 digits. */
const ROUNDED = /^\d{16,}$/;
const QUOTED = /[",\r\n]/;

/** Yields a table as CSV (RFC 4180) in UTF-8 with a header line, in chunks. */
export function csv(columns: readonly Column[], rows: Iterable<readonly Value[]>): Generator<string> {
  return chunks(lines(columns, rows));
}

function* lines(columns: readonly Column[], rows: Iterable<readonly Value[]>): Generator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`;
  for (const row of rows) yield `${row.map(cell).join(',')}\r\n`;
}

/** Returns a value as a cell. Null is an empty cell, an empty text is `""`. */
function cell(value: Value): string {
  if (value === null) return '';
  const isMarked = ROUNDED.test(String(value)) || (typeof value === 'string' && MARKED.test(value));
  if (typeof value !== 'string') return isMarked ? `'${value}` : String(value);
  const text = (isMarked ? `'${value}` : value).toWellFormed();
  return text === '' || QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
