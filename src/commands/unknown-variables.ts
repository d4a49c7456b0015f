import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ProcessIO } from '../terminal/process-io.ts';

/** Returns the environment variables of the options of a command and its subcommands. */
export function variablesOf(command: CommandUnknownOpts): string[] {
  return [...command.options.flatMap(({ envVar }) => envVar ?? []), ...command.commands.flatMap(variablesOf)];
}

/** Returns the variables that look like options of palimpsest and are not in a list. */
export function unknownVariables(env: ProcessIO['env'], known: ReadonlySet<string>): readonly string[] {
  return Object.keys(env).filter((name) => name.startsWith('PALIMPSEST_') && env[name] !== '' && !known.has(name));
}

/** Returns the warning for a variable that no command has. */
export async function unknownVariableText(name: string, known: ReadonlySet<string>): Promise<string> {
  const { suggest } = await import('../history/suggest.ts');
  const [similar] = suggest(name, known, 1);
  return `${name} is ignored, because no command has this variable${similar === undefined ? '' : `; did you mean ${similar}?`}`;
}
