import { Argument, type Command, type CommanderError } from 'commander';
import { plural } from '../contract/amounts.ts';
import { closestNames } from '../contract/closest-names.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, type SuggestedCommand, suggested } from '../contract/hint.ts';
import { ENCODINGS } from '../tree/encoding.ts';
import { COMMANDS } from './commands.ts';
import type { RejectedValue } from './program.ts';
import { OFF, ON } from './refusals.ts';
import type { CommandSpec } from './spec.ts';
import { ARGUMENT_SYNONYMS, COMMAND_SYNONYMS, LISTS, OPTION_SYNONYMS } from './synonyms.ts';

/**
 * Converts commander's error for wrong usage to a Failure, so that it has the same layout as all errors.
 * @param given the words of the command line after the name of the program
 * @param rejected the value that the error is about, if it is about a value
 */
export function usageFailure(
  program: Command,
  given: readonly string[],
  error: CommanderError,
  rejected: RejectedValue | undefined,
): Failure {
  // without 'help' in front of the command, or between the group and its command, and without '--' in front
  const words = given.filter((word, index) => (word !== 'help' || index > 1) && (word !== '--' || index > 0));
  const message = error.message.replace(/^error: /, '');
  const field = optionIn(error.code, commandIn(program, words).command, words);
  const hint = hintFor(program, words, error, field);
  if (rejected !== undefined) return valueFailure(rejected, hint);
  if (error.code === 'commander.help') return new Failure('usage', 'no command was given', { hint });
  if (error.code === 'commander.excessArguments') {
    const { command } = commandIn(program, words);
    const expected = plural(command.registeredArguments.length, 'argument');
    return new Failure('usage', `too many arguments for '${command.name()}'`, { expected, found: String(command.args.length), hint });
  }
  return new Failure('usage', message, { place: field === undefined ? {} : { field }, hint });
}

