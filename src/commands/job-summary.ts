import { appendFileSync } from 'node:fs';
import { number, plural } from '../contract/amounts.ts';
import type { Failure } from '../contract/failure.ts';
import { exitCodeOf } from '../contract/failure-codes.ts';
import { printable } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

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

/** Reports what refuses a run, or would refuse it after a plan: the exit code stops a job before the publish. */
export function reportRefusals(terminal: Terminal, refusals: readonly Failure[]): void {
  for (const { code, message, expected, found, hint } of refusals) {
    terminal.exitCode = exitCodeOf(code);
    const rows = [['reason', message] as const, ['expected', expected] as const, ['found', found] as const, ['try', hint] as const];
    addToJobSummary(terminal, summaryTable(['refused', code], rows));
  }
}

/** Returns a Markdown table with two columns. Rows without a value are left out. */
export function summaryTable(head: readonly [string, string], rows: readonly (readonly [string, string | undefined])[]): string {
  const line = ([name, value]: readonly [string, string]) => `| ${name} | ${printable(value).replaceAll('|', '\\|')} |\n`;
  const shown = rows.flatMap(([name, value]) => (value ? [line([name, value])] : []));
  return `\n${line(head)}| --- | --- |\n${shown.join('')}`;
}

/** What a run did not add to the store, or found to be wrong. */
interface Problems {
  readonly rejected: number;
  readonly late?: number;
  readonly conflicts: { readonly count: number };
  readonly missing?: { readonly count: number; readonly listed: readonly string[] };
}

/** Reports what a run did not add: in the job summary, and as a warning. A dry run writes no rejects file. */
export function reportProblems(
  terminal: Terminal,
  command: string,
  { rejected, late, conflicts, missing }: Problems,
  { rejects, dryRun }: { readonly rejects?: string | undefined; readonly dryRun: boolean },
): void {
  const count = (value = 0) => (value === 0 ? undefined : number(value));
  const rows: (readonly [string, string | undefined])[] = [
    ['rejected', count(rejected)],
    ['late', count(late)],
    ['conflicts', count(conflicts.count)],
    ['accounts of earlier runs not observed', count(missing?.count)],
    ['names', missing?.listed.join(', ')],
  ];
  if (rows.some(([, value]) => value)) addToJobSummary(terminal, summaryTable([command, 'not everything was added'], rows));
  const isWritten = rejects !== undefined && !dryRun;
  if (rejected > 0) terminal.alert(`${plural(rejected, 'item')} rejected${isWritten ? `, written to ${rejects}` : ''}`);
}
