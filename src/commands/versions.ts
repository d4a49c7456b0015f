import { Option } from '@commander-js/extra-typings';
import { number, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { examples, JSON_HELP, type Program, QUIET_HELP } from './options.ts';
import { addTargetOptions, requestsOf, TARGET_HELP, targetOf } from './target-options.ts';

export function declareVersions(program: Program, terminal: Terminal): void {
  addTargetOptions(
    program
      .command('versions')
      .summary('show the versions of the site at a target')
      .description('Shows the versions of the site that a target has, newest first, and the last 100 numbers that were withdrawn.')
      .argument('<target>', TARGET_HELP),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText('after', examples(['palimpsest versions s3://bucket/history', 'find the version to go back to']))
    .action(async (address, options) => {
      terminal.setOutput(options);
      const [{ listVersions }, target] = await Promise.all([import('../versions/list.ts'), targetOf(address, options, terminal)]);
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
        { target: target.name, versions, withdrawn, problems },
        rows.length === 1 ? [`${target.name} has no versions`] : table(rows),
      );
    });
}

/** Aligns the columns: numbers to the right, times to the left. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const cell = (text: string, column: number) =>
    column === 1 || column === 5 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd());
}
