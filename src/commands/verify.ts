import { Option } from '@commander-js/extra-typings';
import { plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Violation } from '../verify/violation.ts';
import { DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';
import { noteLines, verdict, violationLines } from './verify-report.ts';

export function declareVerify(program: Program, terminal: Terminal): void {
  program
    .command('verify')
    .summary('check the tree for errors')
    .description(
      'Walks both collections as a client would, and checks every page, record, account and file of the tree against the rules in ' +
        'docs/rules.md. With --store, also compares the tree with a store. Exits with 1 if a rule is violated.',
    )
    .addOption(new Option('--out <folder>', 'the tree').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT))
    .addOption(new Option('--store <file>', 'a store; the tree must contain all of it').env('PALIMPSEST_STORE').argParser(path))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest verify', 'check the tree alone'],
        ['palimpsest verify --store data/palimpsest.db', 'also compare the tree with its store'],
      ),
    )
    .action(async (options) => {
      terminal.setOutput(options);
      const { verify } = await import('../verify/verify.ts');
      const started = performance.now();
      const summary = await verify({
        out: options.out,
        store: options.store,
        signal: terminal.stopSignal,
        onProgress: terminal.progress({
          manifest: { label: 'reading the manifest', amount: items('line') },
          walk: { label: 'checking', amount: items('item') },
          again: { label: 'comparing the feed with the accounts', amount: items('item') },
          files: { label: 'looking for other files', amount: items('file') },
        }),
      });
      const took = performance.now() - started;
      terminal.exitCode = summary.violationCount === 0 ? 0 : 1;
      terminal.summary({ out: options.out, ...summary, milliseconds: Math.round(took) }, [
        ...violationLines(summary),
        ...noteLines(summary),
        `verified the tree in ${options.out} in ${seconds(took)}: ${verdict(summary)}`,
        `  walked    ${plural(summary.records, 'record')} and ${plural(summary.accounts, 'account')}`,
        ...(summary.violationCount === 0
          ? [`next: ${await terminal.command('serve', { '--open': true })}`]
          : await nextStep(summary.violations, terminal, options.store)),
      ]);
    });
}

/** Suggests a build for files that differ from the store. Errors in imported records must be corrected at their source. */
async function nextStep(violations: readonly Violation[], terminal: Terminal, store: string | undefined): Promise<string[]> {
  if (!violations.some(({ rule }) => /^(build|manifest|file|page|store)-/.test(rule)))
    return ['next: correct these records at their source, then import them again; the tree contains them as they were imported'];
  return [
    'to rewrite the files that differ, build again from the store of this tree:',
    `next: ${await terminal.command('build', { '--repair': true, ...(store === undefined ? { '--store': 'FILE' } : {}) })}`,
  ];
}
