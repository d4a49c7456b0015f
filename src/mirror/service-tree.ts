import { hash } from 'node:crypto';
import type { Collection } from '../contract/pages/collection.ts';
import { BadResponse } from '../http/http-client.ts';
import { BUILD_RECORD, type BuildRecord, layoutOf, parseBuildRecord } from '../tree/build-record.ts';
import { pagePath } from '../tree/layout.ts';
import { Digests } from '../tree/manifest/digests.ts';
import { listFiles } from '../tree/manifest/listing.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { PageFailed, type RetryingClient } from './retrying-client.ts';
import type { SavedTree } from './spool/page-spool.ts';
import type { ChangedPages } from './walk/reading-plan.ts';

/** The tree that a service is: build.json and the manifest as they were sent, and what they contain. */
export interface RemoteTree extends SavedTree {
  readonly record: BuildRecord;
  readonly digests: Digests;
}

/**
 * Reads build.json and the manifest of a service. Returns undefined if it is a live service, if its manifest cannot be
 * read, or if it is a tree for another address.
 * @param known the tree of an earlier run
 */
export async function readServiceTree(
  client: RetryingClient,
  baseUrl: string,
  known: SavedTree | undefined,
): Promise<RemoteTree | undefined> {
  try {
    // during a publish, only one of both can be new: a retry reads both again
    return await client.get(`${baseUrl}/${BUILD_RECORD}`, {}, async ({ status, body }) => {
      const build = status === 200 ? body().toString() : '';
      const record = parseBuildRecord(Buffer.from(build));
      if (typeof record === 'string' || record.base_url !== baseUrl) return undefined;
      if (known?.build === build) return parseTree(known);
      const manifest = await client.get(`${baseUrl}/${MANIFEST}`, {}, (answer) => (answer.status === 200 ? answer.body() : undefined));
      if (manifest === undefined) return undefined;
      if (hash('sha256', manifest) !== record.manifest) throw new BadResponse('a manifest that is not the one of build.json');
      return parseTree({ build, manifest });
    });
  } catch (error) {
    if (error instanceof PageFailed) return undefined;
    throw error;
  }
}

/** Parses a saved tree. Returns undefined if another release of palimpsest wrote its build.json. */
export function parseTree({ build, manifest }: SavedTree): RemoteTree | undefined {
  const record = parseBuildRecord(Buffer.from(build));
  return typeof record === 'string' ? undefined : { build, manifest, record, digests: new Digests(layoutOf(record), listFiles(manifest)) };
}

export function treeInVersion({ files, build: record, digests }: VerifiedTree): RemoteTree {
  return { build: files.read(BUILD_RECORD).toString(), manifest: files.read(MANIFEST), record, digests };
}

/**
 * Returns the pages of each collection that differ between two trees; undefined if the number of items differs. Then
 * every page differs, because each has the `count`, and a walk reads fewer pages.
 */
export function changedPages(before: RemoteTree | undefined, now: RemoteTree | undefined): ChangedPages {
  const changed = (collection: Collection): readonly number[] | undefined => {
    if (before === undefined || now === undefined || isRepaginated(before.record, now.record, collection)) return undefined;
    const numbers = Array.from({ length: now.digests.pages[collection] }, (_, index) => index + 1);
    const digestOn = (tree: RemoteTree, number: number) => tree.digests.get(pagePath(collection, number));
    return numbers.filter((number) => digestOn(now, number) !== digestOn(before, number));
  };
  return { data: changed('data'), account: changed('account') };
}

function isRepaginated(before: BuildRecord, now: BuildRecord, collection: Collection): boolean {
  return collection === 'data'
    ? before.records !== now.records || before.page_size !== now.page_size
    : before.accounts !== now.accounts || before.account_page_size !== now.account_page_size || before.page_size !== now.page_size;
}

/** Returns how a page differs from the manifest; undefined if it does not. */
export function digestMismatch({ digests }: RemoteTree, collection: Collection, page: number, bytes: Buffer): string | undefined {
  const expected = digests.get(pagePath(collection, page));
  const found = hash('sha256', bytes);
  return expected === found ? undefined : `SHA-256 ${found}, the manifest has ${expected ?? 'no such page'}`;
}
