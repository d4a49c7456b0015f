import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { declareAccounts } from './commands/accounts.ts';
import { declareArchive } from './commands/archive.ts';
import { declareBuild } from './commands/build.ts';
import { complete, declareCompletion } from './commands/completion.ts';
import { declareExclusions } from './commands/exclusions.ts';
import { declareExport } from './commands/export.ts';
import { declareHistory } from './commands/history.ts';
import { declareImport } from './commands/import.ts';
import { addToJobSummary, refusalTable } from './commands/job-summary.ts';
import { declareMirror } from './commands/mirror.ts';
import { declareObserve } from './commands/observe.ts';
import { applyEnv, isOn } from './commands/options.ts';
import { declarePublish } from './commands/publish.ts';
import { declareRemove } from './commands/remove.ts';
import { declareRewrite } from './commands/rewrite.ts';
import { declareServe } from './commands/serve.ts';
import { declareStore } from './commands/store.ts';
import { renderSuggested } from './commands/suggested-command.ts';
import { usageFailure } from './commands/usage-failure.ts';
import { declareVerify } from './commands/verify.ts';
import { FAILURES, Failure } from './contract/failure.ts';
import { invocationOf } from './terminal/invocation.ts';
import type { ProcessIO } from './terminal/process-io.ts';
import { type OutputMode, Terminal } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

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
  const program = programFor(terminal, invocationOf(argv[1] ?? '', io.env, io.cwd?.() ?? '/'));
  try {
    if (words[0] === 'complete') await complete(program, terminal, words.slice(words[1] === '--' ? 2 : 1));
    else await program.parseAsync(argv);
    terminal.completed();
  } catch (error) {
    if (!(error instanceof CommanderError)) terminal.failed(error instanceof Failure ? withVariableName(program, error) : asFailure(error));
    else if (error.exitCode !== 0) {
      terminal.setOutput(outputModeOf(words, io.env));
      terminal.failure(usageFailure(program, words, error));
    }
    if (error instanceof Failure && FAILURES[error.code] === REFUSED) addToJobSummary(terminal, refusalTable(error));
  }
  await terminal.end();
  return terminal.exitCode;
}

/** Returns the output options that a command line with wrong usage asks for. */
function outputModeOf(words: readonly string[], env: ProcessIO['env']): OutputMode {
  const endOfOptions = words.indexOf('--');
  const isJson = isOn(env['PALIMPSEST_JSON']) || words.slice(0, endOfOptions === -1 ? undefined : endOfOptions).includes('--json');
  return isJson ? { json: true } : {};
}

/** Replaces the option in a failure's place by its environment variable, if the value came from there. */
function withVariableName(program: Command, failure: Failure): Failure {
  for (const command of program.commands) {
    const option = command.options.find(({ long }) => long !== undefined && long === failure.place.field);
    if (option?.envVar === undefined || command.getOptionValueSource(option.attributeName()) !== 'env') continue;
    const { code, message, place, expected, found, hintParts, cause } = failure;
    return new Failure(code, message, { place: { ...place, field: option.envVar }, expected, found, hint: hintParts, cause });
  }
  return failure;
}

/** Converts a file system error that no command handled to a Failure. Returns any other error unchanged. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || 'address' in error || 'hostname' in error) return error;
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
 * Declares the command line: every command with its options.
 * @param invocation starts the program, for messages
 */
export function programFor(terminal: Terminal, invocation = 'palimpsest'): Command {
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
  program.hook('preAction', (_, command) => {
    running = command;
  });
  terminal.renderCommand = (command) => renderSuggested(program, running, invocation, command);
  declareImport(program, terminal);
  declareMirror(program, terminal);
  declareObserve(program, terminal);
  declareBuild(program, terminal);
  declareServe(program, terminal);
  declareVerify(program, terminal);
  declarePublish(program, terminal);
  declareHistory(program, terminal);
  declareAccounts(program, terminal);
  declareRemove(program, terminal);
  declareExclusions(program, terminal);
  declareRewrite(program, terminal);
  declareArchive(program, terminal);
  declareExport(program, terminal);
  declareStore(program, terminal);
  declareCompletion(program, terminal);
  applyEnv(program, env);
  return program;
}
