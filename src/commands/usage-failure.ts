import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';

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
    hint:
      meant === undefined ? hint`run ${suggested(nameIn(program, words), { '--help': true })} to see the usage` : `did you mean ${meant}?`,
  });
}

/** Returns the name of the command in a command line, with its group; '' if no command is there. */
function nameIn(program: CommandUnknownOpts, words: readonly string[]): string {
  const names: string[] = [];
  let command = program;
  for (const word of words) {
    const nested = command.commands.find((one) => one.name() === word);
    if (nested === undefined) break;
    names.push(word);
    command = nested;
  }
  return names.join(' ');
}
