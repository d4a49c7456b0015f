import { hash } from 'node:crypto';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { BadResponse } from '../http/http-client.ts';
import type { MirrorSummary } from '../store/mirror-memory.ts';
import { BUILD_RECORD, type BuildRecord, layoutOf, parseBuildRecord } from '../tree/build-record.ts';
import { pagePath } from '../tree/layout.ts';
import type { Digests } from '../tree/manifest/digests.ts';
import { piecesIn } from '../tree/manifest/lines.ts';
import { MANIFEST, readManifest } from '../tree/manifest/manifest.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { PageFailed, type RetryingClient } from './retrying-client.ts';
import type { ChangedPages } from './walk/reading-plan.ts';

/** A service that is a palimpsest tree: what its build.json and its manifest contain. */
export interface RemoteTree {
  readonly build: BuildRecord;
  /** build.json and the manifest as they were sent. */
  readonly buildText: string;
  readonly manifest: Buffer;
  readonly digests: Digests;
}

/**
 * Reads build.json and the manifest of a service. Returns undefined if it is a live service, if its manifest cannot be
 * read, or if it is a tree for another address.
 * @param known the build.json and the manifest of an earlier run
 */
export async function readServiceTree(
  client: RetryingClient,
  baseUrl: string,
  known: Pick<MirrorSummary, 'build' | 'manifest'> | undefined,
): Promise<RemoteTree | undefined> {
  try {
    // during a publish, only one of both can be new: a retry reads both again
    return await client.get(`${baseUrl}/${BUILD_RECORD}`, {}, async ({ status, body }) => {
      const buildText = status === 200 ? body().toString() : '';
      const build = parseBuildRecord(Buffer.from(buildText));
      if (typeof build === 'string' || build.base_url !== baseUrl) return undefined;
      if (known?.build === buildText && known.manifest !== null) return treeOf(build, buildText, known.manifest);
      const manifest = await client.get(`${baseUrl}/${MANIFEST}`, {}, (answer) => (answer.status === 200 ? answer.body() : undefined));
      if (manifest === undefined) return undefined;
      if (hash('sha256', manifest) !== build.manifest) throw new BadResponse('a manifest that is not the one of build.json');
      return treeOf(build, buildText, manifest);
    });
  } catch (error) {
    if (error instanceof PageFailed) return undefined;
    throw error;
  }
}

/** Returns the tree with a saved build.json and manifest. */
export function savedTree(buildText: string, manifest: Buffer): RemoteTree | undefined {
  const build = parseBuildRecord(Buffer.from(buildText));
  return typeof build === 'string' ? undefined : treeOf(build, buildText, manifest);
}

/** Returns the tree in a version of the site. */
export function treeInVersion({ files, build, digests }: VerifiedTree): RemoteTree {
  return { build, buildText: files.read(BUILD_RECORD).toString(), manifest: files.read(MANIFEST), digests };
}

function treeOf(build: BuildRecord, buildText: string, manifest: Buffer): RemoteTree {
  return { build, buildText, manifest, digests: readManifest(piecesIn(manifest), layoutOf(build)) };
}

/**
 * Returns the pages of each collection that differ between two trees; undefined if the number of items differs. Then
 * every page differs, because each has the `count`, and a walk reads fewer pages.
 */
export function changedPages(before: RemoteTree | undefined, now: RemoteTree | undefined): ChangedPages {
  const changed = (collection: Collection): readonly number[] | undefined => {
    if (before === undefined || now === undefined || isRepaginated(before.build, now.build, collection)) return undefined;
    const numbers = Array.from({ length: now.digests.pages[collection] }, (_, index) => index + 1);
    return numbers.filter((number) => !now.digests.equals(before.digests, pagePath(collection, number)));
  };
  return { [COLLECTIONS[0]]: changed('data'), [COLLECTIONS[1]]: changed('account') };
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
