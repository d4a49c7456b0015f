import type { Command, Option } from 'commander';

/** An option in all commands that have it. Each list has what the commands say, without repetitions. */
export interface Term {
  readonly flags: string;
  readonly commands: readonly string[];
  /** The whole description if it is the same in all commands, or what they have in common. */
  readonly text: string;
  /** How the descriptions begin. */
  readonly meanings: readonly string[];
  /** What the value is, such as `<n>`; a switch has none. */
  readonly values: readonly string[];
  readonly defaults: readonly string[];
  readonly variables: readonly string[];
}

/** Returns all options of the program, those of most commands first. */
export function vocabulary(commands: readonly (readonly [name: string, command: Command])[]): Term[] {
  const uses = commands.flatMap(([name, { options }]) => options.map((option) => ({ name, option })));
  return distinct(uses.map(({ option }) => option.long ?? ''))
    .map((long) => uses.filter(({ option }) => option.long === long))
    .map((all) => ({
      flags: all[0]?.option.flags.replace(/<(file|folder)>/, all.length > 1 ? '<path>' : '<$1>') ?? '',
      commands: all.map(({ name }) => name),
      text:
        distinct(all.map(({ option }) => option.description)).length === 1 ? (all[0]?.option.description ?? '') : meaningOf(all[0]?.option),
      meanings: distinct(all.map(({ option }) => meaningOf(option))),
      values: distinct(all.map(({ option }) => valueOfOption(option))),
      defaults: distinct(all.map(({ option }) => defaultOf(option))),
      variables: distinct(all.map(({ option }) => option.envVar ?? '')),
    }))
    .toSorted((one, other) => other.commands.length - one.commands.length);
}

export function defaultOf({ defaultValue, defaultValueDescription, mandatory }: Option): string {
  if (mandatory && defaultValue === undefined) return 'required';
  const value = defaultValueDescription ?? defaultValue;
  return value === undefined || typeof value === 'boolean' ? '' : String(value);
}

/** Returns the meaning without what a single command adds to it. */
function meaningOf(option: Option | undefined): string {
  return (option?.description ?? '').replace(/^(pages|versions): /, '').replace(/(:|;|,| \().*/, '');
}

function valueOfOption({ flags, argChoices }: Option): string {
  return argChoices?.join('|') ?? /[<[].*/.exec(flags)?.[0].replace(/file|folder/, 'path') ?? '';
}

const distinct = (texts: readonly string[]) => [...new Set(texts)];
