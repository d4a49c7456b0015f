import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { programFor } from '../../src/command-line/program.ts';
import { exitCodeOf, FAILURES } from '../../src/contract/failure-codes.ts';
import { CAPABILITIES } from '../../src/rewrite/hosts/host.ts';
import { REFUSED } from '../../src/rewrite/hosts/registry.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { RULES } from '../../src/verify/violation.ts';
import { commandsIn } from '../support/commands.ts';
import { JSON_FIELDS } from './json-fields.ts';
import { vocabulary } from './vocabulary.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const MARK = '<!-- generated: npm run docs -->';
const END = '<!-- end -->';
/** The options of every command, which are described once. */
const EVERYWHERE = ['--json', '--quiet', '--help'];

const silent = { write: () => true };
const terminal = new Terminal({ stdin: (async function* () {})(), stdout: silent, stderr: silent, env: {}, once: () => {} });
const program = programFor(terminal);

describe('`npm run docs` writes', () => {
  it('the commands and their options', () => matches('commands.md', page('Commands', commandsPage())));

  it('the fields of the JSON output', () => {
    const parts = Object.entries(JSON_FIELDS).map(([command, fields]) => {
      const rows = Object.entries(fields).map(([names, meaning]) => [coded(names), linked(meaning)]);
      return `## ${command}\n\n${table(['field', 'meaning'], rows)}`;
    });
    const lead =
      'The fields of the object that a command prints with `--json`. Names are in snake_case, as in the API: `screen_name` is the handle. A key has one kind of value in all commands, and `results` is the list that was asked for. A dot leads into an object, or into each object of a list.';
    return matches('json.md', page('JSON output', [lead, ...parts].join('\n\n')));
  });

  it('the figure of the modules', () => matchesParts('architecture.md', figure()));

  it('the error codes', () => {
    const rows = Object.entries(FAILURES).map(([code, { meaning, remedy }]) => [
      `\`${code}\``,
      exitCodeOf(code),
      linked(meaning),
      linked(remedy),
    ]);
    return matchesParts('errors.md', table(['code', 'exit', 'meaning', 'what to do'], rows));
  });

  it('the rules of verify', () => {
    const rows = Object.entries(RULES).map(([rule, meaning]) => [`\`${rule}\``, meaning]);
    return matchesParts('rules.md', table(['rule', 'meaning'], rows));
  });

  it('the hosts that are refused, and the capabilities of hosts', () => {
    const refused = REFUSED.map(({ name, reason, instead }) => [`\`${name}\``, reason, instead]);
    const capabilities = Object.entries(CAPABILITIES).map(([name, meaning]) => [`\`${name}\``, meaning]);
    return matchesParts('hosts.md', table(['host', 'why', 'instead'], refused), table(['capability', 'meaning'], capabilities));
  });
});

const matches = (name: string, text: string) => expect(text).toMatchFileSnapshot(DOCS + name);

/** Compares the generated parts of a page, in their order. What stands around them is written by hand. */
function matchesParts(name: string, ...texts: readonly string[]): Promise<void> {
  const [before = '', ...parts] = readFileSync(DOCS + name, 'utf8').split(`${MARK}\n`);
  if (parts.length !== texts.length) throw new Error(`docs/${name} needs ${texts.length} lines ${MARK}`);
  const after = parts.map((part, index) => `${MARK}\n\n${texts[index]}\n\n${part.slice(part.indexOf(END))}`);
  return matches(name, before + after.join(''));
}

const page = (title: string, text: string) => `${MARK}\n\n# ${title}\n\n${text}\n`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) throw new Error(`the table of ${head.join(', ')} has no rows`);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `command-line` starts the commands, and they import the types of their options from it: both have one place in the figure. */
const inFigure = (folder: string) => (folder === 'command-line' ? 'commands' : folder);

