/** The number of rows that decide the widths of the columns. Longer values that follow move the rest of their line. */
const MEASURED = 1000;
/** The greatest width of a column. */
const MAX_WIDTH = 40;
const GAP = '  ';

/**
 * Yields the lines of a table: the headings, and a line for each row. It does not hold all rows in memory. Yields nothing if there are none.
 * @param right the indexes of the columns that are aligned to the right
 */
export function* table(headings: readonly string[], right: readonly number[], rows: Iterable<readonly string[]>): Generator<string> {
  let measured: (readonly string[])[] | undefined = [headings];
  let widths: readonly number[] = [];
  for (const row of rows) {
    if (measured === undefined) {
      yield lineOf(row, right, widths);
      continue;
    }
    measured.push(row);
    if (measured.length <= MEASURED) continue;
    widths = widthsOf(measured);
    for (const one of measured) yield lineOf(one, right, widths);
    measured = undefined;
  }
  if (measured === undefined || measured.length === 1) return;
  widths = widthsOf(measured);
  for (const one of measured) yield lineOf(one, right, widths);
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widest = (column: number) => rows.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), 0);
  return rows[0]?.map((_, column) => Math.min(MAX_WIDTH, widest(column))) ?? [];
}

function lineOf(cells: readonly string[], right: readonly number[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join(GAP).trimEnd();
}
