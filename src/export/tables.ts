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
  records: {
    count: (store) => store.revision.records,
    columns: [
      { name: 'id', type: 'integer', isNullable: false },
      { name: 'account', type: 'text', isNullable: false },
      { name: 'data_type', type: 'text', isNullable: false },
      { name: 'previous', type: 'integer', isNullable: true },
      { name: 'text', type: 'text', isNullable: true },
      { name: 'first_encountered_date', type: 'time', isNullable: false },
      { name: 'diff_html', type: 'text', isNullable: false },
      { name: 'web_archive_url', type: 'text', isNullable: true },
      { name: 'gone_at', type: 'time', isNullable: true },
      { name: 'before', type: 'text', isNullable: true },
      { name: 'date', type: 'text', isNullable: false },
    ],
    *rows(store) {
      const gone = store.goneRecords();
      for (const { record, before } of store.changes()) {
        const { id, account, data_type, previous, text, first_encountered_date, diff_html, web_archive_url } = record;
        const [date, goneAt] = [first_encountered_date.slice(0, 10), gone.get(id) ?? null];
        yield [id, account, data_type, previous, text, first_encountered_date, diff_html, web_archive_url, goneAt, before, date];
      }
    },
  },
  accounts: {
    count: (store) => store.revision.accounts,
    columns: [
      { name: 'screen_name', type: 'text', isNullable: false },
      { name: 'stable_id', type: 'text', isNullable: true },
      { name: 'display_name', type: 'text', isNullable: false },
      { name: 'website', type: 'text', isNullable: true },
      { name: 'location', type: 'text', isNullable: false },
      { name: 'bio', type: 'text', isNullable: false },
      { name: 'verified', type: 'boolean', isNullable: true },
      { name: 'profile_image_url', type: 'text', isNullable: false },
      { name: 'account_creation_date', type: 'time', isNullable: true },
      { name: 'former_handles', type: 'text', isNullable: false },
      { name: 'records', type: 'integer', isNullable: false },
      { name: 'first_record_date', type: 'time', isNullable: true },
      { name: 'last_record_date', type: 'time', isNullable: true },
      { name: 'observed_to', type: 'time', isNullable: true },
    ],
    *rows(store) {
      for (const account of store.accountReader().published()) {
        const former = account.former_handles.map(({ handle, seen_to }) => ({ handle, seen_to: timestampOf(seen_to) }));
        yield [
          account.screen_name,
          account.stable_id,
          account.display_name,
          account.website,
          account.location,
          account.bio,
          account.verified,
          account.profile_image_url,
          account.account_creation_date,
          encodeJson(former),
          account.records,
          account.first_record_date,
          account.last_record_date,
          account.observed_to === null ? null : timestampOf(account.observed_to),
        ];
      }
    },
  },
  exclusions: {
    count: (store) => store.exclusions().length,
    columns: [
      { name: 'excluded_at', type: 'time', isNullable: false },
      { name: 'handles', type: 'text', isNullable: false },
      { name: 'stable_ids', type: 'text', isNullable: false },
      { name: 'records', type: 'text', isNullable: false },
    ],
    *rows(store) {
      for (const { excluded_at, handles, stable_ids, records } of store.exclusions()) {
        yield [excluded_at, encodeJson(handles), encodeJson(stable_ids), encodeJson(records)];
      }
    },
  },
};
