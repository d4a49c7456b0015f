import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { sha256 } from '../contract/sha256.ts';
import { type BrowseListing, linesOfTree, listBrowseFiles, NO_BROWSE } from './browse-lines.ts';
import { BUILD_RECORD, type BuildRecord } from './build-record.ts';
import { encodingsIn } from './encoding.ts';
import { openFinishedTree } from './existing-tree.ts';
import { pathOf, slotCount } from './layout.ts';
import { digestIn, MANIFEST, manifestDigests, mostLines, readManifest, type TreeDigests } from './manifest.ts';
import type { ManifestLine } from './manifest-line.ts';
import { SORT_KEYS } from './sort-keys.ts';
import type { TreeFiles } from './tree-files.ts';

/** A finished tree with its manifest, which is the one that the build wrote. */
export interface VerifiedTree {
  readonly out: string;
  /** Its files. Whoever opened the tree closes them. */
  readonly files: TreeFiles;
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  readonly browse: BrowseListing;
  /** SHA-256 of its sort keys. */
  readonly sortKeys: string;
}

/** The parts of a tree from which its pages are read. */
type VerifiedPages = Pick<VerifiedTree, 'files' | 'digests'>;

/**
 * Opens a tree. Checks the manifest and the sort keys, but no pages.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export function openVerified(out: string): VerifiedTree {
  const { files, build } = openFinishedTree(out);
  try {
    return verifiedTree(files, build);
  } catch (error) {
    files.close();
    throw error;
  }
}

function verifiedTree(files: TreeFiles, build: BuildRecord): VerifiedTree {
  const { out } = files;
  const found = manifestDigests(files);
  if (found?.manifest !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'another file, or no file');
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const slots = slotCount(pages.data, encodings) + slotCount(pages.account, encodings) + (build.browse_files ?? 0);
  const most = mostLines(files.size(MANIFEST) ?? 0);
  if (slots > most) throw edited(join(out, BUILD_RECORD), undefined, `${slots} files, but the manifest lists at most ${most}`);
  const digests = readManifest(files, pages, encodings);
  const { sortKeys } = found;
  if (digestIn(files, SORT_KEYS) !== sortKeys) throw edited(join(out, SORT_KEYS), sortKeys, 'another file, or no file');
  const browse = build.browse_files === undefined ? NO_BROWSE : listBrowseFiles(linesOfTree(files, MANIFEST));
  return { out, files, build, digests, browse, sortKeys };
}

/**
 * Reads a page and compares its bytes with the manifest.
 * @throws Failure tree-edited
 */
export async function readVerified(tree: VerifiedPages, collection: Collection, slot: number): Promise<Buffer> {
  return await readVerifiedFile(tree, pageLine(tree, collection, slot));
}

/**
 * Like {@link readVerified}, for a file by its line in the manifest.
 * @throws Failure tree-edited
 */
export async function readVerifiedFile({ files }: Pick<VerifiedTree, 'files'>, { path, digest }: WantedFile): Promise<Buffer> {
  const bytes = await files.readLater(path).catch((error: unknown) => {
    throw unreadable(join(files.out, path), digest, error);
  });
  return checked(join(files.out, path), bytes, digest, await sha256(bytes));
}

/**
 * Like {@link readVerified}, but blocks. For many small files this takes less processor time.
 * @throws Failure tree-edited
 */
export function readVerifiedSync(tree: VerifiedPages, collection: Collection, slot: number): Buffer {
  return readVerifiedFileSync(tree, pageLine(tree, collection, slot));
}

/**
 * Like {@link readVerifiedFile}, but blocks.
 * @throws Failure tree-edited
 */
export function readVerifiedFileSync({ files }: Pick<VerifiedTree, 'files'>, { path, digest }: WantedFile): Buffer {
  let bytes: Buffer;
  try {
    bytes = files.read(path);
  } catch (error) {
    throw unreadable(join(files.out, path), digest, error);
  }
  return checked(join(files.out, path), bytes, digest, hash('sha256', bytes));
}

/** A file, and the digest that the manifest lists. */
interface WantedFile extends Pick<ManifestLine, 'path'> {
  readonly digest: string | undefined;
}

function pageLine({ digests }: VerifiedPages, collection: Collection, slot: number): WantedFile {
  const { pages, encodings } = digests[collection];
  return { path: pathOf(collection, slot, pages, encodings), digest: digests[collection].get(slot) };
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
