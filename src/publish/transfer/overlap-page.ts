import { hash } from 'node:crypto';
import { encodeJson, isObject } from '../../contract/json.ts';
import type { Collection } from '../../contract/pages/collection.ts';
import { ENVELOPE_TAIL, parseEnvelope } from '../../contract/pages/envelope.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-error.ts';
import type { Fetched } from '../../storage/target.ts';
import { plainPath } from '../../tree/encoding.ts';
import { collectionFolder } from '../../tree/layout.ts';
import { readVerified, type VerifiedTree } from '../../tree/verified-tree.ts';
import { compressedPage, decompressedPage, encoded, fileHeaders, type HeaderChoice } from '../objects/headers.ts';
import { readerGaps } from '../planning/reader-gaps.ts';

/** What is needed to send files of a tree. */
export interface Transfer {
  readonly tree: VerifiedTree;
  /** Sends a request only while the lease is valid. */
  readonly remote: Remote;
  readonly headers: HeaderChoice;
  /** Whether the conditions of writes are proved. */
  readonly isConditional: boolean;
  /** Whether items may move to earlier pages. */
  readonly allowGaps: boolean;
  /** Called with the bytes of each file that was sent, before compression. */
  readonly onSent: (bytes: number) => void;
  /** Called with the number of files that were deleted so far. */
  readonly onDeleted: (deleted: number) => void;
}

/** How often a page is read again and its overlap page rebuilt if the page changed in between. */
const MAX_ATTEMPTS = 5;

/**
 * Writes a page that shows its old items after its new ones. The write is conditional on the version that was
 * read. A request that arrives late can then not overwrite the final page.
 * @param path that of the page, or of a compressed copy of it
 * @returns whether it was needed
 * @throws Failure reader-gaps, tree-edited, and those of the target
 */
export async function uploadOverlap(
  { tree, remote, headers: choice, isConditional, allowGaps, onSent }: Transfer,
  path: string,
): Promise<boolean> {
  const headers = fileHeaders(choice, path);
  const page = plainPath(path);
  const collection = page.startsWith(collectionFolder('account')) ? 'account' : 'data';
  const newer = readVerified(tree, { path: page, digest: tree.digests.get(page) ?? '' });
  for (let tried = 1; ; tried += 1) {
    const older = await remote.get(path);
    const overlapped = older === undefined ? undefined : overlapOver(collection, path, older, newer);
    if (older === undefined || overlapped === undefined) return false;
    if (overlapped.movesForward && !allowGaps)
      throw readerGaps(remote.name, 'a page whose records are newer than those of its replacement', { file: path });
    const file = compressedPage(overlapped.bytes, path);
    const bytes = encoded(file, headers, path);
    if (older.bytes.equals(bytes)) return false;
    try {
      const upload = { bytes, headers, digest: hash('sha256', file) };
      await remote.put(path, upload, isConditional ? { tag: older.tag } : undefined);
      onSent(file.length);
      return true;
    } catch (error) {
      if (storageErrorKind(error) !== 'conflict' || tried === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Returns the overlap page; undefined if the old file is not a page, since a reader can then miss nothing. */
function overlapOver(collection: Collection, path: string, older: Fetched, newer: Buffer): OverlapPage | undefined {
  try {
    return overlapPage(collection, decompressedPage(path, older), newer);
  } catch {
    return undefined;
  }
}

/** A page that also shows items of its older version. */
export interface OverlapPage {
  readonly bytes: Buffer;
  /** Whether items of the older page sort before those of the newer page, which means that they move to an earlier page. */
  readonly movesForward: boolean;
}

const KEYS = { data: 'id', account: 'screen_name' } as const;

/**
 * Returns the newer page, followed by the items that only its older version has, so that a reader misses nothing.
 * Returns undefined if both have the same items, because no overlap page is needed then.
 * @throws SyntaxError, Violation if the older file is not a page
 */
export function overlapPage(collection: Collection, older: Buffer, newer: Buffer): OverlapPage | undefined {
  const key = (item: unknown) => (isObject(item) ? item[KEYS[collection]] : undefined);
  const items = parseEnvelope(JSON.parse(newer.toString())).results;
  const before = parseEnvelope(JSON.parse(older.toString())).results;
  const known = new Set(items.map(key));
  const leaving = before.filter((item) => !known.has(key(item)));
  if (leaving.length === 0) return before.length === items.length ? undefined : { bytes: newer, movesForward: false };
  const text = newer.toString().slice(0, -ENVELOPE_TAIL.length);
  const newest = key(items[0]);
  return {
    bytes: Buffer.from(`${text}${items.length === 0 ? '' : ','}${leaving.map(encodeJson).join(',')}${ENVELOPE_TAIL}`),
    movesForward: collection === 'data' && leaving.some((item) => Number(key(item)) > Number(newest)),
  };
}
