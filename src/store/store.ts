import type { GoneItem } from '../contract/files/gone-item.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import type { DaySpan } from '../contract/snapshots/snapshot-days.ts';
import { AccountReader } from './accounts/account-reader.ts';
import { ACCOUNT_NAMED, accountRows } from './accounts/account-rows.ts';
import { AccountSearch } from './accounts/account-search.ts';
import { StoredAccounts } from './accounts/stored-accounts.ts';
import { NO_RECORD } from './check/checksum.ts';
import type { Connection } from './database/connection.ts';
import { openStore } from './database/open-store.ts';
import { storedJson, wrapErrors } from './database/store-error.ts';
import { goneAt } from './database/views.ts';
import { Exclusions, type ListedExclusion } from './exclusions/exclusions.ts';
import { checksumBelow, feedEdge, feedPlaces } from './feed/feed-blocks.ts';
import { type FeedDay, type FeedVisitor, feedDays } from './feed/feed-days.ts';
import { checkedJson, records, type StoredRecord } from './feed/records.ts';
import { goneItems } from './gone-items.ts';
import { incompleteMirrors } from './mirror-state.ts';
import { PageSource } from './page-source.ts';
import { isCurrent, latestRevision, neverFilled, nextRevision, type Revision, revisionOf } from './revision.ts';
import { storedSnapshotDays } from './snapshot-days.ts';
import { deriveStale } from './writing/batch.ts';

/** The number of records that are read at once. */
const READ_AT_ONCE = 1000;

/** A consistent view of a store at the time of its opening. Later commits do not change it. */
export class Store extends PageSource {
  readonly #database: Connection;

  private constructor(database: Connection, revision: Revision) {
    super(database, revision);
    this.#database = database;
  }

  /**
   * Opens a store for reading. If another program (such as sqlite3) has changed it, first derives the stale data again.
   * @throws Failure no-store, bad-store, store-older, store-newer, store-busy, file-system
   */
  static open(path: string): Store {
    const database = openStore(path, 'read');
    try {
      return wrapErrors(path, () => {
        for (;;) {
          database.exec('BEGIN');
          const revision = isCurrent(database) ? latestRevision(database) : undefined;
          if (revision !== undefined) return new Store(database, revision);
          const wasFilled = nextRevision(database) > 1;
          database.exec('ROLLBACK');
          if (!wasFilled) throw neverFilled(path);
          deriveStale(database);
        }
      });
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Returns the number of the revision with this fingerprint. Returns undefined if the store does not know this state: a change by another program deletes all revisions. */
  revisionOf(fingerprint: string): number | undefined {
    return revisionOf(this.#database, fingerprint);
  }

  /**
   * Reads all records, and compares them with their checksums.
   * @throws Failure bad-store
   */
  checkRecords(): void {
    const cursor = this.feed();
    while (cursor.take(READ_AT_ONCE).json.length > 0);
    this.checkFeed(cursor.checksum);
  }

  /** Returns a checksum of the oldest records. @param records the number of these records */
  oldestChecksum(records: number): string {
    const { crc, bytes } = checksumBelow(this.#database, feedEdge(this.#database, this.revision.records - records));
    return `${crc.toString(16).padStart(8, '0')}-${bytes}`;
  }

  storedAccounts(): StoredAccounts {
    return new StoredAccounts(this.#database);
  }

  /** Returns a function for the time of the first record of a run of `every` records. Runs are counted from the oldest record, from 1. */
  timesOfRuns(every: number): (run: number) => string {
    const timeAt = this.#database.prepareValue<[number, number], string>(
      "SELECT json ->> 'first_encountered_date' FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?",
    );
    const places = [...feedPlaces(this.#database, every, this.revision.records % every || every)].toReversed();
    return (run) => {
      const place = places[run - 1];
      return (place && timeAt.get(place.edge, place.offset)) ?? '';
    };
  }

  /** Returns the number of records of each day, and their places in the feed. @param visit is called with each record */
  feedDays(visit: FeedVisitor): readonly FeedDay[] {
    return feedDays(this.#database, visit);
  }

  /** Yields the sort key of each account, in order: the id of its first record, or its name if it has no record. */
  *accountKeys(): Generator<number | string> {
    for (const { place, screen_name } of accountRows(this.#database, 'page', [])) yield place === NO_RECORD ? screen_name : place;
  }

  accountSearch(): AccountSearch {
    return new AccountSearch(this.#database);
  }

  accountReader(): AccountReader {
    return new AccountReader(this.#database);
  }

  /**
   * Returns the records of the account with exactly this handle, newest first.
   * @throws Failure bad-store
   */
  history(screenName: string): readonly ChangeRecord[] {
    const rows = this.#database.prepare<[string], StoredRecord>(
      `SELECT id, json, checksum FROM record WHERE account = ${ACCOUNT_NAMED} ORDER BY id DESC`,
    );
    return rows.all(screenName).map((row) => parseRecord(storedJson(this.path, `record ${row.id}`, checkedJson(this.path, row))));
  }

  /** Returns when a mirror first found that the service no longer has a record, by its id. */
  goneRecords(): ReadonlyMap<number, string> {
    const query = `SELECT DISTINCT key AS id, ${goneAt('mirror_gone.key')} AS gone_at FROM mirror_gone WHERE collection = 'data'`;
    const rows = this.#database.prepare<[], { readonly id: number; readonly gone_at: string | null }>(query).all();
    return new Map(rows.flatMap(({ id, gone_at }) => (gone_at === null ? [] : [[id, gone_at]])));
  }

  goneItems(): readonly GoneItem[] {
    return goneItems(this.#database);
  }

  incompleteMirrors(): readonly IncompleteMirror[] {
    return incompleteMirrors(this.#database);
  }

  /**
   * Returns the days on which snapshots were observed, as spans in order.
   * @throws Failure bad-store
   */
  snapshotDays(): readonly DaySpan[] {
    return storedSnapshotDays(this.#database);
  }

  /** Returns the accounts that must not come back, in an order that depends only on their contents. */
  exclusions(): readonly ListedExclusion[] {
    return new Exclusions(this.#database).all();
  }

  /** Yields every record, sorted by id, with the text of the record before; null if there is none. */
  *changes(): Generator<{ readonly record: ChangeRecord; readonly before: string | null }> {
    const one = this.#database.prepareValue<[number], string>('SELECT json FROM record WHERE id = ?');
    const recordIn = (id: number | null, json: string) => parseRecord(storedJson(this.path, `record ${id}`, json));
    for (const { id, json } of records(this.#database)) {
      const record = recordIn(id, json);
      const before = record.previous === null ? undefined : one.get(record.previous);
      yield { record, before: before === undefined ? null : recordIn(record.previous, before).text };
    }
  }

  /** Yields the JSON of every record, sorted by id. */
  *records(): Generator<string> {
    for (const { json } of records(this.#database)) yield json;
  }
}
