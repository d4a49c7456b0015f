import type { Command } from 'commander';

/** Returns the executable commands, each with its full name, such as `export ndjson` of the group `export`. */
export function commandsIn(group: Command, before = ''): (readonly [name: string, command: Command])[] {
  return group.commands.flatMap((command) =>
    command.commands.length > 0 ? commandsIn(command, `${before}${command.name()} `) : [[before + command.name(), command] as const],
  );
}
