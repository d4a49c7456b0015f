import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import type { Values } from '../command-line/commands.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function runCompletion(terminal: Terminal, { shell }: Values<'completion'>): void {
  terminal.io.stdout.write(readFileSync(new URL(`../../src/commands/completions/${shell}`, import.meta.url), 'utf8'));
}

/** What a script reads after the candidates: whether the shell may complete the names of files. */
const DIRECTIVES = { files: ':0', nothing: ':4' } as const;

interface Candidates {
  readonly values: readonly (readonly [value: string, description: string])[];
  readonly files: boolean;
}

const HELP = ['--help', 'display help for command'] as const;
const FILES: Candidates = { values: [], files: true };

/**
 * Answers a completion script: one candidate and its description on each line, and then a directive.
 * @param words the words after the name of the program; the last one is to be completed
 */
export async function complete(program: Command, terminal: Terminal, words: readonly string[]): Promise<void> {
  const [, option, value] = /^(--[^=]+)=(.*)$/.exec(words.at(-1) ?? '') ?? [];
  const before = words.slice(0, -1);
  const current = value ?? words.at(-1) ?? '';
  const { values, files } = await candidates(program, option === undefined ? before : [...before, option], current);
  const lines = values.filter(([value]) => value.startsWith(current)).map(([value, description]) => `${value}\t${description}\n`);
  terminal.io.stdout.write(`${lines.join('')}${files ? DIRECTIVES.files : DIRECTIVES.nothing}\n`);
}

async function candidates(program: Command, before: readonly string[], current: string): Promise<Candidates> {
  let command = program;
  let places = 0;
  let open: Option | undefined;
  for (const word of before) {
    if (open !== undefined) open = undefined;
    else if (word.startsWith('-'))
      open = command.options.find((option) => (option.long === word || option.short === word) && option.required);
    else {
      const nested = command.commands.find((one) => one.name() === word);
      if (nested === undefined) places += 1;
      else command = nested;
    }
  }
  if (open !== undefined) return ofValue(open.argChoices, open.flags);
  if (current.startsWith('-'))
    return { values: [...command.options.map(({ long, description }) => [long ?? '', description] as const), HELP], files: false };
  if (command.commands.length > 0) return { values: command.commands.map((one) => [one.name(), one.summary()]), files: false };
  const { registeredArguments } = command;
  const argument = registeredArguments[places] ?? (registeredArguments.at(-1)?.variadic ? registeredArguments.at(-1) : undefined);
  if (argument === undefined) return { values: [], files: false };
  if (argument.name() === 'host') {
    const { allHosts } = await import('../rewrite/hosts/registry.ts');
    return { values: (await allHosts()).map(({ name, title }) => [name, title]), files: false };
  }
  return ofValue(argument.argChoices, /^(source|target)$/.test(argument.name()) ? '<file>' : '');
}

/** @param flags shows with `<file>`, `<folder>` or `<path>` that the value is a path */
function ofValue(choices: readonly string[] | undefined, flags: string): Candidates {
  if (choices !== undefined) return { values: choices.map((choice) => [choice, '']), files: false };
  return /<(file|folder|path)>/.test(flags) ? FILES : { values: [], files: false };
}
