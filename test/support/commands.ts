import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Returns the executable commands, each with its full name, such as `export ndjson` of the group `export`. */
export function commandsIn(group: CommandUnknownOpts, before = ''): (readonly [name: string, command: CommandUnknownOpts])[] {
  return group.commands.flatMap((command) =>
    command.commands.length > 0 ? commandsIn(command, `${before}${command.name()} `) : [[before + command.name(), command] as const],
  );
}
