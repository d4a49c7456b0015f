import type { Command } from 'commander';
import { programFor } from '../../src/command-line/program.ts';
import { Terminal } from '../../src/terminal/terminal.ts';

/** Returns the executable commands, each with its full name, such as `export ndjson` of the group `export`. */
export function commandsIn(group: Command, before = ''): (readonly [name: string, command: Command])[] {
  return group.commands.flatMap((command) =>
    command.commands.length > 0 ? commandsIn(command, `${before}${command.name()} `) : [[before + command.name(), command] as const],
  );
}

/** Returns all commands, declared with an environment. What they write is lost. */
export function allCommands(env: NodeJS.ProcessEnv = {}): (readonly [name: string, command: Command])[] {
  const silent = { write: () => true };
  return commandsIn(programFor(new Terminal({ stdin: (async function* () {})(), stdout: silent, stderr: silent, env, once: () => {} })));
}
