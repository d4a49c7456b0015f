import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { sha256 } from '../contract/sha256.ts';
import { type BrowseListing, linesOfFile, listBrowseFiles, NO_BROWSE } from './browse-lines.ts';
import { BUILD_RECORD, type BuildRecord } from './build-record.ts';
import { encodingsIn } from './encoding.ts';
import { requireTree } from './existing-tree.ts';
import { pathOf, slotCount } from './layout.ts';
import { digestOf, MANIFEST, manifestDigest, mostLines, readManifest, sortKeysDigest, type TreeDigests } from './manifest.ts';
import type { ManifestLine } from './manifest-line.ts';
import { readRegularFile, WITHOUT_WAITING } from './regular-file.ts';
import { SORT_KEYS } from './sort-keys.ts';

/** A finished tree with its manifest, which is the one that the build wrote. */
export interface VerifiedTree {
  readonly out: string;
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  readonly browse: BrowseListing;
  /** SHA-256 of its sort keys; undefined if an older release wrote the tree without sort keys. */
  readonly sortKeys: string | undefined;
}

/**
 * Opens a tree. Checks the manifest and the sort keys, but no pages.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export function openVerified(out: string): VerifiedTree {
  const build = requireTree(out);
  if (manifestDigest(out) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'another file, or no file');
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const slots = slotCount(pages.data, encodings) + slotCount(pages.account, encodings) + (build.browse_files ?? 0);
  const most = mostLines(statSync(join(out, MANIFEST)).size);
  if (slots > most) throw edited(join(out, BUILD_RECORD), undefined, `${slots} files, but the manifest lists at most ${most}`);
  const digests = readManifest(out, pages, encodings);
  const sortKeys = sortKeysDigest(out);
  if (sortKeys !== undefined && digestOf(join(out, SORT_KEYS)) !== sortKeys)
    throw edited(join(out, SORT_KEYS), sortKeys, 'another file, or no file');
  const browse = build.browse_files === undefined ? NO_BROWSE : listBrowseFiles(linesOfFile(join(out, MANIFEST)));
  return { out, build, digests, browse, sortKeys };
}

/**
 * Reads a file and compares its bytes with the manifest.
 * @throws Failure tree-edited
 */
export async function readVerified(tree: VerifiedTree, collection: Collection, slot: number): Promise<Buffer> {
  return await readIf(fileOf(tree, collection, slot), tree.digests[collection].get(slot));
}

/**
 * Like {@link readVerified}, for a browse file.
 * @throws Failure tree-edited
 */
export async function readVerifiedBrowse({ out }: VerifiedTree, { path, digest }: ManifestLine): Promise<Buffer> {
  return await readIf(join(out, path), digest);
}

/**
 * Like {@link readVerified}, but blocks. For many small files this takes less processor time.
 * @throws Failure tree-edited
 */
export function readVerifiedSync(tree: Pick<VerifiedTree, 'out' | 'digests'>, collection: Collection, slot: number): Buffer {
  return readIfSync(fileOf(tree, collection, slot), tree.digests[collection].get(slot));
}

/**
 * Like {@link readVerifiedBrowse}, but blocks.
 * @throws Failure tree-edited
 */
export function readVerifiedBrowseSync({ out }: Pick<VerifiedTree, 'out'>, { path, digest }: ManifestLine): Buffer {
  return readIfSync(join(out, path), digest);
}

async function readIf(path: string, wanted: string | undefined): Promise<Buffer> {
  const bytes = await readFile(path, { flag: WITHOUT_WAITING }).catch((error: unknown) => {
    throw unreadable(path, wanted, error);
  });
  return checked(path, bytes, wanted, await sha256(bytes));
}

function readIfSync(path: string, wanted: string | undefined): Buffer {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path);
  } catch (error) {
    throw unreadable(path, wanted, error);
  }
  return checked(path, bytes, wanted, hash('sha256', bytes));
}

/** @throws Failure tree-edited if the digest is not the wanted one */
function checked(path: string, bytes: Buffer, wanted: string | undefined, found: string): Buffer {
  if (found !== wanted) throw edited(path, wanted, found);
  return bytes;
}

/** Returns the path of a slot's file. */
export function fileOf({ out, digests }: Pick<VerifiedTree, 'out' | 'digests'>, collection: Collection, slot: number): string {
  const { pages, encodings } = digests[collection];
  return join(out, pathOf(collection, slot, pages, encodings));
}

/** Returns the failure for a file of the tree that cannot be read. */
export function unreadable(file: string, wanted: string | undefined, error: unknown): Failure {
  return edited(file, wanted, error instanceof Error ? error.message : String(error));
}

/** Returns the failure for a file that differs from the manifest. */
export function edited(file: string, wanted: string | undefined, found: string): Failure {
  return new Failure('tree-edited', `${file} differs from what the build wrote`, {
    place: { file },
    expected: `the bytes with the SHA-256 ${wanted ?? 'that the manifest gives'}`,
    found,
    hint: hint`run ${suggested('build', { '--repair': true, '--store': 'FILE' })} with the store of this tree, then run this command again`,
  });
}
