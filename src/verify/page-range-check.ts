import { NOTHING } from '../store/checksum.ts';
import { Store } from '../store/store.ts';
import { Digests } from '../tree/digests.ts';
import { encodingsIn } from '../tree/encoding.ts';
import { openTreeFiles } from '../tree/tree-files.ts';
import { placeOf } from './account-place.ts';
import { walkAccounts } from './accounts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { noDamages } from './damaged-pages.ts';
import { type RecordPlace, walkFeed } from './feed.ts';
import { MultisetHash } from './multiset-hash.ts';
import { pageFiles } from './page-files.ts';
import type { CollectionPageRange, PageRangeJob, PageRangeResult } from './page-range-messages.ts';
import { Predecessors } from './predecessors.ts';
import { StorePages } from './store-pages.ts';
import type { PageRange, TreeMetadata } from './tree-pages.ts';
import { Report } from './violation.ts';

/** Checks ranges of pages. Of a page that breaks a rule it says only that there is one. */
export class PageRangeCheck {
  readonly #tree: TreeMetadata;
  readonly #stored: StorePages | undefined;
  readonly #ids: BloomFilter;
  readonly #hashes: { readonly data: MultisetHash; readonly account: MultisetHash };

  /** @throws Failure as Store.open does */
  constructor({ out, build, digests, store, ids, hashes }: PageRangeJob) {
    const encodings = encodingsIn(build.compress);
    const manifest = {
      data: new Digests(build.data_pages, encodings, digests.data),
      account: new Digests(build.account_pages, encodings, digests.account),
    };
    const pages = pageFiles({ files: openTreeFiles(out), build, manifest, digestCause: undefined });
    const opened = store === undefined ? undefined : Store.open(store.path);
    this.#stored = opened === undefined ? undefined : new StorePages(pages, build, opened);
    if (this.#stored !== undefined && opened?.revision.number !== store?.revision) this.#stored.differs = true;
    this.#tree = { build, pages: this.#stored ?? pages };
    this.#ids = new BloomFilter(ids);
    this.#hashes = { data: new MultisetHash(hashes.data), account: new MultisetHash(hashes.account) };
  }

  /**
   * Checks some pages.
   * @returns undefined if they break a rule, or differ from the store
   * @throws Failure bad-store
   */
  check({ collection, ...range }: CollectionPageRange): PageRangeResult | undefined {
    return collection === 'data' ? this.#feed(range) : this.#accounts(range);
  }

  #feed(range: PageRange): PageRangeResult | undefined {
    const [report, found] = [new Report(), [] as number[]];
    let first: PageRangeResult['first'];
    let last: RecordPlace | undefined;
    this.#stored?.begin();
    for (const { record, path } of walkFeed(this.#tree, this.#hashes.data, noDamages().feed, report, range)) {
      this.#ids.add(String(record.id));
      found.push(record.id);
      first ??= { ...placeIn(record), path };
      last = record;
    }
    return this.#answer(report, found, { first, last: last && placeIn(last), checksum: this.#stored?.feedChecksum ?? NOTHING });
  }

  #accounts(range: PageRange): PageRangeResult | undefined {
    const [report, found, names] = [new Report(), [] as number[], [] as string[]];
    const predecessors = new Predecessors(this.#ids);
    const walk = walkAccounts(this.#tree, this.#hashes.account, undefined, predecessors, noDamages().accounts, report, range);
    for (const { account } of walk) {
      const { first, name } = placeOf(account);
      found.push(first);
      names.push(name);
    }
    if (range.to === this.#tree.build.account_pages) this.#stored?.checkAccounts();
    return this.#answer(report, found, { names, unknown: predecessors.unknown });
  }

  #answer(report: Report, ids: readonly number[], rest: Partial<PageRangeResult>): PageRangeResult | undefined {
    if (report.violationCount > 0 || this.#stored?.differs) return undefined;
    const { notes, noteCount, notesByRule } = report;
    return {
      names: [],
      first: undefined,
      last: undefined,
      unknown: [],
      checksum: NOTHING,
      ...rest,
      ids: new Float64Array(ids),
      notes: { notes, noteCount, notesByRule },
    };
  }
}

function placeIn({ id, first_encountered_date }: RecordPlace): RecordPlace {
  return { id, first_encountered_date };
}
