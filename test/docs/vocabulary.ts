import type { Command, Option } from 'commander';

/** An option in all commands that have it. Each list has what the commands say, without repetitions. */
export interface Term {
  readonly flags: string;
  readonly commands: readonly string[];
  /** How the descriptions begin. */
  readonly meanings: readonly string[];
  /** What the value is, such as `<n>`; a switch has none. */
  readonly values: readonly string[];
}

/** Returns all options of the program, those of most commands first. */
export function vocabulary(commands: readonly (readonly [name: string, command: Command])[]): Term[] {
  const uses = commands.flatMap(([name, { options }]) => options.map((option) => ({ name, option })));
  return distinct(uses.map(({ option }) => option.long ?? ''))
    .map((long) => uses.filter(({ option }) => option.long === long))
    .map((all) => ({
      flags: all[0]?.option.flags.replace(/<(file|folder)>/, all.length > 1 ? '<path>' : '<$1>') ?? '',
      commands: all.map(({ name }) => name),
      meanings: distinct(all.map(({ option }) => meaningOf(option))),
      values: distinct(all.map(({ option }) => valueOfOption(option))),
    }))
    .toSorted((one, other) => other.commands.length - one.commands.length);
}

/** Returns the meaning without what a single command adds to it. */
function meaningOf({ description }: Option): string {
  return description.replace(/^(pages|versions): /, '').replace(/(:|;|,| \().*/, '');
}

function valueOfOption({ flags, argChoices }: Option): string {
  return argChoices?.join('|') ?? /[<[].*/.exec(flags)?.[0].replace(/file|folder/, 'path') ?? '';
}

const distinct = (texts: readonly string[]) => [...new Set(texts)];
