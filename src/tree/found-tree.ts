import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { type BuildRecord, readBuildRecord } from './build-record.ts';
import { Digests } from './digests.ts';
import { collectionFolder, pathOf, slotCount } from './layout.ts';
import { manifestDigest, readManifest, type TreeDigests } from './manifest.ts';

/** What is in a folder before a build. */
export interface FoundTree {
  /** The record of the build that finished there, if one did. */
  readonly record: BuildRecord | undefined;
  /** The digests of the files that the new tree will have too. */
  readonly digests: TreeDigests;
}

type PageCounts = { readonly [C in Collection]: number };

/**
 * What a folder holds: by its manifest's word, where that can be trusted, else by the files' own bytes.
 * @param pages how many pages the new tree will have
 * @param repair whether to look at the files in any case
 */
export function findTree(out: string, pages: PageCounts, repair: boolean): FoundTree {
  const record = readBuildRecord(out);
  if (!repair && typeof record === 'object' && manifestDigest(out) === record.manifest && hasEnds(out, record)) {
    return { record, digests: readManifest(out, pages) };
  }
  return { record: undefined, digests: digestFiles(out, pages) };
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

/** What the files of an unfinished tree really hold. */
function digestFiles(out: string, pages: PageCounts): TreeDigests {
  const digests = { data: new Digests(pages.data), account: new Digests(pages.account) };
  for (const collection of COLLECTIONS) {
    if (!existsSync(join(out, collectionFolder(collection)))) continue;
    for (let slot = 0; slot < slotCount(pages[collection]); slot += 1) {
      const path = join(out, pathOf(collection, slot, pages[collection]));
      if (existsSync(path)) digests[collection].set(slot, createHash('sha256').update(readFileSync(path)).digest());
    }
  }
  return digests;
}
