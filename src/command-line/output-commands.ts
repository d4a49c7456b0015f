import { bagInfo, folder, folderOrTable, pathEnding, plainFile } from './parsers.ts';
import { DRY_RUN, OUT, STORE } from './shared-options.ts';
import type { CommandSpec } from './spec.ts';

const ARCHIVE_OPTIONS = {
  '--out <path>': { ...OUT, help: 'the tree, a folder or a ZIP' },
  '--identities': {
    help: 'add what the pages lack: stable ids, former handles, observation times, change intervals, the days with snapshots, the items that a service no longer has and the list of removed accounts',
  },
  '--store <file>': { ...STORE, help: 'the store, whose removed accounts the tree must not have; needed only with --identities' },
} as const;
const TABLE = {
  help: 'write only this table; for a single file the default is records',
  choices: ['records', 'accounts', 'exclusions'],
} as const;

/** The commands that write a tree or a store for other programs. */
export const OUTPUT_COMMANDS = {
  rewrite: {
    summary: 'write the configuration of a web server, CDN or platform',
    description:
      'Writes the configuration or code with which a host maps ?page=N to the files of the tree, for the base URL of the tree. ' +
      'Hosts that ignore the query are refused, and the reason is printed.',
    args: { '[host]': { help: 'the name of a host; without it, all hosts are listed' } },
    options: {
      '--out <path>': OUT,
      '--to <folder>': { help: 'the output: a folder for the files of the host (default: print them)', parse: folder },
      '--origin <url>': { help: 'the address of the published tree, from which the host fetches pages; rest/ is below it' },
      '--versions': { help: 'write the files of a host that reads versions (default: if --out names a ZIP or has versions)' },
    },
    result: { without: '--to' },
    writes: '--to',
    examples: [
      ['palimpsest rewrite', 'list all hosts, what each cannot do, and how each was tested'],
      ['palimpsest rewrite nginx', 'print the files for nginx'],
      ['palimpsest rewrite cloudflare-workers --to worker', 'write the files for Cloudflare Workers to a folder'],
      ['palimpsest rewrite nginx --origin https://bucket.s3.eu-central-1.amazonaws.com', 'print the files for nginx in front of a bucket'],
      ['palimpsest rewrite cloudflare-workers --versions', 'print the files for Cloudflare Workers and a bucket with versions'],
    ],
  },
  'archive wacz': {
    summary: 'write the tree as a WACZ, which replays in a browser',
    description:
      'Writes the tree as a WACZ 1.1.1: one ZIP file with a WARC, an index, the entry points and the SHA-256 of each file. A replay ' +
      'viewer such as ReplayWeb.page shows every page at its real address. Checks every page against the manifest of the tree.',
    options: {
      '--to <file>': {
        help: 'the output: a file named .wacz',
        parse: pathEnding(/\.wacz$/i, '.wacz'),
        isMandatory: true,
      },
      ...ARCHIVE_OPTIONS,
    },
    writes: '--to',
    examples: [
      ['palimpsest archive wacz --to history.wacz', 'archive the tree in out/'],
      ['palimpsest import history.wacz --store copy.db', 'read it into another store'],
    ],
  },
  'archive warc': {
    summary: 'write the tree as a WARC',
    description:
      'Writes the tree as a WARC 1.1 with every page at its real address. If the name ends in .gz, each record is compressed with gzip. ' +
      'Checks every page against the manifest of the tree.',
    options: {
      '--to <file>': {
        help: 'the output: a file named .warc or .warc.gz',
        parse: pathEnding(/\.warc(\.gz)?$/i, '.warc or .warc.gz'),
        isMandatory: true,
      },
      ...ARCHIVE_OPTIONS,
    },
    writes: '--to',
    examples: [
      ['palimpsest archive warc --to history.warc.gz', 'archive the tree in out/'],
      ['palimpsest archive warc --to history.warc', 'without compression'],
    ],
  },
  'archive bag': {
    summary: 'write the tree as a BagIt bag',
    description:
      'Writes the tree as a bag (BagIt 1.0): a folder with the files of the tree and their SHA-256. sha256sum -c checks it. Checks ' +
      'every file against the manifest of the tree.',
    options: {
      '--to <folder>': {
        help: 'the output: a new or empty folder, or an earlier bag, which is replaced',
        parse: folder,
        isMandatory: true,
      },
      '--bag-info <name=value>': {
        help: 'a line for bag-info.txt, such as Source-Organization=Example Archive; can be repeated',
        parse: bagInfo,
        isRepeatable: true,
      },
      ...ARCHIVE_OPTIONS,
      '--dry-run': DRY_RUN,
    },
    examples: [
      ['palimpsest archive bag --to history-bag', 'archive the tree in out/'],
      ['(cd history-bag && sha256sum -c --quiet manifest-sha256.txt tagmanifest-sha256.txt)', 'check it without palimpsest'],
    ],
  },
  'export ndjson': {
    summary: 'write the whole store as NDJSON',
    description:
      'Writes the whole store as NDJSON, one JSON object per line (see docs/export.md in the package). The file contains every record. It also contains ' +
      'the profile, stable id, former handles, last observation time and change intervals of every account, and the days with snapshots. palimpsest import restores all of it.',
    options: {
      '--to <file>': { help: 'the output: a file, or - for standard output', parse: plainFile, isMandatory: true },
      '--store <file>': STORE,
    },
    writes: '--to',
    examples: [
      ['palimpsest export ndjson --to store.ndjson', 'export the store to a file'],
      ['palimpsest export ndjson --to - | gzip > store.ndjson.gz', 'export to a compressed file'],
      ['palimpsest import store.ndjson --store copy.db', 'import the file into another store'],
    ],
  },
  'export csv': tableExport(
    'csv',
    'CSV',
    'CSV follows RFC 4180, in UTF-8. A text that a spreadsheet could read as a formula begins with an apostrophe. An empty cell means null. "" means empty text.',
  ),
  'export parquet': tableExport('parquet', 'Parquet', 'Times are timestamps in microseconds in UTC, and ids are 64-bit integers.'),
} as const satisfies { readonly [name: string]: CommandSpec };

/** @param extension also the name of the command */
function tableExport(extension: string, title: string, description: string) {
  return {
    summary: `write the records, the accounts and the exclusions as ${title}`,
    description:
      `Writes records.${extension}, accounts.${extension} and exclusions.${extension} into a folder, or one of them to a file ` +
      `(see docs/export.md in the package). ${description} Use export ndjson to restore a store.`,
    options: {
      '--to <path>': {
        help: `the output: a folder for the files, a file whose name ends in .${extension}, or - for standard output`,
        parse: folderOrTable(extension),
        isMandatory: true,
      },
      '--table <name>': TABLE,
      '--store <file>': STORE,
      '--dry-run': DRY_RUN,
    },
    examples: [
      [
        `palimpsest export ${extension} --to tables`,
        `write tables/records.${extension}, tables/accounts.${extension} and tables/exclusions.${extension}`,
      ],
      [`palimpsest export ${extension} --to history.${extension}`, 'write the records to one file'],
      [`palimpsest export ${extension} --table accounts --to accounts.${extension}`, 'write the accounts to one file'],
    ],
  } as const satisfies CommandSpec;
}
