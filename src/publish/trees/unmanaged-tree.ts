import { COLLECTIONS } from '../../contract/pages/collection.ts';
import { type Envelope, parseEnvelope } from '../../contract/pages/envelope.ts';
import type { Remote } from '../../storage/remote.ts';
import { BUILD_RECORD, type BuildRecord, parseBuildRecord } from '../../tree/build-record.ts';
import { ENCODINGS, type Encoding, SUFFIXES } from '../../tree/encoding.ts';
import { indexPath } from '../../tree/layout.ts';
import { isManifest, MANIFEST } from '../../tree/manifest/manifest.ts';
import { decompressedPage } from '../objects/headers.ts';
import { notOurs, sizeOf, type TreeSize } from '../state/state.ts';

/**
 * Returns the trees that pages may come from at a target without a publish state. They are derived from the build
 * record and from the first pages there, because another tool may have copied them at different times.
 * @param build the build record of the tree to publish
 * @param manifest the file at the target that has the name of the manifest
 * @returns an empty list if the target has neither
 * @throws Failure not-ours if another program wrote a file with the name of a file of a tree
 */
export async function unmanagedTrees(remote: Remote, build: BuildRecord, manifest: Buffer | undefined): Promise<readonly TreeSize[]> {
  if (manifest !== undefined && !isManifest(manifest))
    throw notOurs(remote, { file: MANIFEST }, 'the digests of the files of a tree, or nothing', 'another file of that name');
  const [record, data, account] = await Promise.all([
    recordAt(remote),
    firstPageAt(remote, indexPath('data')),
    firstPageAt(remote, indexPath('account')),
  ]);
  const trees = record === undefined ? [] : [sizeOf(record)];
  if (data === undefined && account === undefined) return trees;
  const feed = treeSizeOf(data, build.page_size);
  const accounts = treeSizeOf(account, build.account_page_size);
  const encodings = await encodingsAt(remote);
  const seen: TreeSize = {
    records: feed.items,
    accounts: accounts.items,
    data_pages: feed.pages,
    account_pages: accounts.pages,
    page_size: feed.size,
    account_page_size: accounts.size,
    compress: encodings.join(' '),
  };
  return [...trees, seen];
}

async function recordAt(remote: Remote): Promise<BuildRecord | undefined> {
  const fetched = await remote.get(BUILD_RECORD);
  const record = fetched === undefined ? 'unfinished' : parseBuildRecord(fetched.bytes);
  if (record === 'foreign') throw notOurs(remote, { file: BUILD_RECORD }, 'the record of a build, or nothing', 'another file of that name');
  return record === 'unfinished' ? undefined : record;
}

/** Reads the index of a collection; undefined if it does not exist. */
async function firstPageAt(remote: Remote, path: string): Promise<Envelope | undefined> {
  const fetched = await remote.get(path);
  if (fetched === undefined) return undefined;
  const refused = notOurs(remote, { file: path }, 'the first page of a collection, or nothing', 'a file with other content');
  let page: Envelope;
  try {
    page = parseEnvelope(JSON.parse(decompressedPage(path, fetched).toString()));
  } catch {
    throw refused;
  }
  if (page.next !== null && page.results.length === 0) throw refused;
  return page;
}

/**
 * Returns the number of items and pages of a collection, and its page size. A single page does not reveal the page
 * size: `size` is assumed then, with which no item has to move.
 */
function treeSizeOf(page: Envelope | undefined, size: number): { readonly items: number; readonly pages: number; readonly size: number } {
  if (page === undefined) return { items: 0, pages: 0, size };
  const { count, next, results } = page;
  if (next === null) return { items: count, pages: 1, size: Math.max(size, results.length) };
  return { items: count, pages: Math.ceil(count / results.length), size: results.length };
}

/** Returns the encodings of the compressed index files at the target. */
async function encodingsAt(remote: Remote): Promise<Encoding[]> {
  const encodings: Encoding[] = [];
  for (const encoding of ENCODINGS) {
    const paths = COLLECTIONS.map((collection) => indexPath(collection) + SUFFIXES[encoding]);
    const heads = await Promise.all(paths.map((path) => remote.head(path)));
    if (heads.some((head) => head !== undefined)) encodings.push(encoding);
  }
  return encodings;
}
