import { Command, CommanderError } from '@commander-js/extra-typings';
import { declareAccounts } from './commands/accounts.ts';
import { declareArchive } from './commands/archive.ts';
import { declareBuild } from './commands/build.ts';
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
import { declareVerify } from './commands/verify.ts';
import { FAILURES, Failure } from './contract/failure.ts';
import { encodeJson } from './contract/json.ts';
import { type ProcessIO, Terminal, usageText } from './terminal.ts';
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
  const program = programFor(terminal);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) reportUsageError(terminal, argv, error);
    else terminal.failure(error instanceof Failure ? withVariableName(program, error) : asFailure(error));
    if (error instanceof Failure && FAILURES[error.code] === REFUSED) addToJobSummary(terminal, refusalTable(error));
  }
  await terminal.flushed();
  return terminal.exitCode;
}

/** Sets the exit code for wrong usage, and writes the error as JSON if JSON is wanted. Commander has already printed the text. */
function reportUsageError(terminal: Terminal, argv: readonly string[], error: CommanderError): void {
  if (error.exitCode === 0) return;
  const { stdout, env } = terminal.io;
  const endOfOptions = argv.indexOf('--');
  terminal.exitCode = 2;
  if (!isOn(env['PALIMPSEST_JSON']) && !argv.slice(0, endOfOptions === -1 ? undefined : endOfOptions).includes('--json')) return;
  const message = error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
  stdout.write(`${encodeJson({ error: { code: 'usage', message } })}\n`);
}

/** Replaces the option in a failure's place by its environment variable, if the value came from there. */
function withVariableName(program: Command, failure: Failure): Failure {
  for (const command of program.commands) {
    const option = command.options.find(({ long }) => long !== undefined && long === failure.place.field);
    if (option?.envVar === undefined || command.getOptionValueSource(option.attributeName()) !== 'env') continue;
    const { code, message, place, expected, found, hint, cause } = failure;
    return new Failure(code, message, { place: { ...place, field: option.envVar }, expected, found, hint, cause });
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

/** Declares the command line: every command with its options. */
export function programFor(terminal: Terminal): Command {
  const { stdout, stderr, env } = terminal.io;
  const program = new Command('palimpsest')
    .description('Publishes the history of public profile fields as a JSON API without a server.')
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(usageText(text)),
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(run palimpsest --help for usage)')
    .exitOverride();
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
  applyEnv(program, env);
  return program;
}
