import { Argument, type Command, type CommanderError } from 'commander';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';
import { plural } from '../contract/plural.ts';
import type { RejectedValue } from './program.ts';

/**
 * Converts commander's error for wrong usage to a Failure, so that it has the same layout as all errors.
 * @param words the words of the command line after the name of the program
 * @param rejected the value that the error is about, if it is about a value
 */
export function usageFailure(
  program: Command,
  words: readonly string[],
  error: CommanderError,
  rejected: RejectedValue | undefined,
): Failure {
  const [message = '', meant] = error.message.replace(/^error: /, '').split(/\n\(Did you mean |\?\)$/);
  const isVersion = /'(--version|-V)'/.test(message);
  const hint = meant === undefined || isVersion ? hintFor(program, words, error) : `did you mean ${meant}?`;
  if (rejected !== undefined) return valueFailure(rejected, words, hint);
  if (error.code === 'commander.help') return new Failure('usage', 'no command was given', { hint });
  if (error.code === 'commander.excessArguments') {
    const { command } = commandIn(program, words);
    const expected = plural(command.registeredArguments.length, 'argument');
    return new Failure('usage', `too many arguments for '${command.name()}'`, { expected, found: String(command.args.length), hint });
  }
  const field = /'(-[^ ']+)/.exec(message)?.[1];
  return new Failure('usage', message, { place: field === undefined ? {} : { field }, hint });
}

/** Returns the failure for a value that its parser does not accept. It is from the command line or from a variable. */
function valueFailure({ target, text, expected }: RejectedValue, words: readonly string[], hint: Hint): Failure {
  if (target instanceof Argument) return new Failure('usage', `'${text}' is not a valid ${target.name()}`, { expected, found: text, hint });
  const { flags, long = '', envVar } = target;
  const isGiven = words.some((word) => word === long || word.startsWith(`${long}=`));
  const message = isGiven
    ? `option '${flags}' argument '${text}' is invalid`
    : `option '${flags}' value '${text}' from env '${envVar}' is invalid`;
  return new Failure('usage', message, { place: { field: isGiven ? long : (envVar ?? long) }, expected, found: text, hint });
}

/** Returns a hint for an option before the command, and for a path without its option. Otherwise it suggests --help. */
function hintFor(program: Command, words: readonly string[], error: CommanderError): Hint {
  const [first = ''] = words;
  const later = words.find((word) => program.commands.some((one) => one.name() === word));
  if (error.code === 'commander.unknownOption' && /^--?[a-z]/.test(first) && later !== undefined) {
    const option = first.replace(/=.*$/s, '');
    return `write ${option} after the command: palimpsest ${later} ${option} …`;
  }
  const { name, command } = commandIn(program, words);
  const [path, ...others] = command.args;
  const option = ['--to', '--out', '--store'].find((long) => command.options.some((one) => one.long === long));
  const isPath = error.code === 'commander.excessArguments' || error.code === 'commander.missingMandatoryOptionValue';
  if (isPath && path !== undefined && others.length === 0 && option !== undefined && command.registeredArguments.length === 0)
    return hint`did you mean ${suggested(name, { [option]: path, ...optionsOf(command) })}?`;
  return hint`run ${suggested(name, { '--help': true })} to see the usage`;
}

/** Returns the options on the command line. Those with other values than text, numbers and switches are left out. */
function optionsOf(command: Command): { readonly [long: string]: string | number | true } {
  const options: { [long: string]: string | number | true } = {};
  for (const option of command.options) {
    const [name, value] = [option.attributeName(), command.getOptionValue(option.attributeName())];
    if (option.long === undefined || command.getOptionValueSource(name) !== 'cli') continue;
    if (typeof value === 'string' || typeof value === 'number' || value === true) options[option.long] = value;
  }
  return options;
}

/** Returns the command in a command line, and its name with its group; '' and the program if no command is there. */
function commandIn(program: Command, words: readonly string[]): { readonly name: string; readonly command: Command } {
  const names: string[] = [];
  let command = program;
  for (const word of words) {
    const nested = command.commands.find((one) => one.name() === word);
    if (nested === undefined) break;
    names.push(word);
    command = nested;
  }
  return { name: names.join(' '), command };
}
