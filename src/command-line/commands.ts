import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { OUTPUT_COMMANDS } from './output-commands.ts';
import { READ_COMMANDS } from './read-commands.ts';
import { SITE_COMMANDS } from './site-commands.ts';
import type { CommandSpec, ValuesOf } from './spec.ts';
import { STORE_COMMANDS } from './store-commands.ts';

const OTHER_COMMANDS = {
  completion: {
    summary: 'write a script that completes commands and options in a shell',
    description:
      'Writes a script that completes commands, options and their values when you press Tab. The script runs palimpsest, so ' +
      'palimpsest must be on the PATH.',
    args: { '<shell>': { help: 'the shell', choices: ['bash', 'zsh', 'fish'] } },
    options: {},
    examples: [
      ['mkdir -p ~/.local/share/bash-completion/completions', 'the folder for bash'],
      ['palimpsest completion bash > ~/.local/share/bash-completion/completions/palimpsest', 'for bash, if that folder exists'],
      ['palimpsest completion zsh > ~/.zfunc/_palimpsest', 'for zsh, if the folder ~/.zfunc exists and is in the fpath'],
      ['palimpsest completion fish > ~/.config/fish/completions/palimpsest.fish', 'for fish, if that folder exists'],
    ],
  },
} as const satisfies { readonly [name: string]: CommandSpec };

/** All commands in the order of the help. A name of two words is a group and a command of it. */
export const COMMANDS = {
  ...READ_COMMANDS,
  ...SITE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...OUTPUT_COMMANDS,
  ...STORE_COMMANDS,
  ...OTHER_COMMANDS,
} as const;

export type CommandName = keyof typeof COMMANDS;

/** The values of the arguments and options of a command. */
export type Values<Name extends CommandName> = ValuesOf<(typeof COMMANDS)[Name]['options']> &
  ((typeof COMMANDS)[Name] extends { readonly args: infer Args } ? ValuesOf<Args> : unknown);

/** The headings of the help, each with its commands. */
export const TASKS: { readonly [heading: string]: { readonly [name: string]: CommandSpec } } = {
  'Read sources:': READ_COMMANDS,
  'Make and publish the site:': SITE_COMMANDS,
  'Inspect and remove accounts:': ACCOUNT_COMMANDS,
  'Write files for other programs:': OUTPUT_COMMANDS,
  'Check and back up the store:': STORE_COMMANDS,
  'Other:': OTHER_COMMANDS,
};

/** What a group of commands is, by its name. */
export const GROUPS: { readonly [name: string]: { readonly summary: string; readonly description: string } } = {
  archive: {
    summary: 'write the tree in a format for archives',
    description: 'Writes the tree in a format for archives: WACZ, WARC or BagIt.',
  },
  export: {
    summary: 'write the store for other programs, or for import',
    description: 'Writes the store as NDJSON, CSV or Parquet, for other programs or for import.',
  },
  store: {
    summary: 'check, back up and restore the store',
    description: 'Checks, backs up and restores the store.',
  },
};
