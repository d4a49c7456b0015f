import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Collection } from '../contract/collection.ts';
import { ENVELOPE_TAIL, type Envelope, encodeEnvelopeHead, parseEnvelope } from '../contract/envelope.ts';
import { show } from '../contract/json.ts';
import { Violation as BrokenRule } from '../contract/shape.ts';
import { pageUrl } from '../pages/links.ts';
import { resolve } from '../rewrite/resolve.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { decompress } from '../tree/compression.ts';
import { type Encoding, encodingsIn } from '../tree/encoding.ts';
import { pathOf, slotsOf, variantSlotsOf } from '../tree/layout.ts';
import type { TreeDigests } from '../tree/manifest.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import type { Report } from './violation.ts';

/** A page of the tree. */
export interface FoundPage {
  readonly number: number;
  /** The file of the page, relative to the tree. */
  readonly path: string;
  /** The items of the page; none if the page cannot be read. */
  readonly items: readonly unknown[];
  /** Checks that the page has the expected bytes, given the JSON of its items. */
  readonly expectItems: (items: readonly string[]) => void;
}

/** A tree with its build record and its manifest. */
export interface TreeMetadata {
  readonly out: string;
  readonly build: BuildRecord;
  readonly manifest: TreeDigests;
  /** The manifest, if it is damaged: then it explains why files differ from it. */
  readonly digestCause: string | undefined;
}

/** The expected size of a collection. */
export interface CollectionMetadata {
  readonly collection: Collection;
  readonly items: number;
  readonly pages: number;
  readonly pageSize: number;
}

export function collectionMetadata(build: BuildRecord, collection: Collection): CollectionMetadata {
  return collection === 'data'
    ? { collection, items: build.records, pages: build.data_pages, pageSize: build.page_size }
    : { collection, items: build.accounts, pages: build.account_pages, pageSize: build.account_page_size };
}

/**
 * Yields a collection's pages as a client sees them: from the first page on, by `next`. If `next` is wrong, or a page
 * cannot be read, this is reported, and the walk continues with the page that was expected.
 */
export function* walkPages(tree: TreeMetadata, collection: Collection, report: Report): Generator<FoundPage, void> {
  const metadata = collectionMetadata(tree.build, collection);
  const base = tree.build.base_url;
  let url = pageUrl(base, collection, 1);
  for (let number = 1; number <= metadata.pages; number += 1) {
    const path = fileOf(url, base);
    const expectedNext = number < metadata.pages ? pageUrl(base, collection, number + 1) : null;
    const found = path === undefined ? undefined : readPage(tree, metadata, number, path, report);
    if (found !== undefined && path !== undefined) {
      checkEnvelope(metadata, base, number, path, found.envelope, report);
      yield { number, path, items: found.envelope.results, expectItems: (items) => checkBytes(path, found, items, report) };
    } else if (path !== undefined) {
      yield { number, path, items: [], expectItems: () => {} };
    }
    url = expectedNext ?? url;
  }
}

/** Returns the file with which the rewrite rules answer a link. */
function fileOf(url: string, base: string): string | undefined {
  const [path = '', query = ''] = url.slice(base.length).split('?');
  return resolve('GET', path, query).file;
}

interface ReadPage {
  readonly text: string;
  readonly envelope: Envelope;
}

function readPage(tree: TreeMetadata, metadata: CollectionMetadata, number: number, path: string, report: Report): ReadPage | undefined {
  const bytes = readFiles(tree, metadata, number, path, report);
  if (bytes === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, envelope: parseEnvelope(JSON.parse(text)) };
  } catch (error) {
    if (error instanceof BrokenRule) {
      report.add({ rule: 'page-envelope', path, expected: `${error.field}: ${error.expected}`, found: error.found });
    } else {
      report.add({ rule: 'page-json', path, expected: 'JSON in UTF-8', found: messageOf(error) });
    }
    return undefined;
  }
}

/**
 * Reads the files of a page and compares them with the manifest and with one another.
 * @returns the bytes of the file at `path`
 */
