import { DATA_TYPES } from '../contract/record.ts';
import { field, path, place } from './parsers.ts';
import { CONCURRENCY, DRY_RUN, LIST_OPTIONS, SOURCE_OPTIONS, STORE } from './shared-options.ts';
import type { CommandSpec } from './spec.ts';

export const ACCOUNT_COMMANDS = {
  history: {
    summary: "show one account's changes, newest first",
    description:
      'Shows the changes and first values of one profile, newest first. Removed text is shown as [-old-], added text as {+new+}.',
    args: {
      '<name>': {
        help: 'the handle (with or without @), a former handle, the stable id (write id:ID if a handle looks the same), or the beginning of one handle',
      },
    },
    options: {
      '--field <type>': { help: 'show only the records of this field', choices: DATA_TYPES, parse: field },
      ...LIST_OPTIONS,
    },
    result: 'always',
    examples: [
      ['palimpsest history jack', 'every change of every field'],
      ['palimpsest history jack --field bio | less -R', 'the changes of one field, in a pager'],
      ['palimpsest history repclay', 'the account whose handle begins with repclay; if there are several, an error with suggestions'],
    ],
  },
  accounts: {
    summary: 'list the accounts in the store, or search them',
    description:
      'Lists accounts, sorted by handle. With a text, lists only accounts whose names contain every word of the text. The names are ' +
      'the handle, former handles and the display name. Case and accents are ignored. With @text, lists only accounts with a handle ' +
      'or former handle that begins with the text. Exits with 1 if no account matches the text.',
    args: { '[text]': { help: 'what to search for' } },
    options: LIST_OPTIONS,
    result: 'always',
    examples: [
      ['palimpsest accounts', 'every account in the store'],
      ['palimpsest accounts "clay higgins"', 'the accounts with both words in their names'],
      ['palimpsest accounts @rep --limit 20', 'the first 20 accounts with a handle that begins with rep'],
    ],
  },
  remove: {
    summary: 'remove an account from the store, and keep it out',
    description:
      'Removes an account and all its data from the store, erases its bytes from the file, and excludes it. No source can bring it ' +
      'back. The next build and publish remove it from the tree and the target. This cannot be undone.',
    args: {
      '<account...>': { help: 'a handle, a former handle or a stable id; @NAME matches only handles, id:ID matches only stable ids' },
    },
    options: {
      '--store <file>': STORE,
      // a variable stays set, and a removal cannot be undone
      '--yes': { help: 'confirm the removal; no environment variable can set this option', variable: null },
      '--dry-run': DRY_RUN,
      '--allow-unknown': { help: 'exclude a name even if no account in the store has it' },
      '--check <place>': {
        help: 'then search a copy for the account: a folder, a file or a target; exits with 1 if it has it; can be repeated',
        parse: place,
        isRepeatable: true,
      },
      '--receipt <file>': {
        help: 'write what was removed, searched and found, and what remains to be done; JSON if it ends in .json',
        parse: path,
      },
      '--concurrency <n>': CONCURRENCY,
      ...SOURCE_OPTIONS,
    },
    examples: [
      ['palimpsest remove nina_k --dry-run', 'show what would be removed'],
      ['palimpsest remove nina_k --yes', 'remove the account with that handle'],
      [
        'palimpsest remove nina_k --check out --check s3://bucket/site --receipt receipt.txt',
        'after the publish: prove that no copy has it',
      ],
      ['palimpsest remove id:12 --yes', 'remove the account with that stable id'],
      ['palimpsest exclusions nina_k --end', 'let sources bring the account back'],
    ],
  },
  exclusions: {
    summary: 'list the exclusions of removed accounts, or end them',
    description:
      'Lists the exclusions that palimpsest remove made: sources cannot bring these accounts back. The store has only hashes of ' +
      'the names, so the list shows dates and numbers. Name an account to see whether it is excluded.',
    args: { '[account...]': { help: 'show only the exclusions of these handles or stable ids' } },
    options: {
      '--store <file>': STORE,
      '--end': { help: 'end the exclusion of the named accounts' },
    },
    result: { without: '--end' },
    writes: '--end',
    examples: [
      ['palimpsest exclusions', 'list all exclusions, without names'],
      ['palimpsest exclusions nina_k', 'show whether that handle is excluded'],
      ['palimpsest exclusions nina_k --end', 'let sources bring that account back'],
    ],
  },
} as const satisfies { readonly [name: string]: CommandSpec };
