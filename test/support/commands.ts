import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** The commands that do something, each with its whole name: `export ndjson` of the group `export`. */
export function commandsIn(group: CommandUnknownOpts, before = ''): (readonly [name: string, command: CommandUnknownOpts])[] {
  return group.commands.flatMap((command) =>
    command.commands.length > 0 ? commandsIn(command, `${before}${command.name()} `) : [[before + command.name(), command] as const],
  );
}
