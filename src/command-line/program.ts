import { Argument, Command, type Help, type HelpConfiguration, InvalidArgumentError, Option } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../version.ts';
import { COMMANDS, type CommandName, GROUPS, TASKS, type Values } from './commands.ts';
import { checkVariables, isEffective, variableOf } from './environment-variables.ts';
import { oneOf } from './parsers.ts';
import { type GivenSwitch, isSwitch, OFF, refuseContradictions, refuseStoreOptionsOfFolder } from './refusals.ts';
import { renderSuggested } from './shell-command.ts';
import type { CommandSpec, Given, ValueSpec } from './spec.ts';

type Run<Name extends CommandName> = (terminal: Terminal, values: Values<Name>, given: Given) => Promise<void> | void;

/** The code of each command. It is loaded when the command runs, so that others start faster. */
const RUNS: { readonly [Name in CommandName]: () => Promise<Run<Name>> } = {
  import: async () => (await import('../commands/import.ts')).runImport,
  mirror: async () => (await import('../commands/mirror.ts')).runMirror,
  observe: async () => (await import('../commands/observe.ts')).runObserve,
  normalize: async () => (await import('../commands/normalize.ts')).runNormalize,
  build: async () => (await import('../commands/build.ts')).runBuild,
  serve: async () => (await import('../commands/serve.ts')).runServe,
  verify: async () => (await import('../commands/verify.ts')).runVerify,
  publish: async () => (await import('../commands/publish.ts')).runPublish,
  versions: async () => (await import('../commands/versions.ts')).runVersions,
  history: async () => (await import('../commands/history.ts')).runHistory,
  accounts: async () => (await import('../commands/accounts.ts')).runAccounts,
  remove: async () => (await import('../commands/remove.ts')).runRemove,
  exclusions: async () => (await import('../commands/exclusions.ts')).runExclusions,
  rewrite: async () => (await import('../commands/rewrite.ts')).runRewrite,
  'archive wacz': async () => (await import('../commands/archive.ts')).runArchiveWacz,
  'archive warc': async () => (await import('../commands/archive.ts')).runArchiveWarc,
  'archive bag': async () => (await import('../commands/archive.ts')).runArchiveBag,
  'export ndjson': async () => (await import('../commands/export.ts')).runExportNdjson,
  'export csv': async () => (await import('../commands/export.ts')).runExportCsv,
  'export parquet': async () => (await import('../commands/export.ts')).runExportParquet,
  'store check': async () => (await import('../commands/store-check.ts')).runStoreCheck,
  'store push': async () => (await import('../commands/store-versions.ts')).runStorePush,
  'store pull': async () => (await import('../commands/store-versions.ts')).runStorePull,
  'store versions': async () => (await import('../commands/store-versions.ts')).runStoreVersions,
  completion: async () => (await import('../commands/completion.ts')).runCompletion,
};

/** The options that every command has, after its own. */
const OUTPUT_OPTIONS = {
  '--json': { help: 'print one JSON object instead of text' },
  '--quiet': { help: 'print only errors, important warnings, findings, and results that were asked for' },
} as const;

/** The short options, which are the same in all commands. */
const SHORT: { readonly [long: string]: string | undefined } = { '--store': '-s', '--out': '-o', '--dry-run': '-n', '--quiet': '-q' };

/** A value that a command does not accept. */
export interface RejectedValue {
  readonly target: Argument | Option;
  /** The variable that has it; undefined if it is from the command line. */
  readonly variable: string | undefined;
  readonly text: string;
  readonly expected: string;
}

/**
 * Declares the command line: commands with their options.
 * @param invocation starts the program, for messages
 * @param onReject called before the error that ends the command line
 */
