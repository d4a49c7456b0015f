import { join } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { Pauses } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { removeEmptyFolders } from '../contract/files/mkdirp.ts';
import { isSameFile } from '../contract/files/same-file.ts';
import { writeFiles } from '../contract/files/write-files.ts';
import { ndjson } from '../export/ndjson.ts';
import { type Column, makeFolder, refuseOtherFiles, TABLE_NAMES, TABLES, type TableName, type Value } from '../export/tables.ts';
import { Store } from '../store/store.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { refuseInsideTree } from '../tree/existing-tree.ts';

type Encode = (columns: readonly Column[], rows: Iterable<readonly Value[]>) => Iterable<string | Uint8Array>;

export async function runExportNdjson(terminal: Terminal, { to, store: storePath }: Values<'export ndjson'>): Promise<void> {
  await exportFrom(storePath, to, [to], terminal, async (store, pauses) => {
    const { records, accounts } = store.revision;
    const counts = store.accountReader().identityCounts();
    const progress = terminal.progress({ export: { label: 'exporting', amount: items('line') } });
    const content = ndjson(store, (done, all) => progress('export', done, all));
    if (to === '-') return await terminal.stream(content, pauses);
    await writeFiles([{ path: to, content }], pauses);
    const milliseconds = terminal.elapsed();
    terminal.summary({ to, store: storePath, records, accounts, ...counts, milliseconds }, [
      `exported ${storePath} to ${to} in ${seconds(milliseconds)}`,
      `  records   ${number(records)}`,
      `  accounts  ${number(accounts)}, with ${plural(counts.stable_id_count, 'stable id')} and ${plural(counts.former_handle_count, 'former handle')}`,
      'to restore it into another store:',
      `next: ${terminal.command('import', { '--store': 'copy.db' }, [to])}`,
    ]);
  });
}

export async function runExportCsv(terminal: Terminal, values: Values<'export csv'>): Promise<void> {
  await exportTables(terminal, values, 'csv', (await import('../export/csv.ts')).csv);
}

export async function runExportParquet(terminal: Terminal, values: Values<'export parquet'>): Promise<void> {
  await exportTables(terminal, values, 'parquet', (await import('../export/parquet.ts')).parquet);
}

/** Exports the records, the accounts and the exclusions as flat tables. */
async function exportTables(
  terminal: Terminal,
  { to, table, store: storePath, dryRun }: Values<'export csv'>,
  extension: 'csv' | 'parquet',
  encode: Encode,
): Promise<void> {
  const isFile = to === '-' || to.toLowerCase().endsWith(`.${extension}`);
  const files = filesOf(to, table, isFile, extension);
  const paths = files.map(({ path }) => path);
  await exportFrom(storePath, to, paths, terminal, async (store, pauses) => {
    const progress = terminal.progress({
      records: { label: 'exporting records', amount: items('row') },
      accounts: { label: 'exporting accounts', amount: items('row') },
      exclusions: { label: 'exporting exclusions', amount: items('row') },
    });
    const content = (one: TableName) => {
      const { columns, rows, count } = TABLES[one];
      const all = count(store);
      return encode(
        columns,
        countRows(rows(store), (done) => progress(one, done, all)),
      );
    };
    if (dryRun && !isFile) refuseOtherFiles(to, extension);
    if (!dryRun) {
      const [file] = files;
      if (to === '-' && file !== undefined) return await terminal.stream(content(file.table), pauses);
      const folders = isFile ? [] : makeFolder(to, extension);
      await writeFiles(
        files.map((one) => ({ path: one.path, content: content(one.table) })),
        pauses,
      ).finally(() => removeEmptyFolders(folders));
    }
    const written = files.map((one) => ({ ...one, rows: TABLES[one.table].count(store) }));
    const milliseconds = terminal.elapsed();
    const target = isFile ? to : `the folder ${to}`;
    terminal.summary({ to, store: storePath, tables: written, dryRun, milliseconds }, [
      dryRun ? `dry run: what an export would write to ${target}` : `exported ${storePath} to ${target} in ${seconds(milliseconds)}`,
      ...written.map((one) => `  ${one.table.padEnd(10)}  ${plural(one.rows, 'row')} in ${one.path}`),
      table === undefined && `note: ${lackIn(isFile ? to : undefined, store)}`,
      dryRun && 'nothing was written: run again without --dry-run to write the files',
    ]);
  });
}

/** Opens the store of an export, unless its files would replace the store or be in a tree. @throws Failure usage, not-ours */
async function exportFrom(
  storePath: string,
  to: string,
  files: readonly string[],
  terminal: Terminal,
  work: (store: Store, pauses: Pauses) => Promise<void>,
): Promise<void> {
  const overwriting = files.find((file) => file !== '-' && isSameFile(file, storePath));
  if (overwriting !== undefined) throw overwritesStore(overwriting);
  if (to !== '-') refuseInsideTree(to);
  const store = Store.open(storePath);
  try {
    for (const lack of store.incompleteMirrors()) terminal.alert(`the export is not known to be complete: ${lackSentence(lack)}`);
    await work(store, new Pauses(terminal.stopSignal, to === '-' ? 'the output is incomplete' : `${to} was not written`));
  } finally {
    store.close();
  }
}

/** What an export lacks. @param file the only file, if it has only the records */
function lackIn(file: string | undefined, store: Store): string {
  if (file === undefined) return 'import does not read these tables: a store is restored from an export as NDJSON';
  const { stable_id_count, former_handle_count } = store.accountReader().identityCounts();
  const accounts = `${plural(store.revision.accounts, 'account')} with ${plural(stable_id_count, 'stable id')} and ${plural(former_handle_count, 'former handle')}`;
  return `${file} has only the records; to export the ${accounts}, run again with --table accounts and another --to`;
}

/** Yields the rows, and calls `onRow` with the number of rows so far. */
function* countRows(rows: Iterable<readonly Value[]>, onRow: (done: number) => void): Generator<readonly Value[]> {
  let done = 0;
  for (const row of rows) {
    yield row;
    done += 1;
    onRow(done);
  }
}

interface TableFile {
  readonly table: TableName;
  /** `-` for standard output. */
  readonly path: string;
}

/** Returns the files to write. A single file has the records, unless a table is given. */
function filesOf(to: string, table: TableName | undefined, isFile: boolean, extension: string): readonly TableFile[] {
  if (isFile) return [{ table: table ?? 'records', path: to }];
  return (table === undefined ? TABLE_NAMES : [table]).map((one) => ({ table: one, path: join(to, `${one}.${extension}`) }));
}

function overwritesStore(file: string): Failure {
  return new Failure('usage', `${file} is the store itself`, {
    expected: 'another file for the export',
    found: 'the store',
    hint: 'name another file with --to',
  });
}
