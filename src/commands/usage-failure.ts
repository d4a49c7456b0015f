import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';

/**
 * Converts commander's error for wrong usage to a Failure, so that it has the same layout as all errors. Commander gives only
 * a text: `error: option '--port <n>' argument 'x' is invalid. Expected a whole number.`
 * @param words the words of the command line after the name of the program
 */
export function usageFailure(program: CommandUnknownOpts, words: readonly string[], error: CommanderError): Failure {
  const [, text = error.message, meant] = /^(.*?)(?:\n\(Did you mean ([^\n]*)\?\))?$/s.exec(error.message.replace(/^error: /, '')) ?? [];
  const [, message = text, rest] = /^(.*? (?:is invalid(?: for argument '.*?')?|for '[^']*'))\. (.*)$/s.exec(text) ?? [];
  const field = /from env '(\w+)'/.exec(message)?.[1] ?? /option '(-[^ ']+)/.exec(message)?.[1];
  const found = /(?:argument|value) '(.*?)' (?:from env|is invalid)/s.exec(message)?.[1];
  const [, expected = rest, got] = /^(.*) but got (\d+)\.$/s.exec(rest ?? '') ?? [];
  const plain = message.replace(/^command-argument value '(.*)' is invalid for argument '(.*)'$/s, "'$1' is not a valid $2");
  return new Failure('usage', error.code === 'commander.help' ? 'no command was given' : plain, {
    place: field === undefined ? {} : { field },
    expected: expected
      ?.replace(/^Expected (an? )?/, '$1')
      .replace(/^Allowed choices are /, 'one of ')
      .replace(/\.$/, ''),
    found: found ?? got,
    hint: meant === undefined ? hintFor(program, words, error) : `did you mean ${meant}?`,
  });
}

/** Returns a hint for an option before the command, and for a path without its option. Otherwise it suggests --help. */
function hintFor(program: CommandUnknownOpts, words: readonly string[], error: CommanderError): Hint {
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
function optionsOf(command: CommandUnknownOpts): { readonly [long: string]: string | number | true } {
  const options: { [long: string]: string | number | true } = {};
  for (const option of command.options) {
    const [name, value] = [option.attributeName(), command.getOptionValue(option.attributeName())];
    if (option.long === undefined || command.getOptionValueSource(name) !== 'cli') continue;
    if (typeof value === 'string' || typeof value === 'number' || value === true) options[option.long] = value;
  }
  return options;
}

/** Returns the command in a command line, and its name with its group; '' and the program if no command is there. */
function commandIn(program: CommandUnknownOpts, words: readonly string[]): { readonly name: string; readonly command: CommandUnknownOpts } {
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
