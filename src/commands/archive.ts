import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { ArchiveOptions } from '../archive/warc.ts';
import { Failure } from '../contract/failure.ts';
import { stopped } from '../contract/pauses.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** One form of archive. */
interface Form {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The name of the value of --to, and what it is. */
  readonly to: readonly [value: string, meaning: string];
  /** What the name of the target must end in. */
  readonly suffix: RegExp;
  readonly suffixes: string;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  readonly load: () => Promise<(tree: VerifiedTree, to: string, options: ArchiveOptions) => Promise<void>>;
}

const FORMS: readonly Form[] = [
  {
    name: 'wacz',
    summary: 'write the tree as a WACZ, which replays in a browser',
    description:
      'Writes the tree as a WACZ 1.1.1: one ZIP file with a WARC, an index, the entry points and the SHA-256 of each file. A replay ' +
      'viewer such as ReplayWeb.page shows every page at its real address. Checks every page against the manifest of the tree.',
    to: ['file', 'the file to write, named .wacz'],
    suffix: /\.wacz$/i,
    suffixes: '.wacz',
    examples: [
      ['palimpsest archive wacz --to history.wacz', 'archive the tree in out/'],
      ['palimpsest import history.wacz --store copy.db', 'read it into another store'],
    ],
    load: async () => (await import('../archive/wacz.ts')).writeWacz,
  },
  {
    name: 'warc',
    summary: 'write the tree as a WARC',
    description:
      'Writes the tree as a WARC 1.1 with every page at its real address. If the name ends in .gz, each record is compressed with gzip. ' +
      'Checks every page against the manifest of the tree.',
    to: ['file', 'the file to write, named .warc or .warc.gz'],
    suffix: /\.warc(\.gz)?$/i,
    suffixes: '.warc or .warc.gz',
    examples: [
      ['palimpsest archive warc --to history.warc.gz', 'archive the tree in out/'],
      ['palimpsest archive warc --to history.warc', 'without compression'],
    ],
    load: async () => (await import('../archive/warc.ts')).writeWarc,
  },
  {
    name: 'bag',
    summary: 'write the tree as a BagIt bag',
    description:
      'Writes the tree as a bag (BagIt 1.0): a folder with the files of the tree and their SHA-256. sha256sum -c checks it. Checks ' +
      'every file against the manifest of the tree.',
    to: ['folder', 'the folder to write; it must be new or empty'],
    suffix: /./,
    suffixes: 'any name',
    examples: [
      ['palimpsest archive bag --to history-bag', 'archive the tree in out/'],
      ['(cd history-bag && sha256sum -c --quiet manifest-sha256.txt tagmanifest-sha256.txt)', 'check it without palimpsest'],
    ],
    load: async () => (await import('../archive/bag.ts')).writeBag,
  },
];

/** Declares the group `archive`, with one command for each form. */
export function declareArchive(program: Program, terminal: Terminal): void {
  const group = program
    .command('archive')
    .summary('write the tree in a format for archives')
    .description('Writes the tree in a format for archives: WACZ, WARC or BagIt.');
  for (const form of FORMS) declareForm(group, form, terminal);
}

function declareForm(group: Program, form: Form, terminal: Terminal): void {
  const [value, meaning] = form.to;
  group
    .command(form.name)
    .summary(form.summary)
    .description(form.description)
    .addOption(new Option(`--to <${value}>` as '--to <path>', meaning).env('PALIMPSEST_TO').argParser(targetOf(form)).makeOptionMandatory())
    .addOption(new Option('--out <path>', 'the tree, a folder or a ZIP').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText('after', examples(...form.examples))
    .action(async ({ to, out, ...outputMode }) => {
      terminal.setOutput(outputMode);
      const [{ openVerified }, write] = await Promise.all([import('../tree/verified-tree.ts'), form.load()]);
      if (!relative(resolve(out), resolve(to)).startsWith('..')) throw insideTree(to, out);
      const started = performance.now();
      const progress = terminal.progress({ archive: { label: 'archiving', amount: items('file') } });
      const signal = terminal.stopSignal;
      let read = 0;
      const tree = openVerified(out);
      const { base_url, records, accounts, data_pages, account_pages, browse_files } = tree.build;
      const onProgress = (done: number, all: number, bytes: number) => {
        if (signal.aborted) throw stopped(`${to} was not written`);
        progress('archive', done, all);
        read = bytes;
      };
      try {
        await write(tree, to, { threads: availableParallelism(), onProgress });
      } finally {
        tree.files.close();
      }
      const milliseconds = Math.round(performance.now() - started);
      const facts = { to, out, base_url, records, accounts, data_pages, account_pages, browse_files, page_bytes: read, milliseconds };
      const isFile = form.name !== 'bag';
      terminal.summary({ ...facts, bytes: isFile ? statSync(to).size : undefined }, [
        `archived the tree in ${out} in ${seconds(milliseconds)}`,
        `  pages     ${number(data_pages)} of the feed, ${number(account_pages)} of the accounts, each compared with the manifest`,
        ...(browse_files === undefined ? [] : [`  browse    ${plural(browse_files, 'file')}, each compared with the manifest`]),
        `  content   ${number(records)} records of ${number(accounts)} accounts at ${base_url}`,
        `  archive   ${to}${isFile ? `, ${size(statSync(to).size)}` : ''}`,
        'to check that the archive is complete, import it into a new store:',
        `next: ${await terminal.command('import', { '--store': 'copy.db', '--require-complete': true }, [to])}`,
      ]);
    });
}

function targetOf({ suffix, suffixes }: Form): (text: string) => string {
  return (text) => {
    if (suffix.test(text)) return path(text);
    throw new InvalidArgumentError(text === '' ? 'Expected a path.' : `Expected a name that ends in ${suffixes}.`);
  };
}

function insideTree(to: string, out: string): Failure {
  return new Failure('usage', `${to} is inside the tree`, {
    place: { field: '--to' },
    expected: `a path outside ${out}`,
    found: to,
    hint: 'name a path outside the tree, because every file in the tree is published',
  });
}