export function programFor(terminal: Terminal, invocation = 'palimpsest', onReject: (value: RejectedValue) => void = () => {}): Command {
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
    // --version after a command is refused: it would end the program as if the command had run
    .enablePositionalOptions()
    // the hint of the error suggests more than Commander does
    .showSuggestionAfterError(false)
    .configureHelp(HELP)
    .commandsGroup('Other:')
    .helpCommand(true)
    .exitOverride();
  const [variables, withoutVariable] = [new Set<string>(), new Set<string>()];
  let running: Command | undefined;
  let variableRead: string | undefined;
  terminal.render = (suggested) => renderSuggested(program, running, invocation, suggested, env);

  const withParser = <T extends Argument | Option>(target: T, { choices, parse }: ValueSpec, isList: boolean): T => {
    if (choices !== undefined) target.choices(choices);
    const parseOne = parse ?? (choices === undefined ? undefined : oneOf(choices));
    if (parseOne === undefined) return target;
    target.argParser((text: string, before: unknown) => {
      try {
        return isList ? [...(Array.isArray(before) ? before : []), parseOne(text)] : parseOne(text);
      } catch (error) {
        if (error instanceof InvalidArgumentError) onReject({ target, variable: variableRead, text, expected: error.message });
        throw error;
      }
    });
    return target;
  };
  const optionOf = (flags: string, spec: ValueSpec): Option => {
    const short = SHORT[flags.replace(/ .*/, '')];
    const option = withParser(new Option(short === undefined ? flags : `${short}, ${flags}`, spec.help), spec, spec.isRepeatable === true);
    const isOff = option.isBoolean() && !('default' in spec);
    option.default(isOff ? false : spec.default, spec.defaultText).makeOptionMandatory(spec.isMandatory === true);
    const variable = spec.variable === undefined ? variableOf(option.name()) : spec.variable;
    if (variable === null) withoutVariable.add(variableOf(option.name()));
    if (variable === null) return option;
    variables.add(variable);
    // PALIMPSEST_HTML=0 sets --no-html
    const opposite = option.negate ? variableOf(option.name().replace('no-', '')) : '';
    if (variables.has(opposite) && OFF.test(env[opposite] ?? '')) return option.env(opposite);
    return isEffective(env[variable], option) ? option.env(variable) : option;
  };
  for (const [name, { summary, description, args = {}, options, result, writes, examples }] of commandEntries()) {
    const [heading = ''] = Object.entries(TASKS).find(([, commands]) => name in commands) ?? [];
    const command = groupOf(program.commandsGroup(heading), name)
      .command(name.split(' ').at(-1) ?? name)
      .summary(summary)
      .description(description)
      .addHelpText('after', ({ command }) => afterOptions(command, examples));
    for (const [usage, spec] of Object.entries(args))
      command.addArgument(withParser(new Argument(usage, spec.help), spec, usage.includes('...')));
    const switches: GivenSwitch[] = [];
    for (const [usage, spec] of Object.entries({ ...options, ...OUTPUT_OPTIONS })) {
      const option = optionOf(usage, spec);
      // before the listener of Commander, which parses the value. Variables are read after the options of the command line
      command.on(`optionEnv:${option.name()}`, () => {
        variableRead = option.envVar;
      });
      command.addOption(option);
      if (isSwitch(option)) {
        command.on(`option:${option.name()}`, () => switches.push({ option }));
        command.on(`optionEnv:${option.name()}`, () => switches.push({ option, variable: option.envVar }));
      }
    }
    command.hook('preAction', async () => {
      running = command;
      terminal.setOutput({ ...command.opts(), hasResult: hasResult(result, givenIn(command)) });
      await checkVariables(terminal, variables, withoutVariable, runOf(command, name, writes));
    });
    command.action(async () => {
      const given = givenIn(command);
      refuseContradictions(switches, env);
      if ('--prefix <path>' in options) refuseStoreOptionsOfFolder(command.args[0], given);
      const run = await RUNS[name]();
      terminal.start();
      await run(terminal, valuesOf(command), given);
    });
  }
  return program;
}

