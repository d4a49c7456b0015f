import type { AccountEntry } from '../contract/accounts/account-entry.ts';
import { formerHandlesOf } from '../contract/accounts/former-handles.ts';
import { number } from '../terminal/amounts.ts';
import { printable } from '../terminal/printable.ts';

const HEADINGS: readonly string[] = ['handle', 'id', 'records', 'first record', 'last record', 'name'];
/** The column that is aligned to the right. */
const COUNT = 2;
/** The number of accounts that decide the widths of the columns. Longer values that follow move the rest of their line. */
const MEASURED = 1000;
/** The greatest width of a column. */
const MAX_WIDTH = 40;
const GAP = '  ';

/** Yields a table of accounts, one line for each. It does not hold all accounts in memory. Yields nothing if there are none. */
export function* accountTable(accounts: Iterable<AccountEntry>): Generator<string> {
  let measured: string[][] | undefined = [];
  let widths: readonly number[] = [];
  for (const account of accounts) {
    const cells = cellsOf(account);
    if (measured === undefined) {
      yield lineOf(cells, widths);
      continue;
    }
    measured.push(cells);
    if (measured.length < MEASURED) continue;
    widths = widthsOf(measured);
    yield* linesOf(measured, widths);
    measured = undefined;
  }
  if (measured !== undefined && measured.length > 0) yield* linesOf(measured, widthsOf(measured));
}

function cellsOf(account: AccountEntry): string[] {
  const { screen_name, stable_id, records, first_record_date, last_record_date, display_name } = account;
  const handles = new Set(formerHandlesOf(account).map(({ handle }) => `@${handle}`));
  const former = handles.size === 0 ? [] : [`(formerly ${[...handles].join(', ')})`];
  const name = display_name === '' ? [] : [display_name.replace(/\s+/g, ' ')];
  const cells = [
    screen_name,
    stable_id ?? '-',
    number(records),
    dayOf(first_record_date),
    dayOf(last_record_date),
    [...name, ...former].join(' '),
  ];
  return cells.map(printable);
}

/** Returns the date of a time: `2020-12-19`. */
function dayOf(time: string | null): string {
  return time === null ? '-' : time.slice(0, 10);
}

function widthsOf(rows: readonly string[][]): readonly number[] {
  const widest = (column: number, least: number) => rows.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), least);
  return HEADINGS.map((heading, column) => Math.min(MAX_WIDTH, widest(column, heading.length)));
}

function* linesOf(rows: readonly string[][], widths: readonly number[]): Generator<string> {
  for (const cells of [HEADINGS, ...rows]) yield lineOf(cells, widths);
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => (column === COUNT ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)));
  return padded.join(GAP).trimEnd();
}
