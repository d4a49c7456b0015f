import { COLLECTIONS, type Collection } from '../contract/pages/collection.ts';
import { type PageSpan, SPAN_PAGES } from '../pages/pagination.ts';
import { type Encoding, SUFFIXES } from './encoding.ts';

/**
 * What determines the paths of the files with pages: the numbers of pages, and the encodings of their compressed copies.
 *
 * Every page is at `rest/{collection}/page/{number}/index.json`. The first page is also `rest/{collection}/index.json`,
 * and the last page is also `page/last/index.json`. So the simplest rewrite rule (`page=:n` to `page/:n/`) is right.
 */
export interface Layout {
  readonly pages: { readonly [C in Collection]: number };
  readonly encodings: readonly Encoding[];
}

export function fileCount({ pages, encodings }: Layout): number {
  return (pages.data + 2 + pages.account + 2) * (1 + encodings.length);
}

/** Returns how many files a tree has in its manifest: those with pages, and the listed ones of HTML pages. */
export function listedFiles(layout: Layout, { browse_files = 0 }: { readonly browse_files?: number | undefined }): number {
  return fileCount(layout) + browse_files;
}

/** Yields the paths of all files with pages in the order of the manifest: of each collection, the pages and then the copies in each encoding. */
export function* pathsOfPages({ pages, encodings }: Layout): Generator<string> {
  for (const collection of COLLECTIONS) {
    for (const suffix of ['', ...encodings.map((encoding) => SUFFIXES[encoding])]) {
      for (const path of pathsOfSpan({ collection, from: 1, to: pages[collection] }, { pages })) yield path + suffix;
    }
  }
}

/** Yields the paths of the uncompressed files of consecutive pages in the order of the manifest. */
export function* pathsOfSpan({ collection, from, to }: Omit<PageSpan, 'index'>, { pages }: Pick<Layout, 'pages'>): Generator<string> {
  if (from === 1) yield indexPath(collection);
  for (let page = from; page <= to; page += 1) yield pagePath(collection, page);
  if (to === pages[collection]) yield pagePath(collection, 'last');
}

const PAGE_FILE = /^rest\/(data|account)\/(?:page\/([1-9]\d{0,14}|last)\/)?index\.json(\.gz|\.br)?$/;

/** Whether a path is that of a file with a page, in some tree. */
export function isPagePath(path: string): boolean {
  return PAGE_FILE.test(path);
}

/** Returns the group in which a listing has the files of a span of pages, or the second files of the last page. */
export function spanGroup(collection: string, index: number | 'last'): string {
  return `rest/${collection}/${index}`;
}

export function pageGroupOf(path: string): string | undefined {
  const [, collection, page = '1'] = PAGE_FILE.exec(path) ?? [];
  return collection && spanGroup(collection, page === 'last' ? page : Math.floor((Number(page) - 1) / SPAN_PAGES));
}

export function hasPage(path: string, { pages, encodings }: Layout): boolean {
  const [, collection, page, suffix] = PAGE_FILE.exec(path) ?? [];
  const hasEncoding = suffix === undefined || encodings.some((encoding) => SUFFIXES[encoding] === suffix);
  const last = collection === 'data' ? pages.data : pages.account;
  return collection !== undefined && hasEncoding && (page === undefined || page === 'last' || Number(page) <= last);
}

/** Returns the paths of the uncompressed files with a page: one to three. */
export function pathsOf(collection: Collection, page: number, pages: number): string[] {
  return [
    pagePath(collection, page),
    ...(page === 1 ? [indexPath(collection)] : []),
    ...(page === pages ? [pagePath(collection, 'last')] : []),
  ];
}

/**
 * Returns the paths of all files with a page, in the order in which a build moves them and a publish sends them: the
 * second file of the last page, the numbered page, the collection's index. The compressed copies of a file come before
 * it. Readers begin at the index. So whoever sees the new index, in any encoding, finds every other file new.
 */
export function pathsInWriteOrder(collection: Collection, page: number, { pages, encodings }: Layout): string[] {
  const plain = [
    ...(page === pages[collection] ? [pagePath(collection, 'last')] : []),
    pagePath(collection, page),
    ...(page === 1 ? [indexPath(collection)] : []),
  ];
  return plain.flatMap((path) => [...encodings.map((encoding) => path + SUFFIXES[encoding]).toReversed(), path]);
}

/** Returns the paths to which `next` links lead: that of the numbered page, and of its compressed copies. */
export function pathsOfNext(collection: Collection, page: number, { encodings }: Layout): string[] {
  const path = pagePath(collection, page);
  return [path, ...encodings.map((encoding) => path + SUFFIXES[encoding])];
}

export function indexPath(collection: Collection): string {
  return `${collectionFolder(collection)}/index.json`;
}

export function pagePath(collection: Collection, page: number | 'last'): string {
  return `${pagesFolder(collection)}/${page}/index.json`;
}

/** Whether a path is that of the second file of the last page, or of a compressed copy of it. */
export function isLastPath(path: string): boolean {
  return path.includes('/page/last/');
}

export function isPageName(name: string): boolean {
  return /^[1-9]\d{0,14}$/.test(name);
}

export function collectionFolder(collection: Collection): string {
  return `rest/${collection}`;
}

export function pagesFolder(collection: Collection): string {
  return `rest/${collection}/page`;
}