/** Returns the end of the help of a command: the note about environment variables, and the examples. */
function afterOptions(command: Command, examples: CommandSpec['examples']): string {
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  const wrapped = (text: string, indent: string) =>
    indent +
    command
      .createHelp()
      .boxWrap(text, width - indent.length)
      .replaceAll('\n', `\n${indent}`);
  const lines = examples.map(([line, effect]) => `  $ ${line}\n${wrapped(effect, '      ')}`);
  return `\n${wrapped(VARIABLES, '')}\n\nExamples:\n${lines.join('\n')}`;
}

const VARIABLES =
  'Options can also be set by environment variables, for example --store by PALIMPSEST_STORE. For a switch, 1 means on and 0 means off.';

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** How the help shows options and commands. One sentence explains the names of the variables. */
const HELP: HelpConfiguration = {
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  minWidthToWrap: 20,
  styleUsage(this: Help, text) {
    return this.boxWrap(text, (this.helpWidth ?? 80) - 'Usage: '.length).replaceAll('\n', '\n  ');
  },
  // on a narrow terminal, the description is below the option
  formatItem: (term, termWidth, description, helper) => {
    const width = helper.helpWidth ?? 80;
    const isBeside = width - termWidth >= 34;
    const indent = ' '.repeat(isBeside ? termWidth + 4 : 6);
    const text = helper.boxWrap(description, width - indent.length).replaceAll('\n', `\n${indent}`);
    return isBeside ? `  ${term.padEnd(termWidth)}  ${text}` : `  ${term}\n${indent}${text}`;
  },
  optionDescription: ({ description, argChoices, defaultValue, defaultValueDescription, envVar, long = '' }) => {
    const shown =
      defaultValueDescription ?? (typeof defaultValue === 'string' || typeof defaultValue === 'number' ? String(defaultValue) : undefined);
    const notes = [
      ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
      ...(shown === undefined ? [] : [`default: ${shown}`]),
      ...(envVar === undefined || envVar === variableOf(long.slice(2)) ? [] : [`environment variable: ${envVar}`]),
    ];
    return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
  },
};

/** The commands, as the interpreter sees them. */
function commandEntries(): Iterable<[CommandName, CommandSpec]> {
  return Object.entries(COMMANDS) as [CommandName, CommandSpec][];
}

/** Returns the group of a command, and declares it before its first command. */
function groupOf(program: Command, name: string): Command {
  const [first = '', second] = name.split(' ');
  const group = GROUPS[first];
  if (second === undefined || group === undefined) return program;
  const declared = program.commands.find((one) => one.name() === first);
  return declared ?? program.command(first).summary(group.summary).description(group.description);
}

/** The values of a command by their names. The declaration of the command determines their types. */
function valuesOf(command: Command): never {
  const args = command.registeredArguments.map((argument, index) => [camelCase(argument.name()), command.processedArgs[index]]);
  return Object.assign({}, command.opts(), Object.fromEntries(args)) as never;
}

function givenIn(command: Command): Given {
  const given = new Map<string, 'cli' | 'env'>();
  for (const option of command.options) {
    const source = command.getOptionValueSource(option.attributeName());
    if (option.long !== undefined && (source === 'cli' || source === 'env')) given.set(option.long, source === 'cli' ? 'cli' : 'env');
  }
  return given;
}

/** Returns which command line runs, whether it has --dry-run, and whether it writes. */
function runOf(command: Command, name: CommandName, writes: CommandSpec['writes']) {
  const dryRun: unknown = command.getOptionValue('dryRun');
  const target: unknown = writes === undefined || writes === 'always' ? writes : command.getOptionValue(writes.slice('--'.length));
  // `-` is standard output
  const isWriting = dryRun === false || (target !== undefined && target !== false && target !== '-');
  return { name: writes === undefined || writes === 'always' ? name : `${name} ${writes}`, hasDryRun: dryRun !== undefined, isWriting };
}

/** Whether the text of a command is the result that was asked for. */
function hasResult(result: CommandSpec['result'], given: Given): boolean {
  return given.has('--dry-run') || result === 'always' || (result !== undefined && !given.has(result.without));
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