/** Returns the option that an error is about, if it is about an option and not about its value. */
function optionIn(code: string, command: Command, words: readonly string[]): string | undefined {
  const { options } = command;
  if (code === 'commander.unknownOption') return command.parseOptions(command.args).unknown[0];
  if (code === 'commander.missingMandatoryOptionValue')
    return options.find((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)?.long;
  if (code !== 'commander.optionMissingArgument') return undefined;
  // several short options can be one word
  const last = words.at(-1)?.replace(/^-\w*(\w)$/, '-$1');
  return options.find(({ short, long }) => last === short || last === long)?.long;
}

/** Returns the failure for a value that its parser does not accept. It is from the command line or from a variable. */
function valueFailure({ target, variable, text, expected }: RejectedValue, hint: Hint): Failure {
  if (target instanceof Argument) return new Failure('usage', `'${text}' is not a valid ${target.name()}`, { expected, found: text, hint });
  const { flags, long = '' } = target;
  const source = variable === undefined ? `argument '${text}'` : `value '${text}' from env '${variable}'`;
  return new Failure('usage', `option '${flags}' ${source} is invalid`, {
    place: { field: variable ?? long },
    expected,
    found: text,
    hint,
  });
}

/**
 * Returns a hint for an option before the command, for an output with another option than --to, for a path without its option,
 * and for a word or option of other commands or programs. Otherwise it suggests --help.
 */
function hintFor(program: Command, words: readonly string[], error: CommanderError, option: string | undefined): Hint {
  const [first = ''] = words;
  const later = words.find((word) => program.commands.some((one) => one.name() === word));
  if (error.code === 'commander.unknownOption' && /^--?[a-z]/.test(first) && later !== undefined) {
    const early = first.replace(/=.*$/s, '');
    return `write ${early} after the command: palimpsest ${later} ${early} …`;
  }
  const { name, command } = commandIn(program, words);
  const output = OPTION_SYNONYMS[0]?.find((one) => words.some((word) => word.replace(/=.*$/s, '') === one));
  if (error.code === 'commander.missingMandatoryOptionValue' && output !== undefined) return `did you mean --to instead of ${output}?`;
  const isPath = error.code === 'commander.excessArguments' || error.code === 'commander.missingMandatoryOptionValue';
  const meantPath = isPath ? hintForPath(name, command, words) : undefined;
  const isOption = error.code === 'commander.unknownOption' && option !== undefined;
  const other = isOption ? hintForOption([name, command], option) : undefined;
  const meantCommand = error.code === 'commander.unknownCommand' ? hintForCommand(command, words) : undefined;
  return meantPath ?? meantCommand ?? other ?? hint`run ${suggested(name, { '--help': true })} to see the usage`;
}

/** Returns a hint for a path without its option, and for another word that is too many: the value of a switch, or one of several values. */
function hintForPath(name: string, command: Command, words: readonly string[]): Hint | undefined {
  const [path = 'help', ...others] = command.args;
  const options = optionsOf(command, words);
  if (command.registeredArguments[0]?.name() === 'text') return hint`did you mean ${suggested(name, options, [command.args.join(' ')])}?`;
  const meant = /^\d+$/.test(path) ? ['--port'] : ['--to', '--out', '--store'];
  const output = meant.find((long) => command.options.some((one) => one.long === long));
  if (path === 'help' || others.length > 0 || output === undefined || command.registeredArguments.length > 0) return undefined;
  const before = words[words.lastIndexOf(path) - 1] ?? '';
  if (options[before] === true && (ON.test(path) || OFF.test(path))) return hintForOption([name, command], `${before}=${path}`);
  const encodings = [options['--compress'] ?? []].flat();
  const meantOptions =
    encodings.length > 0 && ENCODINGS.some((one) => one === path) ? { '--compress': [...encodings, path].join(',') } : { [output]: path };
  return hint`did you mean ${suggested(name, { ...options, ...meantOptions })}?`;
}

/** Returns a hint for an unknown command: the command here that does the same, or one with a similar name. */
function hintForCommand(group: Command, words: readonly string[]): Hint | undefined {
  const place = group.parent === null ? '' : `${group.name()} `;
  const wrong = (words[place === '' ? 0 : 1] ?? '').toLowerCase();
  if (wrong === 'version') return 'did you mean `palimpsest --version`?';
  const all = Object.keys(COMMANDS);
  const names = all.filter((name) => name.startsWith(place));
  const synonyms = Object.hasOwn(COMMAND_SYNONYMS, wrong) ? (COMMAND_SYNONYMS[wrong] ?? []) : [];
  const within = synonyms.filter((name) => names.includes(name));
  const same = new Set([...all.filter((name) => name.endsWith(` ${wrong}`)), ...(within.length > 0 ? within : synonyms)]);
  const similar = similarTo(
    wrong,
    names.map((name) => name.slice(place.length).split(' ')[0] ?? ''),
  );
  const name = similar && place + similar;
  if (same.size === 0) return name && hint`did you mean ${suggested(name)}?`;
  return [...same].flatMap((name, index) => [index === 0 ? 'did you mean ' : ' or ', suggested(name)]).concat('?');
}

/** Returns a hint for an option that a command does not have: what it has instead, or the commands that have the option. */
function hintForOption([fullName, command]: readonly [string, Command], option: string): Hint | undefined {
  const wrong = option.replace(/=.*$/s, '');
  const name = wrong.replace(/^-+/, '');
  const own = command.options.flatMap(({ long }) => long ?? []);
  const argument = command.registeredArguments
    .map((one) => one.name())
    .find((one) => one === name || ARGUMENT_SYNONYMS[one]?.includes(wrong));
  const isFile = fullName.startsWith('store ') && own.includes('--store') && command.args[0]?.startsWith('-') === false;
  if (isFile && (argument !== undefined || OPTION_SYNONYMS[0]?.includes(wrong))) return 'did you mean --store?';
  if (argument !== undefined)
    return `give the ${argument.replace('-url', ' URL')} as an argument: \`palimpsest ${fullName} <${argument}>\``;
  if (wrong === '--list' && LISTS.includes(fullName)) return `leave out --list: \`palimpsest ${fullName}\` is a list`;
  const isOff = OFF.test(option.replace(/^[^=]*=?/s, ''));
  if (isOff && own.includes(`--no-${name}`)) return `did you mean --no-${name}?`;
  if (isOff && own.includes(wrong)) return `leave out ${wrong}: it is off by default`;
  const positive = wrong.replace('--no-', '--');
  if (positive !== wrong && own.includes(positive)) return `leave out ${wrong}: ${positive} is off by default`;
  const same = OPTION_SYNONYMS.flatMap((options) => (options.includes(wrong) ? (options.find((one) => own.includes(one)) ?? []) : []));
  const isLong = wrong.startsWith('--') && positive === wrong;
  const similar = isLong ? (own.find((one) => sameWords(one, wrong)) ?? similarTo(wrong, own)) : undefined;
  const meant = [...new Set(same)].join(' or ') || similar;
  if (meant !== undefined) return `did you mean ${meant}?`;
  const has = ({ options }: CommandSpec) => Object.keys(options).some((usage) => usage.split(' ')[0] === wrong);
  const others = Object.entries<CommandSpec>(COMMANDS).flatMap(([other, spec]) => (has(spec) ? [other] : []));
  return others.length === 0 || others.length > 3
    ? undefined
    : `${wrong} is an option of ${others.map((other) => `\`palimpsest ${other}\``).join(', ')}`;
}

/** Whether two options have the same words in any order. */
function sameWords(one: string, other: string): boolean {
  return one.split('-').toSorted().join('-') === other.split('-').toSorted().join('-');
}

/** Returns the name that differs from a word by a few letters. */
function similarTo(word: string, names: readonly string[]): string | undefined {
  return closestNames(word, names, 1, Math.max(2, Math.floor(word.length / 3)))[0];
}

/** Returns the options on the command line, with their texts. Without an error about an option, each can be parsed again. */
function optionsOf(command: Command, words: readonly string[]): SuggestedCommand['options'] {
  const options: { [long: string]: true | string[] } = {};
  for (const option of command.options) {
    const { long } = option;
    if (long === undefined) continue;
    command.on(`option:${option.name()}`, (text?: string | null) => {
      const before = options[long];
      options[long] = typeof text === 'string' ? [...(Array.isArray(before) ? before : []), text] : true;
    });
  }
  command.parseOptions([...words]);
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
