import type { Instant } from '../../contract/instant.ts';
import type { Connection } from '../database/connection.ts';
import type { ListedColumns } from '../histories/derived-history.ts';

export interface AccountRow extends ListedColumns {
  readonly id: number;
  readonly screen_name: string;
  /** The identifier that stays when the handle changes; null: no source gave one. */
  readonly stable_id: string | null;
  /** JSON: the fields that no record changes. */
  readonly identity: string;
  /** JSON: the profile as a source gave it. */
  readonly summary: string;
  /** The newest record that came with the profile; null: no source gave one. */
  readonly known_to: number | null;
  /** The instant of the latest observation; null: never observed. */
  readonly observed_to: Instant | null;
  /** The fields observed at that instant: one bit for each. */
  readonly observed_fields: number;
  /** The checksum of the newest values after that observation, see `decodeObservedChecksum`; null: unknown. */
  readonly observed_checksum: number | null;
  /** JSON: the change intervals, and the CRC-32 of it; null: none. */
  readonly change_intervals: string | null;
  readonly intervals_checksum: number | null;
  /** Derived: `observed_to` of an account that was not seen lately; -1: lately; null: never observed. */
  readonly last_seen: Instant | null;
  /** The id of the first record; null: no records. */
  readonly first_record: number | null;
  /** The first record; {@link NO_RECORD} without one. */
  readonly place: number;
  /** The newest revision that changed the account; null: stale. */
  readonly revision: number | null;
  readonly digest: Buffer | null;
  readonly checksum: number | null;
  /** JSON: the profile with the changes of later records. */
  readonly profile: string;
}

/** The columns that snapshots are compared with. */
export type ObservedRow = Pick<AccountRow, (typeof OBSERVED_COLUMNS)[number]>;

export const OBSERVED_COLUMNS = [
  'id',
  'screen_name',
  'identity',
  'stable_id',
  'observed_to',
  'observed_fields',
  'observed_checksum',
] as const satisfies readonly (keyof AccountRow)[];

/** The columns that cannot be derived. */
export type StateRow = Pick<AccountRow, (typeof STATE_COLUMNS)[number]>;

export const STATE_COLUMNS = [
  ...OBSERVED_COLUMNS,
  'summary',
  'known_to',
  'change_intervals',
  'intervals_checksum',
] as const satisfies readonly (keyof AccountRow)[];

/** The columns for lists. The index of the order of accounts has them too. */
export const LISTED_COLUMNS = [
  'listed_name',
  'listed_records',
  'listed_changes',
  'listed_checksum',
] as const satisfies readonly (keyof ListedColumns)[];

/** The columns whose SQL is not their name. */
const SQL: { readonly [C in keyof AccountRow]?: string } = {
  id: 'account.id AS id',
  first_record: 'account.first_record AS first_record',
  // an account with records has a history, unless the store is damaged
  profile: "iif(account.first_record IS NULL, summary, '{' || substr(tail, 2)) AS profile",
};

export const ACCOUNT_NAMED = '(SELECT id FROM account WHERE screen_name = ?)';

/** Adds a former handle, unless it is known. */
export const ADD_FORMER_HANDLE =
  'INSERT INTO former_handle (handle, seen_to, account) VALUES (?, CAST(? AS INTEGER), ?) ON CONFLICT DO NOTHING';

const JOIN_HISTORY = 'LEFT JOIN history ON history.first_record = account.first_record';

/** The columns of the key of each order. If a query reads no others, an index has all of them. */
const KEYS = {
  id: ['id'],
  page: ['place', 'screen_name'],
  name: ['screen_name'],
  handle: ['screen_name'],
  'display-name': ['listed_name', 'screen_name'],
} as const;

export type AccountOrder = keyof typeof KEYS;

type KeyOf<O extends AccountOrder> = (typeof KEYS)[O][number];

interface Order<O extends AccountOrder> {
  /** The condition for the rows after a key. */
  readonly after: string;
  readonly by: string;
  readonly first: readonly unknown[];
  readonly keyOf: (row: Pick<AccountRow, KeyOf<O>>) => readonly unknown[];
}

const ORDERS: { readonly [O in AccountOrder]: Order<O> } = {
  id: { after: 'account.id > ?', by: 'account.id', first: [-1], keyOf: ({ id }) => [id] },
  /** As on the account pages: by the first record, and accounts without records by name. */
  page: {
    after: '(place, screen_name) > (?, ?)',
    by: 'place, screen_name',
    first: [-1, ''],
    keyOf: ({ place, screen_name }) => [place, screen_name],
  },
  name: { after: 'screen_name > ?', by: 'screen_name', first: [''], keyOf: ({ screen_name }) => [screen_name] },
  /** Without regard to case. */
  handle: {
    // the first condition is the one that the index can use
    after: 'screen_name >= ? COLLATE NOCASE AND (screen_name > ? COLLATE NOCASE OR screen_name > ?)',
    by: 'screen_name COLLATE NOCASE, screen_name',
    first: ['', '', ''],
    keyOf: ({ screen_name }) => [screen_name, screen_name, screen_name],
  },
  /** Without regard to case. Accounts with the same display name are sorted by handle. */
  'display-name': {
    after: `listed_name >= ? COLLATE NOCASE AND (listed_name COLLATE NOCASE, screen_name COLLATE NOCASE, screen_name) > (?, ?, ?)`,
    by: 'listed_name COLLATE NOCASE, screen_name COLLATE NOCASE, screen_name',
    first: ['', '', '', ''],
    keyOf: ({ listed_name, screen_name }) => [listed_name, listed_name, screen_name, screen_name],
  },
};

/** Returns a query for columns of accounts. Without the join, an index can have all columns. */
export function selectAccounts(columns: readonly (keyof AccountRow)[]): string {
  const selected = columns.map((column) => SQL[column] ?? column).join(', ');
  return `SELECT ${selected} FROM account ${columns.includes('profile') ? JOIN_HISTORY : ''}`;
}

/** Yields all accounts in an order. Only the given columns and the keys are read. */
export function* accountRows<O extends AccountOrder, C extends keyof AccountRow>(
  database: Connection,
  order: O,
  columns: readonly C[],
): Generator<Pick<AccountRow, KeyOf<O> | C>> {
  for (const rows of accountBatches(database, order, columns)) yield* rows;
}

export function accountBatches<O extends AccountOrder, C extends keyof AccountRow>(
  database: Connection,
  order: O,
  columns: readonly C[],
  size?: number,
): Generator<readonly Pick<AccountRow, KeyOf<O> | C>[]> {
  const { after, by, first, keyOf } = ORDERS[order];
  const query = `${selectAccounts([...new Set([...columns, ...KEYS[order]])])} WHERE ${after} ORDER BY ${by} LIMIT +?`;
  return database.batches<Pick<AccountRow, KeyOf<O> | C>>(query, first, keyOf, size);
}
