import { show } from '../contract/json.ts';
import type { Collection } from '../contract/pages/collection.ts';
import type { Page, PageSpan, Pages, ReadSpan } from '../pages/pagination.ts';
import { recordsIn, walkAccounts } from './pages/account-check.ts';
import type { BloomFilter } from './pages/bloom-filter.ts';
import type { Damaged } from './pages/damaged-pages.ts';
import { type RecordPlace, walkFeed } from './pages/feed-check.ts';
import type { MultisetHash } from './pages/multiset-hash.ts';
import type { PageContent, TreeMetadata } from './pages/tree-pages.ts';
import { type Unknown, UnknownPrevious } from './pages/unknown-previous.ts';
import type { Report } from './violation.ts';

/** What a check found on a span of pages. {@link CrossSpanCheck} checks what a single span does not show. */
export interface SpanResult {
  /** The id of each record of the feed, or of the first record of each account; infinite for an account without records. */
  readonly ids: Float64Array;
  readonly names: readonly string[];
  /** The page of the first record or account. */
  readonly path: string;
  /** The first and the last record of the feed. */
  readonly first: RecordPlace | undefined;
  readonly last: RecordPlace | undefined;
  /** Records of accounts whose `previous` must be looked up. */
  readonly unknown: readonly Unknown[];
  /** Checksums of what the store has for the span. */
  readonly read: ReadSpan;
}

/** What the checked spans contain: both grow with each span. */
export interface FoundItems {
  /** The ids of the feed. */
  readonly ids: BloomFilter;
  /** Hashes of the records on the pages of the feed and of the accounts. */
  readonly hashes: { readonly [C in Collection]: MultisetHash };
}

/** Checks spans of pages: each page, record and account, and whether a build would render the same pages from the store. */
export class SpanCheck {
  readonly #tree: TreeMetadata;
  readonly #stored: { readonly [C in Collection]: Pages } | undefined;
  #pages: Generator<Page, ReadSpan> | undefined;
  readonly #found: FoundItems;

  /** @param stored the pages that a build would render from the store, in the same number as those of the tree */
  constructor({ build, read }: TreeMetadata, stored: { readonly [C in Collection]: Pages } | undefined, found: FoundItems) {
    this.#tree = { build, read: (metadata, number, path, report) => this.#compared(read(metadata, number, path, report), path, report) };
    this.#stored = stored;
    this.#found = found;
  }

  /**
   * Checks the pages of a span. All spans of the feed come before those of the accounts.
   * @param damaged filled if all spans are checked in their order
   * @throws Failure bad-store
   */
  check(span: PageSpan, report: Report, damaged?: Damaged): SpanResult {
    this.#pages = this.#stored?.[span.collection].walk(span);
    const found = span.collection === 'data' ? this.#records(span, report, damaged) : this.#accounts(span, report, damaged);
    const end = this.#pages?.next();
    return { ...found, read: end?.done ? end.value : [0, 0] };
  }

  #records(range: PageSpan, report: Report, damaged?: Damaged): Omit<SpanResult, 'read'> {
    const unknownPrevious = new UnknownPrevious(this.#found.ids);
    const ids: number[] = [];
    let first: (RecordPlace & { readonly path: string }) | undefined;
    let last: RecordPlace | undefined;
    for (const { record, json, path } of walkFeed(this.#tree, report, { range, damaged })) {
      this.#found.hashes.data.add(record.id, json);
      unknownPrevious.addId(record.id);
      ids.push(record.id);
      last = { id: record.id, first_encountered_date: record.first_encountered_date };
      first ??= { ...last, path };
    }
    return { ids: new Float64Array(ids), names: [], path: first?.path ?? '', first, last, unknown: [] };
  }

  #accounts(range: PageSpan, report: Report, damaged?: Damaged): Omit<SpanResult, 'read'> {
    const unknownPrevious = new UnknownPrevious(this.#found.ids);
    const [ids, names]: [number[], string[]] = [[], []];
    let first: string | undefined;
    for (const { place, runs, path } of walkAccounts(this.#tree, report, { range, damaged, unknownPrevious })) {
      for (const { record, json } of recordsIn(runs)) this.#found.hashes.account.add(record.id, json);
      ids.push(place.first);
      names.push(place.name);
      first ??= path;
    }
    const { unknown } = unknownPrevious;
    return { ids: new Float64Array(ids), names, path: first ?? '', first: undefined, last: undefined, unknown };
  }

  /** Compares a page of the tree with the page that a build would render from the store. */
  #compared(content: PageContent | undefined, path: string, report: Report): PageContent | undefined {
    const stored = this.#pages?.next();
    if (content === undefined || stored === undefined || stored.done || report.isDamaged(path)) return content;
    const difference = differenceIn(content, stored.value.render());
    if (difference !== undefined) report.add({ rule: 'store-differs', path, ...difference });
    return content;
  }
}

/** Returns where a page differs from the pieces of another; undefined if all bytes are equal. Only one piece at a time is in memory. */
function differenceIn(
  { size, read }: PageContent,
  pieces: Iterable<Buffer>,
): { readonly expected: string; readonly found: string } | undefined {
  let start = 0;
  for (const piece of pieces) {
    const found = read(start, Math.min(size, start + piece.length));
    if (!piece.equals(found)) {
      let at = 0;
      while (at < found.length && found[at] === piece[at]) at += 1;
      const around = (bytes: Buffer) => show(bytes.subarray(Math.max(0, at - 10), at + 20).toString());
      return { expected: around(piece), found: `${around(found)} at byte ${start + at}` };
    }
    start += piece.length;
  }
  return start === size ? undefined : { expected: `${start} bytes`, found: `${size} bytes` };
}
