import { Command, CommanderError } from '@commander-js/extra-typings';
import { declareBuild } from './commands/build.ts';
import { declareExport } from './commands/export.ts';
import { declareHistory } from './commands/history.ts';
import { declareImport } from './commands/import.ts';
import { declareObserve } from './commands/observe.ts';
import { heedEnvironment } from './commands/options.ts';
import { declarePublish } from './commands/publish.ts';
import { declareRewrite } from './commands/rewrite.ts';
import { declareServe } from './commands/serve.ts';
import { declareStore } from './commands/store.ts';
import { declareVerify } from './commands/verify.ts';
import { type Surroundings, Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line.
 * @param argv as a process has it: the first two entries are passed over
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a guard refused
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const terminal = new Terminal(surroundings);
  try {
    await programFor(terminal).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) return misuse(terminal, argv, error);
    terminal.failure(error);
  }
  return terminal.exitCode;
}

/** Wrong usage, which commander has worded for people already. */
function misuse(terminal: Terminal, argv: readonly string[], error: CommanderError): number {
  if (error.exitCode === 0) return 0;
  if (argv.includes('--json')) {
    const message = error.message.replace(/^error: /, '');
    terminal.surroundings.stdout.write(`${JSON.stringify({ error: { code: 'usage', message } })}\n`);
  }
  return 2;
}

/** The command line, declared: every command with its options. */
export function programFor(terminal: Terminal): Command {
  const { stdout, stderr, env } = terminal.surroundings;
  const program = new Command('palimpsest')
    .description('Publishes the history of public profile fields as a JSON API without a server.')
    .version(VERSION)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride();
  declareImport(program, terminal);
  declareObserve(program, terminal);
  declareBuild(program, terminal);
  declareServe(program, terminal);
  declareVerify(program, terminal);
  declarePublish(program, terminal);
  declareHistory(program, terminal);
  declareRewrite(program, terminal);
  declareExport(program, terminal);
  declareStore(program, terminal);
  for (const command of program.commands) heedEnvironment(command, env);
  return program;
}
