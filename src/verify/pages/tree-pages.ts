import { show } from '../../contract/json.ts';
import { Violation as BrokenRule } from '../../contract/json-shape.ts';
import type { Collection } from '../../contract/pages/collection.ts';
import { ENVELOPE_TAIL, type Envelope, encodeEnvelopeHead, parseEnvelope } from '../../contract/pages/envelope.ts';
import { itemsOn, type PageSpan, pageUrl } from '../../pages/pagination.ts';
import { resolve } from '../../rewrite/resolve.ts';
import type { BuildRecord } from '../../tree/build-record.ts';
import type { OpenFile } from '../../tree/tree-files.ts';
import type { Report } from '../violation.ts';
import type { Damaged } from './damaged-pages.ts';
import { type AccountInParts, readInParts } from './large-page.ts';
import { PageComparison } from './page-comparison.ts';
import type { UnknownPrevious } from './unknown-previous.ts';

export interface FoundPage {
  /** The file of the page, relative to the tree. */
  readonly path: string;
  /** The items of the page; none if the page cannot be read, or has accounts in parts. */
  readonly items: readonly unknown[];
  /** The accounts of a large page that has the bytes that a build writes. */
  readonly inParts?: readonly AccountInParts[];
  /** The comparison of its bytes with canonical JSON. The part before the first item is already compared. */
  readonly comparison: PageComparison;
  /** Reports the page if its bytes are not canonical. Call it after all items were compared. `encodedItems` returns their JSON. */
  readonly expectItems: (encodedItems: () => readonly Buffer[]) => void;
}

/** The file of a page. The walk closes it. */
export interface PageContent extends OpenFile {
  /** Whether to check the page in parts, if it has the bytes that a build writes. */
  readonly isLarge: boolean;
}

/**
 * Returns the content of a page of a tree. Reports what is wrong with its files.
 * @param path the file of the page, relative to the tree
 * @returns undefined if the page cannot be read
 */
export type ReadPage = (metadata: CollectionMetadata, number: number, path: string, report: Report) => PageContent | undefined;

/** Which pages to walk, by default all, and what the walk fills beside its report. */
export interface WalkOptions {
  readonly range?: PageSpan;
  readonly damaged?: Damaged | undefined;
  readonly unknownPrevious?: UnknownPrevious;
}

/** A tree to be checked. */
export interface TreeMetadata {
  readonly build: BuildRecord;
  readonly read: ReadPage;
}

/** The expected size of a collection. */
export interface CollectionMetadata {
  readonly base: string;
  readonly collection: Collection;
  readonly items: number;
  readonly pages: number;
  readonly pageSize: number;
}

export function collectionMetadata(build: BuildRecord, collection: Collection): CollectionMetadata {
  const base = build.base_url;
  return collection === 'data'
    ? { base, collection, items: build.records, pages: build.data_pages, pageSize: build.page_size }
    : { base, collection, items: build.accounts, pages: build.account_pages, pageSize: build.account_page_size };
}

/**
 * Yields a collection's pages as a client sees them, from the first page on. If a link of a page is wrong, or a page cannot be read,
 * this is reported, and the walk continues with the page that was expected.
 * @param range the pages to walk; by default all
 */
export function* walkPages(tree: TreeMetadata, collection: Collection, report: Report, range?: PageSpan): Generator<FoundPage, void> {
  const metadata = collectionMetadata(tree.build, collection);
  const { from, to } = range ?? { from: 1, to: metadata.pages };
  for (let number = from; number <= to; number += 1) {
    const path = fileOf(metadata, number);
    if (path === undefined) continue;
    const content = tree.read(metadata, number, path, report);
    try {
      yield foundPage(metadata, number, path, content, report);
    } finally {
      content?.close();
    }
  }
}

