import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import type { RejectedValue } from './command-line/program.ts';
import { ON } from './command-line/refusals.ts';
import { codeOf, Failure } from './contract/failure.ts';
import { exitCodeOf } from './contract/failure-codes.ts';
import { invocationOf } from './terminal/invocation.ts';
import type { ProcessIO } from './terminal/process-io.ts';
import { type OutputMode, Terminal } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

/** The exit code if a guard refused. */
const REFUSED = 3;
/** Other programs run this to detect palimpsest. It loads no other module. */
const VERSION_OPTION = /^(-V|--version)$/;

/**
 * Runs one command line.
 * @param argv as in `process.argv`: the first two entries are ignored
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a guard refused
 */
export async function run(argv: readonly string[], io: ProcessIO): Promise<number> {
  const terminal = new Terminal(io);
  const words = argv.slice(2);
  if (words.length === 1 && VERSION_OPTION.test(words[0] ?? '')) {
    io.stdout.write(`${VERSION}\n`);
    await terminal.end();
    return terminal.exitCode;
  }
  const [{ CommanderError }, { programFor }] = await Promise.all([import('commander'), import('./command-line/program.ts')]);
  let rejected: RejectedValue | undefined;
  const program = programFor(terminal, invocationOf(argv[1] ?? '', io.env, io.cwd?.() ?? '/'), (value) => {
    rejected = value;
  });
  let running: Command | undefined;
  program.hook('preAction', (_, command) => {
    running = command;
  });
  try {
    if (words[0] === 'complete') {
      const { complete } = await import('./commands/completion.ts');
      await complete(program, terminal, words.slice(words[1] === '--' ? 2 : 1));
    } else await program.parseAsync([...argv.slice(0, 2), ...helpAsOption(program, words)]);
    terminal.completed();
  } catch (error) {
    if (error instanceof Failure && exitCodeOf(error.code) === REFUSED) {
      const { reportRefusals } = await import('./commands/job-summary.ts');
      reportRefusals(terminal, [error]);
    }
    if (!(error instanceof CommanderError))
      terminal.failed(error instanceof Failure ? withVariableName(running, error) : await asFailure(error, running));
    else if (error.exitCode !== 0) {
      const { usageFailure } = await import('./command-line/usage-failure.ts');
      terminal.setOutput(outputModeOf(words, io.env));
      terminal.failure(usageFailure(program, words, error, rejected));
    }
  }
  await terminal.end();
  return terminal.exitCode;
}

/**
 * Returns the words of a command line with `--help` at the end instead of the command `help`: `store help push` and `help store
 * push` become `store push --help`. Commander's own `help` ends with `process.exitCode`, which is not final yet. A command that does
 * not exist gets no `--help`, so that the error names it.
 */
function helpAsOption(program: Command, words: readonly string[]): readonly string[] {
  const subcommands = (name = '') => program.commands.find((one) => one.name() === name)?.commands;
  const isInGroup = words[1] === 'help' && (subcommands(words[0])?.length ?? 0) > 0;
  if (words[0] !== 'help' && !isInGroup) return words;
  const [first, second] = words.filter((word) => word !== 'help' && !word.startsWith('-'));
  const within = first === undefined ? [] : subcommands(first);
  const asked = [first, within?.length === 0 ? undefined : second].filter((word) => word !== undefined);
  const isKnown = within !== undefined && (second === undefined || within.length === 0 || within.some((one) => one.name() === second));
  // without the other words: an option at the end would take --help as its value
  return isKnown ? [...asked, '--help'] : asked;
}

/** Returns the output options that a command line with wrong usage asks for. */
function outputModeOf(words: readonly string[], env: ProcessIO['env']): OutputMode {
  const endOfOptions = words.indexOf('--');
  const isJson = ON.test(env['PALIMPSEST_JSON'] ?? '') || words.slice(0, endOfOptions === -1 ? undefined : endOfOptions).includes('--json');
  return isJson ? { json: true } : {};
}

/** Replaces the option in a failure's place by its environment variable, if the value came from there. */
function withVariableName(running: Command | undefined, failure: Failure): Failure {
  const option = running?.options.find(({ long }) => long === failure.place.field);
  if (option?.envVar === undefined || running?.getOptionValueSource(option.attributeName()) !== 'env') return failure;
  return failure.with({ place: { ...failure.place, field: option.envVar } });
}

/**
 * Converts an error of SQLite or of the file system that no command handled to a Failure. Returns any other error unchanged.
 * @param running the command: any read of a damaged store can fail
 */
async function asFailure(error: unknown, running: Command | undefined): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  if (!('syscall' in error)) {
    const { toFailure } = await import('./store/database/store-error.ts');
    return toFailure(String(running?.getOptionValue('store')), error);
  }
  if ('address' in error || 'hostname' in error) return error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  return new Failure('file-system', `cannot read or write ${path ?? 'a file'}`, {
    place: path === undefined ? {} : { file: path },
    expected: 'a path that can be read and written, on a disk with free space',
    found: error.message,
    hint:
      codeOf(error) === 'ENOSPC'
        ? `free some space, also in the folder for temporary files, ${tmpdir()}: the variable TMPDIR names it. Then run the command again`
        : 'check the path, its permissions and the free space, then run the command again',
    cause: error,
  });
}
