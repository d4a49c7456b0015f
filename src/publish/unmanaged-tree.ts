import { COLLECTIONS } from '../contract/collection.ts';
import { type Envelope, parseEnvelope } from '../contract/envelope.ts';
import { Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';
import { STORE_MARKER } from '../storage/marker.ts';
import type { Target } from '../storage/target.ts';
import { BUILD_RECORD, type BuildRecord, parseBuildRecord } from '../tree/build-record.ts';
import { ENCODINGS, type Encoding, SUFFIXES } from '../tree/encoding.ts';
import { pathOf } from '../tree/layout.ts';
import { isManifest, MANIFEST } from '../tree/manifest.ts';
import { decompressedPage } from './headers.ts';
import { sizeOf, type TreeSize } from './state.ts';

/**
 * The trees that pages may come from at a target where no run of palimpsest left its state: what the build
 * record there says, and what the first pages do, since another tool may not have brought both together.
 * @param build the tree that is to be published
 * @returns none where there are no pages
 * @throws Failure not-ours where a file of a tree's name is none of palimpsest's
 */
export async function unmanagedTrees(target: Target, build: BuildRecord, signal: AbortSignal): Promise<readonly TreeSize[]> {
  const [record, data, account] = await Promise.all([
    recordAt(target, signal),
    firstPageAt(target, pathOf('data', 0, 0), signal),
    firstPageAt(target, pathOf('account', 0, 0), signal),
    refuseManifest(target, signal),
    refuseStore(target, signal),
  ]);
  const trees = record === undefined ? [] : [sizeOf(record)];
  if (data === undefined && account === undefined) return trees;
  const feed = extentOf(data, build.page_size);
  const accounts = extentOf(account, build.account_page_size);
  const encodings = await encodingsAt(target, signal);
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

async function recordAt(target: Target, signal: AbortSignal): Promise<BuildRecord | undefined> {
  const fetched = await target.get(BUILD_RECORD, signal);
  const record = fetched === undefined ? 'unfinished' : parseBuildRecord(fetched.bytes);
  if (record === 'foreign') throw notOurs(target, BUILD_RECORD, 'the record of a build', 'another file of that name');
  return record === 'unfinished' ? undefined : record;
}

async function refuseManifest(target: Target, signal: AbortSignal): Promise<void> {
  const fetched = await target.get(MANIFEST, signal);
  if (fetched === undefined || isManifest(fetched.bytes)) return;
  throw notOurs(target, MANIFEST, 'the digests of the files of a tree', 'another file of that name');
}

/** A place that keeps versions of a store is private: as a site everybody could read it. */
async function refuseStore(target: Target, signal: AbortSignal): Promise<void> {
  const fetched = await target.get(STORE_MARKER, signal);
  if (fetched === undefined || !isCatalog(fetched.bytes)) return;
  throw new Failure('not-ours', `${target.name} keeps versions of a store, which readers of a site could fetch`, {
    place: { file: STORE_MARKER },
    expected: 'a place apart from the store',
    found: 'what palimpsest store push wrote',
    hint: 'publish to another bucket or container; nothing was touched',
  });
}

function isCatalog(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) && 'versions' in value && 'garbage' in value;
  } catch {
    return false;
  }
}

/** A collection's own index; undefined where there is none. */
async function firstPageAt(target: Target, path: string, signal: AbortSignal): Promise<Envelope | undefined> {
  const fetched = await target.get(path, signal);
  if (fetched === undefined) return undefined;
  const refused = notOurs(target, path, 'the first page of a collection', 'something else');
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
 * How many items a collection has on how many pages of which size. How many items one page alone could
 * hold is not known: it counts as if it were as many as `size`, of which nothing would have to move.
 */
function extentOf(page: Envelope | undefined, size: number): { readonly items: number; readonly pages: number; readonly size: number } {
  if (page === undefined) return { items: 0, pages: 0, size };
  const { count, next, results } = page;
  if (next === null) return { items: count, pages: 1, size: Math.max(size, results.length) };
  return { items: count, pages: Math.ceil(count / results.length), size: results.length };
}

/** The encodings in which a collection's own index is there as well. */
async function encodingsAt(target: Target, signal: AbortSignal): Promise<Encoding[]> {
  const there: Encoding[] = [];
  for (const encoding of ENCODINGS) {
    const paths = COLLECTIONS.map((collection) => pathOf(collection, 0, 0) + SUFFIXES[encoding]);
    const held = await Promise.all(paths.map((path) => target.head(path, signal)));
    if (held.some((one) => one !== undefined)) there.push(encoding);
  }
  return there;
}

function notOurs(target: Target, path: string, expected: string, found: string): Failure {
  return new Failure('not-ours', `${target.name} has a ${path} that palimpsest did not make`, {
    place: { file: path },
    expected: `${expected}, or nothing`,
    found,
    hint: 'publish to another place or prefix, or remove that file; nothing was touched',
  });
}
