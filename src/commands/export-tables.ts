import { join } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { Pauses } from '../contract/pauses.ts';
import type { Table, TableName } from '../export/tables.ts';
import type { Store } from '../store/store.ts';
import { plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** A format for flat tables. */
interface TableFormat {
  /** The name of the command, and the extension of its files. */
  readonly name: 'csv' | 'parquet';
  readonly title: string;
  readonly description: string;
  /** Loads the code of the format and returns the function that encodes a table. */
  readonly load: () => Promise<(table: Table, store: Store) => Iterable<string | Uint8Array>>;
}

const NAMES = ['records', 'accounts', 'exclusions'] as const satisfies readonly TableName[];

const CSV: TableFormat = {
  name: 'csv',
  title: 'CSV',
  description:
    'CSV follows RFC 4180, in UTF-8. A text that a spreadsheet could read as a formula begins with an apostrophe. An empty cell means null. "" means empty text.',
  load: async () => (await import('../export/csv.ts')).csv,
};
const PARQUET: TableFormat = {
  name: 'parquet',
  title: 'Parquet',
  description: 'Times are timestamps in microseconds in UTC, and ids are 64-bit integers.',
  load: async () => (await import('../export/parquet.ts')).parquet,
};

/** Declares the commands that export the records, the accounts and the exclusions as flat tables. */
export function declareTableExports(group: Program, terminal: Terminal): void {
  for (const format of [CSV, PARQUET]) declareTableExport(group, terminal, format);
}

function declareTableExport(group: Program, terminal: Terminal, { name, title, description, load }: TableFormat): void {
  group
    .command(name)
    .summary(`write the records, the accounts and the exclusions as ${title}`)
    .description(
      `Writes records.${name}, accounts.${name} and exclusions.${name} into a folder, or one of them to a file (see docs/export.md in the package). ${description} ` +
        'Use export ndjson to restore a store.',
    )
    .addOption(
      new Option('--to <path>', `the folder for the files; or one file, with a name that ends in .${name}; - for standard output`)
        .env('PALIMPSEST_TO')
        .argParser((text) => fileOrFolder(text, name))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--table <name>', 'write only this table; for a single file the default is records')
        .env('PALIMPSEST_TABLE')
        .choices(NAMES),
    )
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        [`palimpsest export ${name} --to tables`, `write tables/records.${name}, tables/accounts.${name} and tables/exclusions.${name}`],
        [`palimpsest export ${name} --to history.${name}`, 'write the records to one file'],
        [`palimpsest export ${name} --table accounts --to accounts.${name}`, 'write the accounts to one file'],
      ),
    )
    .action(async ({ to, table, store: storePath, ...outputMode }) => {
      terminal.setOutput(outputMode);
      const [{ Store }, { TABLES }, { isSameFile, writeFiles }, { toFailure }, { makeFolder }, { removeEmptyFolders }, encode] =
        await Promise.all([
          import('../store/store.ts'),
          import('../export/tables.ts'),
          import('../export/export-file.ts'),
          import('../store/store-error.ts'),
          import('../export/table-folder.ts'),
          import('../store/mkdirp.ts'),
          load(),
        ]);
      const files = filesOf(to, table, name);
      const overwriting = files.find((file) => file.path !== '-' && isSameFile(file.path, storePath));
      if (overwriting !== undefined) throw overwritesStore(overwriting.path);
      const started = performance.now();
      const store = Store.open(storePath);
      try {
        const [file] = files;
        const pauses = new Pauses(terminal.stopSignal, to === '-' ? 'the output is incomplete' : `${to} was not written`);
        const progress = terminal.progress({
          records: { label: 'exporting records', amount: items('row') },
          accounts: { label: 'exporting accounts', amount: items('row') },
          exclusions: { label: 'exporting exclusions', amount: items('row') },
        });
        const content = (one: TableName) => {
          const all = TABLES[one].count(store);
          return encode(
            withProgress(TABLES[one], (done) => progress(one, done, all)),
            store,
          );
        };
        if (to === '-' && file !== undefined) return await terminal.stream(content(file.table), pauses);
        const folders = isFileName(to, name) ? [] : makeFolder(to, name);
        await writeFiles(
          files.map((one) => ({ path: one.path, content: content(one.table) })),
          pauses,
        ).finally(() => removeEmptyFolders(folders));
        const written = files.map((one) => ({ ...one, rows: TABLES[one.table].count(store) }));
        const took = performance.now() - started;
        terminal.summary({ to, store: storePath, files: written, milliseconds: Math.round(took) }, [
          `exported ${storePath} to ${isFileName(to, name) ? to : `the folder ${to}`} in ${seconds(took)}`,
          ...written.map((one) => `  ${one.table.padEnd(10)}  ${plural(one.rows, 'row')} in ${one.path}`),
          ...(table === undefined && isFileName(to, name)
            ? [
                `note: ${to} has only the records; to export the ${plural(store.revision.accounts, 'account')}, run again with --table accounts and another --to`,
              ]
            : []),
        ]);
      } catch (error) {
        throw toFailure(storePath, error);
      } finally {
        store.close();
      }
    });
}

/** Returns the table, and calls `onRow` with the number of rows so far. */
function withProgress(table: Table, onRow: (done: number) => void): Table {
  return {
    ...table,
    *rows(store) {
      let done = 0;
      for (const row of table.rows(store)) {
        yield row;
        done += 1;
        onRow(done);
      }
    },
  };
}

interface TableFile {
  readonly table: TableName;
  /** `-` for standard output. */
  readonly path: string;
}

/** Returns the files to write. A single file has the records, unless a table is given. */
function filesOf(to: string, table: TableName | undefined, extension: string): readonly TableFile[] {
  if (to === '-' || isFileName(to, extension)) return [{ table: table ?? 'records', path: to }];
  return (table === undefined ? NAMES : [table]).map((one) => ({ table: one, path: join(to, `${one}.${extension}`) }));
}

function isFileName(to: string, extension: string): boolean {
  return to.toLowerCase().endsWith(`.${extension}`);
}

/** The endings of files that are not folders, so a folder with such a name is a mistake. */
const OTHER_FILE = /\.(csv|tsv|parquet|json|jsonl|ndjson|xlsx|gz|zst|bz2|xz|zip)$/i;

/** Rejects names such as `history.csv.gz` and `history.parquet` for CSV, because they would become folders. */
function fileOrFolder(text: string, extension: string): string {
  if (isFileName(text, extension) || !OTHER_FILE.test(text)) return path(text);
  throw new InvalidArgumentError(`Expected a folder, or a file with a name that ends in .${extension}, which is not compressed.`);
}

function overwritesStore(file: string): Failure {
  return new Failure('usage', `${file} is the store itself`, {
    expected: 'another file for the export',
    found: 'the store',
    hint: 'name another folder or file with --to',
  });
}
