import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { applyEnv, isOn, type Program } from './commands/options.ts';
import { renderSuggested } from './commands/suggested-command.ts';
import { unknownVariables, unknownVariableText, variablesOf } from './commands/unknown-variables.ts';
import { FAILURES, Failure } from './contract/failure.ts';
import { invocationOf } from './terminal/invocation.ts';
import type { ProcessIO } from './terminal/process-io.ts';
import { type OutputMode, Terminal } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

/** The exit code if a guard refused. */
const REFUSED = 3;

type Declare = (program: Program, terminal: Terminal) => void;

/** All commands in the order of the help. The module of a command is loaded when the command is needed, so that others start faster. */
const COMMANDS: ReadonlyMap<string, () => Promise<Declare>> = new Map([
  ['import', async () => (await import('./commands/import.ts')).declareImport],
  ['mirror', async () => (await import('./commands/mirror.ts')).declareMirror],
  ['observe', async () => (await import('./commands/observe.ts')).declareObserve],
  ['normalize', async () => (await import('./commands/normalize.ts')).declareNormalize],
  ['build', async () => (await import('./commands/build.ts')).declareBuild],
  ['serve', async () => (await import('./commands/serve.ts')).declareServe],
  ['verify', async () => (await import('./commands/verify.ts')).declareVerify],
  ['publish', async () => (await import('./commands/publish.ts')).declarePublish],
  ['versions', async () => (await import('./commands/versions.ts')).declareVersions],
  ['history', async () => (await import('./commands/history.ts')).declareHistory],
  ['accounts', async () => (await import('./commands/accounts.ts')).declareAccounts],
  ['remove', async () => (await import('./commands/remove.ts')).declareRemove],
  ['exclusions', async () => (await import('./commands/exclusions.ts')).declareExclusions],
  ['rewrite', async () => (await import('./commands/rewrite.ts')).declareRewrite],
  ['archive', async () => (await import('./commands/archive.ts')).declareArchive],
  ['export', async () => (await import('./commands/export.ts')).declareExport],
  ['store', async () => (await import('./commands/store.ts')).declareStore],
  ['completion', async () => (await import('./commands/completion.ts')).declareCompletion],
]);

/**
 * Runs one command line.
 * @param argv as in `process.argv`: the first two entries are ignored
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a guard refused
 */
export async function run(argv: readonly string[], io: ProcessIO): Promise<number> {
  const terminal = new Terminal(io);
  const words = argv.slice(2);
  const program = await programFor(terminal, invocationOf(argv[1] ?? '', io.env, io.cwd?.() ?? '/'), commandsFor(words));
  let store = '';
  program.hook('preAction', (_, command) => {
    store = String(command.getOptionValue('store'));
  });
  try {
    if (words[0] === 'complete') {
      const { complete } = await import('./commands/completion.ts');
      await complete(program, terminal, words.slice(words[1] === '--' ? 2 : 1));
    } else await program.parseAsync([...argv.slice(0, 2), ...withoutHelp(program, words)]);
    terminal.completed();
  } catch (error) {
    if (!(error instanceof CommanderError))
      await terminal.failed(error instanceof Failure ? withVariableName(program, error) : await asFailure(error, store));
    else if (error.exitCode !== 0) {
      const { usageFailure } = await import('./commands/usage-failure.ts');
      terminal.setOutput(outputModeOf(words, io.env));
      await terminal.failure(usageFailure(program, words, error));
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

/** Returns the names of the commands that a command line needs: one, none for the version, or all for the help and suggestions. */
function commandsFor([first = '']: readonly string[]): Iterable<string> {
  if (first === '--version') return [];
  return COMMANDS.has(first) ? [first] : COMMANDS.keys();
}

/** Returns the output options that a command line with wrong usage asks for. */
function outputModeOf(words: readonly string[], env: ProcessIO['env']): OutputMode {
  const endOfOptions = words.indexOf('--');
  const isJson = isOn(env['PALIMPSEST_JSON']) || words.slice(0, endOfOptions === -1 ? undefined : endOfOptions).includes('--json');
  return isJson ? { json: true } : {};
}

/** Replaces the option in a failure's place by its environment variable, if the value came from there. */
function withVariableName(program: Command, failure: Failure): Failure {
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    const option = command.options.find(({ long }) => long !== undefined && long === failure.place.field);
    if (option?.envVar === undefined || command.getOptionValueSource(option.attributeName()) !== 'env') continue;
    const { code, message, place, expected, found, hintParts, cause } = failure;
    return new Failure(code, message, { place: { ...place, field: option.envVar }, expected, found, hint: hintParts, cause });
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
    const { toFailure } = await import('./store/store-error.ts');
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

/**
 * Declares the command line: commands with their options.
 * @param invocation starts the program, for messages
 * @param names the commands to declare now; a command that is suggested later is declared then
 */
export async function programFor(
  terminal: Terminal,
  invocation = 'palimpsest',
  names: Iterable<string> = COMMANDS.keys(),
): Promise<Command> {
  const { stdout, stderr, env } = terminal.io;
  const program = new Command('palimpsest')
    .description('Publishes the history of public profile fields as a JSON API without a server.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // the error is written in the layout of all errors
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  let running: CommandUnknownOpts | undefined;
  const declareMissing = (groups: Iterable<string>) =>
    declare(
      program,
      terminal,
      Array.from(groups).filter((group) => !program.commands.some((one) => one.name() === group)),
    );
  program.hook('preAction', async (_, command) => {
    running = command;
    if (command.getOptionValue('quiet') !== true) await warnOfUnknownVariables();
  });
  /** The variables of the commands that are declared so far. `applyEnv` removes variables that switch an option off. */
  let known: ReadonlySet<string> = new Set();
  const warnOfUnknownVariables = async () => {
    if (unknownVariables(env, known).length === 0) return;
    await declareMissing(COMMANDS.keys());
    const all = new Set([...known, ...variablesOf(program)]);
    for (const name of unknownVariables(env, all)) terminal.warn(await unknownVariableText(name, all));
  };
  terminal.loadRenderer = async (commands) => {
    await declareMissing(new Set(commands.map((command) => command.split(' ')[0] ?? '')));
    return (command) => renderSuggested(program, running, invocation, command);
  };
  await declare(program, terminal, names);
  known = new Set(variablesOf(program));
  applyEnv(program, env);
  return program;
}

async function declare(program: Program, terminal: Terminal, names: Iterable<string>): Promise<void> {
  const loaded = await Promise.all(Array.from(names, (name) => COMMANDS.get(name)?.()));
  for (const one of loaded) one?.(program, terminal);
}
