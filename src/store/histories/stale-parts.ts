import type { IntervalsRow } from '../accounts/change-intervals.ts';
import type { Connection } from '../database/connection.ts';
import { PART_RECORDS } from '../database/schema.ts';
import { damaged } from '../database/store-error.ts';
import { type AccountRecords, type DescribedAccount, NO_RECORDS, SELECT_RECORDS } from './derived-history.ts';

/** A row of `temp.stale` with its account, and what the index of the account has about its records. */
export interface StalePart extends DescribedAccount, IntervalsRow {
  readonly row: number;
  /** The number of the part, and whether no part is after it. */
  readonly number: number;
  readonly is_last: 0 | 1;
  /** The present first record of the account, and the first record when the account was last derived. */
  readonly first: number | null;
  readonly derived_first: number | null;
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly records: number;
  readonly is_new: 0 | 1;
}

export interface GatheredPart {
  readonly stale: StalePart;
  /** The JSON of its records, newest first, separated by commas. */
  readonly json: Buffer;
}

/** The number of rows that one query reads. */
const BATCH_SIZE = 250;
const NEWEST_PART = 'FROM history_part WHERE history_part.first_record = account.first_record ORDER BY number DESC LIMIT 1';

/**
 * Creates `temp.stale`: the parts to derive of each stale account, which are all after its stored parts. They are in the order of the
 * account pages, so that histories are stored in the order of their reads.
 */
export function findStaleParts(database: Connection): void {
  database.exec(`
    CREATE TEMP TABLE changed AS
      SELECT id, parts, after, (SELECT min(id) FROM record WHERE record.account = owner.id) AS first,
        (SELECT min(id) FROM record WHERE record.account = owner.id AND record.id > after) AS oldest,
        (SELECT max(id) FROM record WHERE record.account = owner.id) AS newest,
        (SELECT count(*) FROM record WHERE record.account = owner.id AND record.id > after) AS records
      FROM (SELECT id, ifnull((SELECT number + 1 ${NEWEST_PART}), 0) AS parts, ifnull((SELECT newest ${NEWEST_PART}), -1) AS after
        FROM account WHERE revision IS NULL) AS owner;
    CREATE TEMP TABLE stale AS
      SELECT id, first, parts AS number, 1 AS is_last, oldest, newest, records FROM temp.changed WHERE records <= ${PART_RECORDS}
      UNION ALL SELECT id, first, parts + place / ${PART_RECORDS}, max(record) = newest, min(record), max(record), count(*)
        FROM (SELECT changed.*, record.id AS record, row_number() OVER (PARTITION BY changed.id ORDER BY record.id) - 1 AS place
          FROM temp.changed CROSS JOIN record ON record.account = changed.id AND record.id > after WHERE records > ${PART_RECORDS})
        GROUP BY id, place / ${PART_RECORDS}
      ORDER BY first, number;
    DROP TABLE temp.changed`);
}

/** Yields the rows of `temp.stale` from `first` to before `end`, with their accounts. */
export function* staleParts(database: Connection, first = 1, end: number = Number.MAX_SAFE_INTEGER): Generator<StalePart> {
  const query = `
    SELECT stale.rowid AS row, account.id, screen_name, identity, summary, known_to,
      iif(is_last, change_intervals, NULL) AS change_intervals, iif(is_last, intervals_checksum, NULL) AS intervals_checksum,
      first, first_record AS derived_first, number, is_last, oldest, newest, records, digest IS NULL AS is_new
    FROM temp.stale CROSS JOIN account USING (id) WHERE stale.rowid > ? AND stale.rowid < ? ORDER BY stale.rowid LIMIT +?`;
  for (const rows of database.batches<StalePart>(query, [first - 1, end], ({ row }) => [row, end], BATCH_SIZE)) yield* rows;
}

/**
 * Gathers each stale part: searches its records in the feed, and checks them against their checksums.
 * @throws Failure bad-store
 */
export function* eachPart(database: Connection): Generator<GatheredPart> {
  const wrong = 'SELECT id FROM record WHERE account = ? AND id BETWEEN ? AND ? AND crc32(json) IS NOT checksum LIMIT 1';
  for (const stale of staleParts(database)) {
    const { id, screen_name, oldest, newest } = stale;
    const damage = database.value<number>(wrong, id, oldest, newest);
    if (damage !== undefined) throw damaged(database.path, `record ${damage} of ${screen_name} does not match its checksum`);
    const { json } = database.get<AccountRecords>(SELECT_RECORDS, id, oldest, newest) ?? NO_RECORDS;
    yield { stale, json };
  }
}
