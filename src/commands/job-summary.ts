import { appendFileSync } from 'node:fs';
import type { Failure } from '../contract/failure.ts';
import { printable, type Terminal } from '../terminal.ts';

/** Appends Markdown to the job summary, if the command runs in GitHub Actions. An error is only a warning: the command itself is done. */
export function addToJobSummary(terminal: Terminal, markdown: string): void {
  const file = terminal.io.env['GITHUB_STEP_SUMMARY'];
  if (!file) return;
  try {
    appendFileSync(file, markdown);
  } catch (error) {
    terminal.warn(`cannot write the table for the job summary: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a Markdown table with the reason of a refusal. */
export function refusalTable({
  code,
  message,
  expected,
  found,
  hint,
}: Pick<Failure, 'code' | 'message' | 'expected' | 'found' | 'hint'>): string {
  return summaryTable(
    ['refused', code],
    [
      ['reason', message],
      ['expected', expected],
      ['found', found],
      ['try', hint],
    ],
  );
}

/** Returns a Markdown table with two columns. Rows without a value are left out. */
export function summaryTable(head: readonly [string, string], rows: readonly (readonly [string, string | undefined])[]): string {
  const line = ([name, value]: readonly [string, string]) => `| ${name} | ${printable(value).replaceAll('|', '\\|')} |\n`;
  const shown = rows.flatMap(([name, value]) => (value ? [line([name, value])] : []));
  return `\n${line(head)}| --- | --- |\n${shown.join('')}`;
}
