import { Command, CommanderError } from '@commander-js/extra-typings';
import { declareBuild } from './commands/build.ts';
import { declareExport } from './commands/export.ts';
import { declareHistory } from './commands/history.ts';
import { declareImport } from './commands/import.ts';
import { declareMirror } from './commands/mirror.ts';
import { declareObserve } from './commands/observe.ts';
import { applyEnv, isOn } from './commands/options.ts';
import { declarePublish } from './commands/publish.ts';
import { declareRewrite } from './commands/rewrite.ts';
import { declareServe } from './commands/serve.ts';
import { declareStore } from './commands/store.ts';
import { declareVerify } from './commands/verify.ts';
import { Failure } from './contract/failure.ts';
import { encodeJson } from './contract/json.ts';
import { type ProcessIO, Terminal, usageText } from './terminal.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line.
 * @param argv as a process has it: the first two entries are passed over
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a guard refused
 */
export async function run(argv: readonly string[], surroundings: ProcessIO): Promise<number> {
  const terminal = new Terminal(surroundings);
  const program = programFor(terminal);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) misuse(terminal, argv, error);
    else terminal.failure(error instanceof Failure ? namingVariable(program, error) : asFailure(error));
  }
  await terminal.flushed();
  return terminal.exitCode;
}

/** Wrong usage, which commander has worded for people already. */
function misuse(terminal: Terminal, argv: readonly string[], error: CommanderError): void {
  if (error.exitCode === 0) return;
  const { stdout, env } = terminal.surroundings;
  const end = argv.indexOf('--');
  terminal.exitCode = 2;
  if (!isOn(env['PALIMPSEST_JSON']) && !argv.slice(0, end === -1 ? undefined : end).includes('--json')) return;
  const message = error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '');
  stdout.write(`${encodeJson({ error: { code: 'usage', message } })}\n`);
}

/** A failure whose place is an option that was given as a variable: with the variable as its place. */
function namingVariable(program: Command, failure: Failure): Failure {
  for (const command of program.commands) {
    const option = command.options.find(({ long }) => long !== undefined && long === failure.place.field);
    if (option?.envVar === undefined || command.getOptionValueSource(option.attributeName()) !== 'env') continue;
    const { code, message, place, expected, found, hint, cause } = failure;
    return new Failure(code, message, { place: { ...place, field: option.envVar }, expected, found, hint, cause });
  }
  return failure;
}

/** An error of the file system's that no command foresaw, as a Failure; any other as it is. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || 'address' in error || 'hostname' in error) return error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  return new Failure('file-system', `cannot read or write ${path ?? 'a file'}`, {
    place: path === undefined ? {} : { file: path },
    expected: 'a path that can be read and written, with room',
    found: error.message,
    hint: 'look at the path, its permissions and its disk, then run this again',
    cause: error,
  });
}

/** The command line, declared: every command with its options. */
export function programFor(terminal: Terminal): Command {
  const { stdout, stderr, env } = terminal.surroundings;
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
  declareRewrite(program, terminal);
  declareExport(program, terminal);
  declareStore(program, terminal);
  applyEnv(program, env);
  return program;
}