function foundPage(
  metadata: CollectionMetadata,
  number: number,
  path: string,
  content: PageContent | undefined,
  report: Report,
): FoundPage {
  const unread = { path, items: [], comparison: new PageComparison(Buffer.alloc(0), ''), expectItems: () => {} };
  const large = content?.isLarge && metadata.collection === 'account' ? readInParts(content) : undefined;
  if (large !== undefined) {
    checkEnvelope(metadata, number, path, large.envelope, large.accounts.length, report);
    return { ...unread, inParts: large.accounts };
  }
  const found = content && parsePage(content, path, report);
  if (found === undefined) return unread;
  const { comparison, envelope } = found;
  checkEnvelope(metadata, number, path, envelope, envelope.results.length, report);
  return { path, items: envelope.results, comparison, expectItems: (items) => checkBytes(path, found, items, report) };
}

/** Returns the file with which the rewrite rules answer the link to a page. */
function fileOf({ base, collection }: CollectionMetadata, number: number): string | undefined {
  const [path = '', query = ''] = pageUrl(base, collection, number).slice(base.length).split('?');
  return resolve('GET', path, query).file;
}

/**
 * Parses the items of a page. Reports those that break a rule.
 * @param parse compares an item with the bytes of the page, too
 */
export function* parsedItems<T>(
  { items, path, comparison }: FoundPage,
  rule: 'record-field' | 'account-field',
  report: Report,
  parse: (item: unknown, index: number) => T,
): Generator<T> {
  for (const [index, item] of items.entries()) {
    try {
      yield parse(item, index);
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      comparison.markInvalid();
      report.add({ rule, path, expected: `${error.field}: ${error.expected}`, found: error.found });
    }
  }
}

interface ParsedPage {
  readonly comparison: PageComparison;
  readonly envelope: Envelope;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parsePage(content: PageContent, path: string, report: Report): ParsedPage | undefined {
  const bytes = content.read(0, content.size);
  try {
    const envelope = parseEnvelope(JSON.parse(UTF_8.decode(bytes)));
    return { comparison: new PageComparison(bytes, encodeEnvelopeHead(envelope)), envelope };
  } catch (error) {
    if (error instanceof BrokenRule) {
      report.add({ rule: 'page-envelope', path, expected: `${error.field}: ${error.expected}`, found: error.found });
    } else {
      report.add({ rule: 'page-json', path, expected: 'JSON in UTF-8', found: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  }
}

function checkEnvelope(
  { base, collection, items, pages, pageSize }: CollectionMetadata,
  number: number,
  path: string,
  envelope: Omit<Envelope, 'results'>,
  found: number,
  report: Report,
): void {
  const next = number < pages ? pageUrl(base, collection, number + 1) : null;
  const previous = number > 1 ? pageUrl(base, collection, number - 1) : null;
  const expected = itemsOn(number, items, pageSize);
  if (envelope.count !== items) report.add({ rule: 'page-count', path, expected: String(items), found: String(envelope.count) });
  if (envelope.next !== next) report.add({ rule: 'page-next', path, expected: show(next), found: show(envelope.next) });
  if (envelope.previous !== previous) report.add({ rule: 'page-previous', path, expected: show(previous), found: show(envelope.previous) });
  if (found !== expected)
    report.add({ rule: 'page-items', path, expected: `${expected} ${expected === 1 ? 'item' : 'items'}`, found: String(found) });
}

function checkBytes(path: string, { comparison, envelope }: ParsedPage, encodedItems: () => readonly Buffer[], report: Report): void {
  if (comparison.finish(ENVELOPE_TAIL)) return;
  const found = comparison.toString();
  const expected = `${encodeEnvelopeHead(envelope)}${encodedItems().join(',')}${ENVELOPE_TAIL}`;
  let index = 0;
  while (index < found.length && found[index] === expected[index]) index += 1;
  const around = (text: string) => show(text.slice(Math.max(0, index - 10), index + 20));
  report.add({ rule: 'page-bytes', path, expected: around(expected), found: `${around(found)} at character ${index}` });
}
