import { AccountCursor, type AccountTotals } from './accounts/account-cursor.ts';
import { accountsSinceCheckpoint, type NewerAccount } from './accounts/names-since-checkpoint.ts';
import { checkNameIndexes, digestOfNames } from './check/account-indexes.ts';
import { type Checksum, RANKING_MODULUS } from './check/checksum.ts';
import type { Connection } from './database/connection.ts';
import { openStore } from './database/open-store.ts';
import { damaged, wrapErrors } from './database/store-error.ts';
import { feedChecksum, feedEdge, feedPlaces, idAt } from './feed/feed-blocks.ts';
import { FeedCursor } from './feed/feed-cursor.ts';
import { isCurrent, latestRevision, type Revision } from './revision.ts';

/**
 * The part of a store that pages are rendered from, as it was at the time of its opening. A thread that renders opens only this
 * part, because it has half of the modules of a store.
 */
export class PageSource {
  readonly path: string;
  readonly revision: Revision;
  readonly #database: Connection;

  protected constructor(database: Connection, revision: Revision) {
    this.path = database.path;
    this.#database = database;
    this.revision = revision;
  }

  /**
   * Opens a revision of a store. Returns undefined if the store has another revision by now.
   * @throws Failure no-store, bad-store, store-older, store-newer, store-busy, file-system
   */
  static at(path: string, number: number): PageSource | undefined {
    const database = openStore(path, 'read');
    let source: PageSource | undefined;
    try {
      source = wrapErrors(path, () => {
        database.exec('BEGIN');
        const revision = isCurrent(database) ? latestRevision(database) : undefined;
        return revision?.number === number ? new PageSource(database, revision) : undefined;
      });
      return source;
    } finally {
      if (source === undefined) database.close();
    }
  }

  /** Returns a cursor over the feed that begins after a number of its newest records. */
  feed(after = 0): FeedCursor {
    return new FeedCursor(this.#database, feedEdge(this.#database, after));
  }

  /** Returns where a cursor over the feed must begin for each run of `every` records. */
  feedStarts(every: number): readonly number[] {
    const places = feedPlaces(this.#database, every, every);
    return [feedEdge(this.#database, 0), ...Array.from(places, (place) => idAt(this.#database, place))];
  }

  accounts(): AccountCursor {
    return new AccountCursor(this.#database);
  }

  /**
   * Compares the checksum of the feed that was read with the stored one.
   * @throws Failure bad-store
   */
  checkFeed(read: Checksum): void {
    const written = feedChecksum(this.#database);
    if (read.crc !== written.crc || read.bytes !== written.bytes) throw damaged(this.path, 'a feed that does not match its checksum');
  }

  /**
   * Compares the number and the sum of the accounts that were read with the stored ones. The checksum of each account is
   * checked when the account is read.
   * @throws Failure bad-store
   */
  checkAccounts({ accounts, sum }: AccountTotals): void {
    if (accounts === this.revision.accounts && sum % RANKING_MODULUS === this.revision.ranking_sum) return;
    throw damaged(this.path, 'an order of accounts that does not match its checksum');
  }

  /**
   * Lets SQLite compare the accounts and the former handles with their indexes: HTML pages read names and row numbers from both, and these have
   * no checksum.
   * @returns the digest of names, see {@link digestOfNames}
   * @throws Failure bad-store
   */
  checkNames(): string {
    checkNameIndexes(this.#database);
    return this.digestOfNames();
  }

  /**
   * Returns a digest of all that the search index shows of the accounts.
   * @throws Failure bad-store
   */
  digestOfNames(): string {
    return digestOfNames(this.#database, this.revision.records);
  }

  accountsSinceCheckpoint(): readonly NewerAccount[] {
    return accountsSinceCheckpoint(this.#database, this.revision.records);
  }

  close(): void {
    this.#database.close();
  }
}
