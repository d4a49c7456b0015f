import { wholeNumber } from './parsers.ts';
import { DRY_RUN, KEEP, KEEP_DAILY, KEEP_MONTHLY, SINGLE_PUBLISHER, STORE, TARGET, TARGET_OPTIONS } from './shared-options.ts';
import type { CommandSpec } from './spec.ts';

export const STORE_COMMANDS = {
  'store check': {
    summary: 'check a store for damage, and repair what can be repaired',
    description:
      'Checks the file of a store, every record, and all data derived from the records. Exits with 1 if something is damaged. ' +
      'With --repair, writes the store again from its records and accounts, if these are not damaged.',
    options: {
      '--store <file>': STORE,
      '--repair': { help: 'find and repair damage: rebuild a damaged store, and keep the damaged file' },
    },
    writes: '--repair',
    examples: [
      ['palimpsest store check', 'show what is damaged'],
      ['palimpsest store check --repair', 'rebuild the derived data from the records'],
    ],
  },
  'store push': {
    summary: 'back up the store to a private target',
    description:
      'Uploads the store to a private target as a new version: one compressed file, which is read back and compared. Refuses a store ' +
      'that does not descend from the newest version at the target: pull that version first, then change it. Keeps earlier versions.',
    args: { '<target>': TARGET },
    options: {
      '--store <file>': STORE,
      '--keep-last <n>': {
        help: 'keep the last <n> versions at the target; --replace without any --keep option keeps all',
        parse: wholeNumber(1, 1_000_000),
        default: 14,
      },
      '--keep <duration>': KEEP,
      '--keep-daily <n>': KEEP_DAILY,
      '--keep-monthly <n>': KEEP_MONTHLY,
      '--replace': { help: 'replace a diverged state: push even if the store does not descend from the newest version at the target' },
      '--single-publisher': SINGLE_PUBLISHER,
      '--dry-run': DRY_RUN,
      ...TARGET_OPTIONS,
    },
    examples: [
      ['palimpsest store push s3://private-bucket/store', 'back up after an import, before a publish'],
      ['palimpsest store push /mnt/backup/store --keep-last 30', 'back up to a folder, and keep 30 versions'],
      ['palimpsest store push /mnt/backup/store --keep 90d --keep-monthly 24', 'also keep 90 days, and 24 months'],
    ],
  },
  'store pull': {
    summary: 'download the store from a target',
    description:
      'Downloads the newest version of the store, or an earlier one. Checks the whole file before it replaces the local store.' +
      ' Refuses if the local store has content that the downloaded version lacks.',
    args: { '<target>': TARGET },
    options: {
      '--store <file>': { ...STORE, help: 'the store, which is replaced' },
      '--number <n>': {
        help: 'the number of an earlier version; palimpsest store versions shows them',
        parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
      },
      '--allow-missing': { help: 'succeed if the target has no store yet, as on the first run' },
      '--replace': { help: 'replace a diverged state: pull even if the local store has content that the version lacks' },
      ...TARGET_OPTIONS,
    },
    writes: 'always',
    examples: [
      ['palimpsest store pull s3://private-bucket/store', 'the newest version, before an import'],
      ['palimpsest store pull s3://private-bucket/store --number 41 --store old.db', 'an earlier version, to another file'],
    ],
  },
  'store versions': {
    summary: 'show the versions of the store that a target keeps',
    description: 'Shows the versions of the store that a target keeps, newest first.',
    args: { '<target>': TARGET },
    options: TARGET_OPTIONS,
    result: 'always',
    examples: [['palimpsest store versions s3://private-bucket/store', 'find the version to pull']],
  },
} as const satisfies { readonly [name: string]: CommandSpec };
