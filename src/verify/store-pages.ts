import { encodePage } from '../pages/page.ts';
import type { AccountCursor } from '../store/account-cursor.ts';
import type { Checksum } from '../store/checksum.ts';
import type { FeedCursor } from '../store/feed-cursor.ts';
import type { Store } from '../store/store.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { CollectionMetadata, PageSource } from './pages/tree-pages.ts';
import type { Report } from './violation.ts';

/** The id of the first record on a page of the feed. */
const FIRST_ID = /"results":\[\{"id":(\d{1,16}),/;
/** How many bytes at the start of a page contain its first id. The links in it are the longest part. */
const START_BYTES = 20_000;

/** The pages of a tree, each compared with the page that a build would render from the store. */
export class StorePages implements PageSource {
  /** Whether a page differs from the store, or cannot be read. */
  differs = false;
  readonly #pages: PageSource;
  readonly #build: BuildRecord;
  readonly #store: Store;
  readonly #feed: FeedCursor;
  readonly #accounts: AccountCursor;
  /** The page of accounts that the cursor has reached. */
  #accountPage = 1;
  #isAtStart = true;

  constructor(pages: PageSource, build: BuildRecord, store: Store) {
    this.#pages = pages;
    this.#build = build;
    this.#store = store;
    this.#feed = store.feed('first');
    this.#accounts = store.accounts('first');
  }

  /** Begins a range of pages, and a new checksum of the feed. Ranges of accounts must come in ascending order, but some may be left out. */
  begin(): void {
    this.#isAtStart = true;
  }

  read(metadata: CollectionMetadata, number: number, path: string, report: Report): Buffer | undefined {
    const bytes = this.#pages.read(metadata, number, path, report);
    const { collection, items, pages } = metadata;
    const rendered =
      bytes === undefined ? [] : encodePage(this.#build, collection, items, number, pages, [this.#stored(metadata, number, bytes)]);
    if (bytes === undefined || !Buffer.concat(rendered).equals(bytes)) this.differs = true;
    this.#isAtStart = false;
    return bytes;
  }

  /** The checksum of the records of the feed since the range began. */
  get feedChecksum(): Checksum {
    return this.#feed.checksum;
  }

  /**
   * Compares all accounts with their checksum in the store. Call it after the last page.
   * @throws Failure bad-store
   */
  checkAccounts(): void {
    this.#store.checkAccounts(this.#accounts.taken);
  }

  /** Returns the JSON of the items on a page, from the store. */
  #stored({ collection, pageSize }: CollectionMetadata, number: number, bytes: Buffer): Buffer {
    if (collection === 'account') {
      const skipped = number - this.#accountPage;
      if (skipped > 0) this.#accounts.take(skipped * pageSize);
      this.#accountPage = number + 1;
      return this.#accounts.take(pageSize).read(this.#build.page_size);
    }
    if (this.#isAtStart) this.#feed.moveTo(Number(FIRST_ID.exec(bytes.toString('latin1', 0, START_BYTES))?.[1] ?? 0));
    return this.#feed.take(pageSize).json;
  }
}
