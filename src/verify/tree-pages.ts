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

/** A page of a tree as it was found. */
export interface FoundPage {
  readonly number: number;
  /** The file it was read from, relative to the tree. */
  readonly path: string;
  readonly items: readonly unknown[];
  /** Holds the page to the bytes that it must have if its items are written so. */
  readonly expectItems: (items: readonly string[]) => void;
}

/** What a tree says of itself. */
export interface TreeMetadata {
  readonly out: string;
  readonly build: BuildRecord;
  readonly manifest: TreeDigests;
}

/** What a collection must be. */
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
 * A collection's pages as a client meets them: from the first by `next`. Where `next` leads astray that is
 * reported, and the walk goes on with the page that should have come.
 */
export function* walkPages(tree: TreeMetadata, collection: Collection, report: Report): Generator<FoundPage, void> {
  const word = collectionMetadata(tree.build, collection);
  const base = tree.build.base_url;
  let url = pageUrl(base, collection, 1);
  for (let number = 1; number <= word.pages; number += 1) {
    const path = fileOf(url, base);
    const expectedNext = number < word.pages ? pageUrl(base, collection, number + 1) : null;
    const found = path === undefined ? undefined : readPage(tree, word, number, path, report);
    if (found !== undefined && path !== undefined) {
      checkEnvelope(word, base, number, path, found.envelope, report);
      yield { number, path, items: found.envelope.results, expectItems: (items) => checkBytes(path, found, items, report) };
    }
    url = expectedNext ?? url;
  }
}

/** The file that a rewrite layer would answer a link with. */
function fileOf(url: string, base: string): string | undefined {
  const [path = '', query = ''] = url.slice(base.length).split('?');
  return resolve('GET', path, query).file;
}

interface ReadPage {
  readonly text: string;
  readonly envelope: Envelope;
}

function readPage(tree: TreeMetadata, word: CollectionMetadata, number: number, path: string, report: Report): ReadPage | undefined {
  const bytes = readFiles(tree, word, number, path, report);
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

/** Reads the files that hold a page, holds them to the manifest and to one another; gives the bytes of one. */
function readFiles(tree: TreeMetadata, word: CollectionMetadata, number: number, path: string, report: Report): Buffer | undefined {
  const files = slotsOf(number, word.pages).flatMap((slot) => {
    const file = pathOf(word.collection, slot, word.pages);
    try {
      return [{ file, slot, bytes: readRegularFile(join(tree.out, file)) }];
    } catch (error) {
      report.add({ rule: 'file-missing', path: file, expected: 'a file', found: messageOf(error) });
      return [];
    }
  });
  const read = files.find(({ file }) => file === path);
  checkVariants(tree, word, number, read?.bytes, report);
  for (const { file, slot, bytes } of files) {
    const expected = tree.manifest[word.collection].get(slot);
    const found = hash('sha256', bytes);
    if (expected !== undefined && found !== expected)
      report.add({ rule: 'file-digest', path: file, expected: `SHA-256 ${expected}`, found });
    if (read !== undefined && !bytes.equals(read.bytes))
      report.add({ rule: 'duplicate-mismatch', path: file, expected: `the bytes of ${path}`, found: 'others' });
  }
  return read?.bytes;
}

/** Holds the compressed files of a page to the manifest and to the page. */
function checkVariants(tree: TreeMetadata, word: CollectionMetadata, number: number, page: Buffer | undefined, report: Report): void {
  const encodings = encodingsIn(tree.build.compress);
  for (const [index, encoding] of encodings.entries()) {
    for (const slot of variantSlotsOf(number, word.pages, index)) {
      const path = pathOf(word.collection, slot, word.pages, encodings);
      try {
        const bytes = readRegularFile(join(tree.out, path));
        const [expected, found] = [tree.manifest[word.collection].get(slot), hash('sha256', bytes)];
        if (expected !== undefined && found !== expected) report.add({ rule: 'file-digest', path, expected: `SHA-256 ${expected}`, found });
        if (page !== undefined && !decompressesTo(bytes, encoding, page)) {
          report.add({ rule: 'duplicate-mismatch', path, expected: `the bytes of the page, as ${encoding}`, found: 'others' });
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

function checkEnvelope(word: CollectionMetadata, base: string, number: number, path: string, envelope: Envelope, report: Report): void {
  const next = number < word.pages ? pageUrl(base, word.collection, number + 1) : null;
  const previous = number > 1 ? pageUrl(base, word.collection, number - 1) : null;
  const items = number < word.pages ? word.pageSize : word.items - (word.pages - 1) * word.pageSize;
  if (envelope.count !== word.items) report.add({ rule: 'page-count', path, expected: String(word.items), found: String(envelope.count) });
  if (envelope.next !== next) report.add({ rule: 'page-next', path, expected: show(next), found: show(envelope.next) });
  if (envelope.previous !== previous) report.add({ rule: 'page-previous', path, expected: show(previous), found: show(envelope.previous) });
  if (envelope.results.length !== items)
    report.add({ rule: 'page-items', path, expected: `${items} items`, found: String(envelope.results.length) });
}

function checkBytes(path: string, page: ReadPage, items: readonly string[], report: Report): void {
  const expected = `${encodeEnvelopeHead(page.envelope)}${items.join(',')}${ENVELOPE_TAIL}`;
  if (page.text === expected) return;
  let index = 0;
  while (page.text[index] === expected[index]) index += 1;
  const around = (text: string) => show(text.slice(Math.max(0, index - 10), index + 20));
  report.add({ rule: 'page-bytes', path, expected: around(expected), found: `${around(page.text)} at character ${index}` });
}
