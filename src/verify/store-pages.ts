import type { Collection } from '../contract/collection.ts';
import { accountPages } from '../pages/account-pages.ts';
import { feedPages } from '../pages/feed-pages.ts';
import type { Page, PageSpan, Pages, ReadSpan } from '../pages/page.ts';
import type { Store } from '../store/store.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import type { CollectionMetadata, PageBytes, PageContent } from './pages/tree-pages.ts';
import type { Report } from './violation.ts';

/** Returns the pages that a build renders from a store. */
export function storedPages(store: Store, build: BuildRecord): { readonly [C in Collection]: Pages } {
  return { data: feedPages(store, build), account: accountPages(store, build) };
}

/** The pages of a tree, each compared with the page that a build would render from the store. */
export class StorePages implements PageBytes {
  /** Whether a page differs from the store, or cannot be read. */
  differs = false;
  readonly #pages: PageBytes;
  readonly #stored: { readonly [C in Collection]: Pages };
  #walk: Generator<Page, ReadSpan> | undefined;

  constructor(pages: PageBytes, build: BuildRecord, store: Store) {
    this.#pages = pages;
    this.#stored = storedPages(store, build);
  }

  /** Begins a span. */
  begin(span: PageSpan): void {
    this.#walk = this.#stored[span.collection].walk(span);
  }

  read(metadata: CollectionMetadata, number: number, path: string, report: Report): PageContent | undefined {
    const content = this.#pages.read(metadata, number, path, report);
    const stored = this.#walk?.next();
    if (content === undefined || stored === undefined || stored.done || !consistsOf(content, stored.value.render())) this.differs = true;
    return content;
  }

  /** Returns checksums of what the store has for the span, after all its pages were read. */
  end(): ReadSpan {
    const end = this.#walk?.next();
    if (end?.done) return end.value;
    this.differs = true;
    return [0, 0];
  }
}

/** Whether a page consists of these pieces. Memory has one piece at a time, because a page has all records of an account. */
function consistsOf({ size, read }: PageContent, pieces: Iterable<Buffer>): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (at + piece.length > size || !piece.equals(read(at, at + piece.length))) return false;
    at += piece.length;
  }
  return at === size;
}
