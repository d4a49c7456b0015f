import { Option } from '@commander-js/extra-typings';
import { cut } from '../contract/json.ts';
import { number, seconds, type Terminal } from '../terminal.ts';
import { NOTES, RULES, type Rule, type Violation } from '../verify/violation.ts';
import { again, DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** How many violations are printed for people; --json has more. */
const PRINTED = 20;

export function declareVerify(program: Program, terminal: Terminal): void {
  program
    .command('verify')
    .summary('hold the tree to all that it promises')
    .description(
      'Walks both collections as a client would and holds every page, record, account and file of the tree to the rules in ' +
        'docs/rules.md; with --store also to what the store holds. Exits with 1 where a rule is broken.',
    )
    .addOption(new Option('--out <folder>', 'the tree').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT))
    .addOption(new Option('--store <file>', 'a store that the tree must show in full').env('PALIMPSEST_STORE').argParser(path))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(['palimpsest verify', 'the tree by itself'], ['palimpsest verify --store data/palimpsest.db', 'the tree against its store']),
    )
    .action(async (options) => {
      terminal.setOutput(options);
      const { verify } = await import('../verify/verify.ts');
      const started = performance.now();
      const progress = terminal.progress('verifying', (items) => `${number(items)} records and accounts`);
      const summary = endingWith(progress.end, () => verify({ out: options.out, store: options.store, onProgress: progress.show }));
      const took = performance.now() - started;
      terminal.exitCode = summary.violationCount === 0 ? 0 : 1;
      const verdict = summary.violationCount === 0 ? 'no rule is broken' : `${number(summary.violationCount)} violations`;
      terminal.summary({ out: options.out, ...summary, milliseconds: Math.round(took) }, [
        ...summary.violations.slice(0, PRINTED).map(line),
        ...(summary.violationCount > PRINTED
          ? [`  and ${number(summary.violationCount - PRINTED)} more (--json has the first ${number(summary.violations.length)})`]
          : []),
        ...[...NOTES].flatMap((rule) => note(rule, summary.notesByRule[rule] ?? 0)),
        `verified ${options.out} in ${seconds(took)}: ${verdict}`,
        `  walked    ${number(summary.records)} records and ${number(summary.accounts)} accounts`,
        summary.violationCount === 0 ? `next: palimpsest serve${again('--out', options.out, DEFAULT_OUT)}` : nextStep(summary.violations),
      ]);
    });
}

function line(violation: Violation): string {
  const where = violation.subject === undefined ? violation.path : `${violation.path}, ${violation.subject}`;
  return `${violation.rule}: ${where}: expected ${cut(violation.expected)}, found ${cut(violation.found)}`;
}

function note(rule: Rule, count: number): string[] {
  return count === 0 ? [] : [`note: not so of ${number(count)} records: ${RULES[rule].replace(' (note)', '')} (${rule})`];
}

function endingWith<T>(end: () => void, work: () => T): T {
  try {
    return work();
  } finally {
    end();
  }
}

/** Files can be built anew; what came in with an import has to be mended at its source. */
function nextStep(violations: readonly Violation[]): string {
  return violations.some(({ rule }) => /^(build|manifest|file|page|store)-/.test(rule))
    ? 'next: palimpsest build --repair mends what differs from the store'
    : 'next: look at the source of these records: the tree shows them as they were imported';
}
