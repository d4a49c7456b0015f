import { existsSync, statSync } from 'node:fs';
import { type Failure, fileSystemFailure } from '../contract/failure.ts';
import { mkdirp } from '../contract/files/mkdirp.ts';
import { refuseOtherContent } from '../contract/files/refuse-output.ts';
import { timestampOf } from '../contract/instant.ts';
import { encodeJson } from '../contract/json.ts';
import type { Store } from '../store/store.ts';

/** A value of a table. A time is text as in a record: `2023-11-18T16:29:12.006921Z`. */
export type Value = string | number | boolean | null;

/**
 * A column of a table. Records and accounts have the columns of the views of the store, and records two more. Exclusions have the
 * fields of the NDJSON.
 */
export interface Column {
  readonly name: string;
  readonly type: 'integer' | 'text' | 'time' | 'boolean';
  readonly isNullable: boolean;
}

type Row = { readonly [name: string]: Value };

/** A flat table of an export: the columns, and the rows with a value for each column. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: (store: Store) => Iterable<readonly Value[]>;
  /** How many rows it has. */
  readonly count: (store: Store) => number;
}

export const TABLE_NAMES = ['records', 'accounts', 'exclusions'] as const;

export type TableName = (typeof TABLE_NAMES)[number];

export const TABLES: { readonly [T in TableName]: Table } = {
  records: table(
    (store) => store.revision.records,
    {
      id: { type: 'integer', isNullable: false },
      account: { type: 'text', isNullable: false },
      data_type: { type: 'text', isNullable: false },
      previous: { type: 'integer', isNullable: true },
      text: { type: 'text', isNullable: true },
      first_encountered_date: { type: 'time', isNullable: false },
      diff_html: { type: 'text', isNullable: false },
      web_archive_url: { type: 'text', isNullable: true },
      gone_at: { type: 'time', isNullable: true },
      before: { type: 'text', isNullable: true },
      date: { type: 'text', isNullable: false },
    },
    function* (store) {
      const gone = store.goneRecords();
      for (const { record, before } of store.changes())
        yield { ...record, gone_at: gone.get(record.id) ?? null, before, date: record.first_encountered_date.slice(0, 10) };
    },
  ),
  accounts: table(
    (store) => store.revision.accounts,
    {
      screen_name: { type: 'text', isNullable: false },
      stable_id: { type: 'text', isNullable: true },
      display_name: { type: 'text', isNullable: false },
      website: { type: 'text', isNullable: true },
      location: { type: 'text', isNullable: false },
      bio: { type: 'text', isNullable: false },
      verified: { type: 'boolean', isNullable: true },
      profile_image_url: { type: 'text', isNullable: false },
      account_creation_date: { type: 'time', isNullable: true },
      former_handles: { type: 'text', isNullable: false },
      records: { type: 'integer', isNullable: false },
      first_record_date: { type: 'time', isNullable: true },
      last_record_date: { type: 'time', isNullable: true },
      observed_to: { type: 'time', isNullable: true },
    },
    function* (store) {
      for (const { former_handles, observed_to, ...account } of store.accountReader().published()) {
        const former = former_handles.map(({ handle, seen_to }) => ({ handle, seen_to: timestampOf(seen_to) }));
        yield { ...account, former_handles: encodeJson(former), observed_to: observed_to === null ? null : timestampOf(observed_to) };
      }
    },
  ),
  exclusions: table(
    (store) => store.exclusions().length,
    {
      excluded_at: { type: 'time', isNullable: false },
      handles: { type: 'text', isNullable: false },
      stable_ids: { type: 'text', isNullable: false },
      records: { type: 'text', isNullable: false },
    },
    function* (store) {
      for (const { excluded_at, handles, stable_ids, records } of store.exclusions())
        yield { excluded_at, handles: encodeJson(handles), stable_ids: encodeJson(stable_ids), records: encodeJson(records) };
    },
  ),
};

/** @param items yields each row as an object with a field for each column. A field without a column does not compile */
function table<R extends Row>(
  count: Table['count'],
  columns: { readonly [N in keyof R]: Omit<Column, 'name'> },
  items: (store: Store) => Iterable<R>,
): Table {
  const names = Object.keys(columns);
  return {
    columns: Object.entries(columns).map(([name, column]) => ({ name, ...column })),
    *rows(store) {
      for (const item of items(store)) yield names.map((name) => item[name] ?? null);
    },
    count,
  };
}

const TABLE_FILE = /^(records|accounts|exclusions)\.(csv|parquet)$/;

/**
 * Creates the folder for the files of tables. Returns the folders that it created.
 * @throws Failure not-ours if the folder contains anything other than tables, file-system
 */
export function makeFolder(folder: string, extension: string): readonly string[] {
  refuseOtherFiles(folder, extension);
  try {
    return mkdirp(folder);
  } catch (error) {
    throw noFolder(folder, extension, error);
  }
}

/** @throws Failure not-ours if the folder contains anything other than tables, file-system if the path is that of no folder */
export function refuseOtherFiles(folder: string, extension: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw noFolder(folder, extension, 'something that is not a folder');
  refuseOtherContent(folder, (names) => names.find((name) => !TABLE_FILE.test(name)));
}

/** @param error the error, or a text that says what was found */
function noFolder(folder: string, extension: string, error: unknown): Failure {
  const expected = `a folder, or the name of a file that ends in .${extension}`;
  const hint = `name a folder with --to, or a file such as ${folder}.${extension}`;
  return fileSystemFailure(error, folder, { expected, hint }, `cannot write files into ${folder}`);
}
