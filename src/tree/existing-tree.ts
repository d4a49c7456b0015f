import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { type BuildRecord, readBuildRecord } from './build-record.ts';
import { Digests } from './digests.ts';
import type { Encoding } from './encoding.ts';
import { collectionFolder, pathOf, slotCount } from './layout.ts';
import { piecesOf } from './lines.ts';
import { digestOf, manifestDigest, sortKeysDigest, type TreeDigests } from './manifest.ts';
import { readRegularFile } from './regular-file.ts';
import { readSortKeys, SORT_KEYS, type SortKeys } from './sort-keys.ts';

type PageCounts = { readonly [C in Collection]: number };

/** The record of the tree that a build finished in a folder, and nobody has taken apart since; undefined where none did. */
export function finishedTree(out: string): BuildRecord | undefined {
  const record = readBuildRecord(out);
  const isWhole = typeof record === 'object' && manifestDigest(out) === record.manifest && hasEnds(out, record) && hasSortKeys(out);
  return isWhole ? record : undefined;
}

/** A tree of a release that wrote no sort keys is made complete like one that lost them. */
function hasSortKeys(out: string): boolean {
  const wanted = sortKeysDigest(out);
  return wanted !== undefined && digestOf(join(out, SORT_KEYS)) === wanted;
}

/** The sort keys of a tree. */
export function sortKeysIn(out: string): SortKeys {
  return readSortKeys(() => piecesOf(join(out, SORT_KEYS)));
}

/** Whether both ends of both collections are there: somebody may have cleared the pages away. */
function hasEnds(out: string, { data_pages, account_pages }: BuildRecord): boolean {
  const ends = [
    pathOf('data', 0, data_pages),
    pathOf('data', data_pages + 1, data_pages),
    pathOf('account', 0, account_pages),
    pathOf('account', account_pages + 1, account_pages),
  ];
  return ends.every((path) => existsSync(join(out, path)));
}

/** What those of a folder's files hold that a tree with so many pages has: by their own bytes. */
export function digestFiles(out: string, pages: PageCounts, encodings: readonly Encoding[]): TreeDigests {
  const digests = { data: new Digests(pages.data, encodings), account: new Digests(pages.account, encodings) };
  for (const collection of COLLECTIONS) {
    if (!existsSync(join(out, collectionFolder(collection)))) continue;
    for (let slot = 0; slot < slotCount(pages[collection], encodings); slot += 1) {
      const path = join(out, pathOf(collection, slot, pages[collection], encodings));
      const bytes = fileAt(path);
      if (bytes !== undefined) digests[collection].set(slot, createHash('sha256').update(bytes).digest());
    }
  }
  return digests;
}

/** A file's bytes; undefined where none can be read: then it is written anew. */
function fileAt(path: string): Buffer | undefined {
  try {
    return readRegularFile(path);
  } catch {
    return undefined;
  }
}

/**
 * The record of a finished tree, for those who read it.
 * @throws Failure no-tree, tree-unfinished
 */
export function requireTree(out: string): BuildRecord {
  const record = readBuildRecord(out);
  if (typeof record === 'object') return record;
  const place = { file: out };
  if (record === 'unfinished') {
    throw new Failure('tree-unfinished', `the tree in ${out} is not finished`, {
      place,
      expected: 'a finished build',
      found: 'one that was interrupted, or a damaged build.json',
      hint: 'run palimpsest build again: it completes what is there',
    });
  }
  throw new Failure('no-tree', `there is no tree in ${out}`, {
    place,
    expected: 'a folder that palimpsest build made',
    found: 'no build.json',
    hint: 'run palimpsest build first, or name the folder with --out',
  });
}