function readFiles(tree: TreeMetadata, metadata: CollectionMetadata, number: number, path: string, report: Report): Buffer | undefined {
  const files = slotsOf(number, metadata.pages).flatMap((slot) => {
    const file = pathOf(metadata.collection, slot, metadata.pages);
    try {
      return [{ file, slot, bytes: readRegularFile(join(tree.out, file)) }];
    } catch (error) {
      report.add({ rule: 'file-missing', path: file, expected: 'a file', found: messageOf(error) });
      return [];
    }
  });
  for (const { file, slot, bytes } of files) {
    const expected = tree.manifest[metadata.collection].get(slot);
    const found = hash('sha256', bytes);
    if (expected !== undefined && found !== expected)
      report.add({ rule: 'file-digest', path: file, expected: `SHA-256 ${expected}`, found, cause: tree.digestCause });
  }
  const read = files.find(({ file }) => file === path);
  // a file with the right digest differs only because the other one is damaged
  const otherCause = report.isDamaged(path) ? path : undefined;
  for (const { file, bytes } of files) {
    if (read === undefined || bytes.equals(read.bytes)) continue;
    const cause = report.isDamaged(file) ? undefined : otherCause;
    report.add({ rule: 'duplicate-mismatch', path: file, expected: `the bytes of ${path}`, found: 'other bytes', cause });
  }
  checkVariants(tree, metadata, number, read, report);
  return read?.bytes;
}

/** Compares the compressed copies of a page with the manifest and with the page. */
function checkVariants(
  tree: TreeMetadata,
  metadata: CollectionMetadata,
  number: number,
  page: { readonly file: string; readonly bytes: Buffer } | undefined,
  report: Report,
): void {
  const encodings = encodingsIn(tree.build.compress);
  for (const [index, encoding] of encodings.entries()) {
    for (const slot of variantSlotsOf(number, metadata.pages, index)) {
      const path = pathOf(metadata.collection, slot, metadata.pages, encodings);
      try {
        const bytes = readRegularFile(join(tree.out, path));
        const [expected, found] = [tree.manifest[metadata.collection].get(slot), hash('sha256', bytes)];
        if (expected !== undefined && found !== expected)
          report.add({ rule: 'file-digest', path, expected: `SHA-256 ${expected}`, found, cause: tree.digestCause });
        if (page !== undefined && !decompressesTo(bytes, encoding, page.bytes)) {
          report.add({
            rule: 'duplicate-mismatch',
            path,
            expected: `the bytes of the page, compressed with ${encoding}`,
            found: 'other bytes',
            cause: report.isDamaged(page.file) && !report.isDamaged(path) ? page.file : undefined,
          });
        }
      } catch (error) {
        report.add({ rule: 'file-missing', path, expected: 'a file', found: messageOf(error) });
      }
    }
  }
}

function decompressesTo(packed: Buffer, encoding: Encoding, page: Buffer): boolean {
  try {
    return decompress(packed, encoding, page.length).equals(page);
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function checkEnvelope(metadata: CollectionMetadata, base: string, number: number, path: string, envelope: Envelope, report: Report): void {
  const next = number < metadata.pages ? pageUrl(base, metadata.collection, number + 1) : null;
  const previous = number > 1 ? pageUrl(base, metadata.collection, number - 1) : null;
  const items = number < metadata.pages ? metadata.pageSize : metadata.items - (metadata.pages - 1) * metadata.pageSize;
  if (envelope.count !== metadata.items)
    report.add({ rule: 'page-count', path, expected: String(metadata.items), found: String(envelope.count) });
  if (envelope.next !== next) report.add({ rule: 'page-next', path, expected: show(next), found: show(envelope.next) });
  if (envelope.previous !== previous) report.add({ rule: 'page-previous', path, expected: show(previous), found: show(envelope.previous) });
  if (envelope.results.length !== items)
    report.add({
      rule: 'page-items',
      path,
      expected: `${items} ${items === 1 ? 'item' : 'items'}`,
      found: String(envelope.results.length),
    });
}

function checkBytes(path: string, page: ReadPage, items: readonly string[], report: Report): void {
  const expected = `${encodeEnvelopeHead(page.envelope)}${items.join(',')}${ENVELOPE_TAIL}`;
  if (page.text === expected) return;
  let index = 0;
  while (page.text[index] === expected[index]) index += 1;
  const around = (text: string) => show(text.slice(Math.max(0, index - 10), index + 20));
  report.add({ rule: 'page-bytes', path, expected: around(expected), found: `${around(page.text)} at character ${index}` });
}
