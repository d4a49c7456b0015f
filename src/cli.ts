import { type Command, CommanderError } from 'commander';
import { programFor, type RejectedValue } from './command-line/program.ts';
import { ON } from './command-line/refusals.ts';
import { FAILURES, Failure } from './contract/failure.ts';
import { invocationOf } from './terminal/invocation.ts';
import type { ProcessIO } from './terminal/process-io.ts';
import { type OutputMode, Terminal } from './terminal/terminal.ts';

/** The exit code if a guard refused. */
const REFUSED = 3;

/**
 * Runs one command line.
 * @param argv as in `process.argv`: the first two entries are ignored
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a guard refused
 */
export async function run(argv: readonly string[], io: ProcessIO): Promise<number> {
  const terminal = new Terminal(io);
  const words = argv.slice(2);
  let rejected: RejectedValue | undefined;
  const program = programFor(terminal, invocationOf(argv[1] ?? '', io.env, io.cwd?.() ?? '/'), (value) => {
    rejected = value;
  });
  let store = '';
  program.hook('preAction', (_, command) => {
    store = String(command.getOptionValue('store'));
  });
  try {
    if (words[0] === 'complete') {
      const { complete } = await import('./command-line/complete.ts');
      await complete(program, terminal, words.slice(words[1] === '--' ? 2 : 1));
    } else await program.parseAsync([...argv.slice(0, 2), ...withoutHelp(program, words)]);
    terminal.completed();
  } catch (error) {
    if (!(error instanceof CommanderError))
      terminal.failed(error instanceof Failure ? withVariableName(program, error) : await asFailure(error, store));
    else if (error.exitCode !== 0) {
      const { usageFailure } = await import('./command-line/usage-failure.ts');
      terminal.setOutput(outputModeOf(words, io.env));
      terminal.failure(usageFailure(program, words, error, rejected));
    }
    if (error instanceof Failure && FAILURES[error.code].exit === REFUSED) {
      const { addToJobSummary, refusalTable } = await import('./commands/job-summary.ts');
      addToJobSummary(terminal, refusalTable(error));
    }
  }
  await terminal.end();
  return terminal.exitCode;
}

/**
 * Returns the words of a command line, without `help` before a command that does not exist: Commander would answer as if no
 * command was given. `help store check` becomes `store check --help`, because Commander ignores the third word.
 */
function withoutHelp(program: Command, words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  if (first !== 'help' || second === undefined || second === 'help' || second.startsWith('-')) return words;
  const command = program.commands.find((one) => one.name() === second);
  const third = rest.find((word) => !word.startsWith('-'));
  if (command === undefined) return [second, ...rest];
  if (third === undefined || command.commands.length === 0) return words;
  return command.commands.some((one) => one.name() === third) ? [second, ...rest, '--help'] : [second, ...rest];
}

/** Returns the output options that a command line with wrong usage asks for. */
function outputModeOf(words: readonly string[], env: ProcessIO['env']): OutputMode {
  const endOfOptions = words.indexOf('--');
  const isJson = ON.test(env['PALIMPSEST_JSON'] ?? '') || words.slice(0, endOfOptions === -1 ? undefined : endOfOptions).includes('--json');
  return isJson ? { json: true } : {};
}

/** Replaces the option in a failure's place by its environment variable, if the value came from there. */
function withVariableName(program: Command, failure: Failure): Failure {
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    const option = command.options.find(({ long }) => long !== undefined && long === failure.place.field);
    if (option?.envVar === undefined || command.getOptionValueSource(option.attributeName()) !== 'env') continue;
    return failure.with({ place: { ...failure.place, field: option.envVar } });
  }
  return failure;
}

/**
 * Converts an error of SQLite or of the file system that no command handled to a Failure. Returns any other error unchanged.
 * @param store the store of the command: any read of a damaged one can fail
 */
async function asFailure(error: unknown, store: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  if (!('syscall' in error)) {
    const { toFailure } = await import('./store/database/store-error.ts');
    return toFailure(store, error);
  }
  if ('address' in error || 'hostname' in error) return error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  return new Failure('file-system', `cannot read or write ${path ?? 'a file'}`, {
    place: path === undefined ? {} : { file: path },
    expected: 'a path that can be read and written, on a disk with free space',
    found: error.message,
    hint: 'check the path, its permissions and the free space, then run the command again',
    cause: error,
  });
}