/** Draws which module imports which, without the arrows that follow from others. */
function figure(): string {
  const imports = new Map<string, Set<string>>();
  for (const path of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /^[a-z-]+\/.*\.ts$/.test(name))) {
    const module = inFigure(path.split('/')[0] ?? '');
    const found = [...readFileSync(SRC + path, 'utf8').matchAll(/(?:from |import\()'(?:\.\.\/)+([a-z-]+)\//g)].map(([, other = '']) =>
      inFigure(other),
    );
    imports.set(module, new Set([...(imports.get(module) ?? []), ...found.filter((other) => other !== module)]));
  }
  const direct = (module: string) => [...(imports.get(module) ?? [])].filter((other) => imports.has(other));
  const reached = (module: string): Set<string> => new Set(direct(module).flatMap((other) => [other, ...reached(other)]));
  const arrows = [...imports.keys()].toSorted().flatMap((module) =>
    direct(module)
      .filter((other) => !direct(module).some((between) => between !== other && reached(between).has(other)))
      .toSorted()
      .map((other) => `  ${module} --> ${other}`),
  );
  return `\`\`\`mermaid\nflowchart BT\n${arrows.join('\n')}\n\`\`\``;
}

/** Makes links of the places in a text: `publish.md#set-the-credentials`. */
const linked = (text: string) => text.replace(/([a-z-]+\.md)(#[a-z-]+)?/g, '[$1]($1$2)');

function commandsPage(): string {
  const commands = commandsIn(program);
  const list = commands.map(([name, command]) => [`[\`${name}\`](#${name.replaceAll(' ', '-')})`, command.summary()]);
  return [
    'The help of every command as one page. [cli.md](cli.md) describes what all commands share.',
    table(['command', 'what it does'], list),
    ...commands.map(([name, command]) => commandText(name, command)),
    '## All options\n\nAn option has the same meaning in every command that has it. `--json` and `--quiet` work in every command. [cli.md](cli.md) explains how a variable is named after its option.',
    optionsTable(commands),
  ].join('\n\n');
}

function commandText(name: string, command: Command): string {
  const help = helpOf(command);
  const examples = [...help.matchAll(/^ {2}\$ (.*)\n {6}(.*)$/gm)].map(([, line = '', effect = '']) => `# ${effect}\n${line}`);
  const args = command.registeredArguments.map((argument) => [coded(argument.name()), cell(argument.description)]);
  const options = command.options
    .filter(({ long }) => !EVERYWHERE.includes(long ?? ''))
    .map((option) => [coded(option.flags), shownDefault(defaultOf(option)), meaningOf(option)]);
  return [
    `## ${name}`,
    `    ${help.slice('Usage: '.length, help.indexOf('\n'))}`,
    command.description(),
    ...(args.length === 0 ? [] : [table(['argument', 'meaning'], args)]),
    ...(options.length === 0 ? [] : [table(['option', 'default', 'meaning'], options)]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ].join('\n\n');
}

/** Returns the whole help of a command, without line breaks in its descriptions. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100_000 }).outputHelp();
  return text;
}

function meaningOf({ description, argChoices = [] }: Option): string {
  return cell(description) + (argChoices.length === 0 ? '' : `: ${argChoices.map(coded).join(', ')}`);
}

function defaultOf({ defaultValue, defaultValueDescription, mandatory }: Option): string {
  if (mandatory && defaultValue === undefined) return 'required';
  const value = defaultValueDescription ?? defaultValue;
  return value === undefined || typeof value === 'boolean' ? '' : String(value);
}

const shownDefault = (text: string) => (text === '' || text === 'required' ? text : `\`${text}\``);

/** Returns the commands that have each option, as a table. What it means there is in the tables of these commands. */
function optionsTable(commands: ReturnType<typeof commandsIn>): string {
  const rows = vocabulary(commands)
    .filter((term) => term.commands.length < commands.length)
    .map((term) => [coded(term.flags), coded(term.commands.join(', '))]);
  return table(['option', 'commands'], rows);
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
const coded = (names: string) =>
  names
    .split(', ')
    .map((name) => `\`${name.replaceAll('|', '\\|')}\``)
    .join(', ');
