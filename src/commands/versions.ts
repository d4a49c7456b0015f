import type { Values } from '../command-line/commands.ts';
import { number, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { listVersions } from '../versions/list.ts';
import { listedTargetOf, requestsOf } from './target.ts';

export async function runVersions(terminal: Terminal, options: Values<'versions'>): Promise<void> {
  const target = await listedTargetOf('no-tree', options, terminal);
  const { versions, withdrawn, problems } = await listVersions(target, requestsOf(options, terminal)).finally(() => target.close());
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next publish repairs it`);
  const rows = [
    ['number', 'time', 'records', 'accounts', 'size', ''],
    ...versions.map((one) => [
      String(one.number),
      one.time,
      number(one.records),
      number(one.accounts),
      size(one.bytes),
      one.current ? 'current' : '',
    ]),
    ...withdrawn.map((one) => [String(one.number), one.time, '', '', '', 'withdrawn']),
  ];
  terminal.summary(
    { target: target.name, results: versions, withdrawn, problems },
    rows.length === 1 ? [`${target.name} has no versions`] : table(rows),
  );
}

/** Aligns the columns: numbers to the right, times to the left. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const cell = (text: string, column: number) =>
    column === 1 || column === 5 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd());
}
