import { hash } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { sha256 } from '../contract/files/checksums.ts';
import { hint, suggested } from '../contract/hint.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord, layoutOf } from './build-record.ts';
import { openFinishedTree } from './existing-tree.ts';
import { fileCount } from './layout.ts';
import { allBrowseLines, type BrowseListing, linesOfTree, listBrowseFiles, NO_BROWSE } from './manifest/browse-lines.ts';
import type { DigestEntry, Digests } from './manifest/digests.ts';
import { digestOf, MANIFEST, manifestDigests, mostLines, readManifest } from './manifest/manifest.ts';
import { SORT_KEYS } from './sort-keys.ts';
import type { TreeFiles } from './tree-files.ts';

/** A finished tree with its manifest, which is the one that the build wrote. */
export interface VerifiedTree {
  readonly out: string;
  /** Its files. Whoever opened the tree closes them. */
  readonly files: TreeFiles;
  readonly build: BuildRecord;
  readonly digests: Digests;
  readonly browse: BrowseListing;
  /** SHA-256 of its sort keys. */
  readonly sortKeys: string;
}

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
  const layout = layoutOf(build);
  const all = fileCount(layout) + (build.browse_files ?? 0);
  const most = mostLines(files.size(MANIFEST) ?? 0);
  if (all > most) throw edited(join(out, BUILD_RECORD), undefined, `${all} files, but the manifest lists at most ${most}`);
  const digests = readManifest(files.pieces(MANIFEST), layout);
  const { sortKeys } = found;
  if (digestOf(files.pieces(SORT_KEYS)) !== sortKeys) throw edited(join(out, SORT_KEYS), sortKeys, 'another file, or no file');
  const browse = build.browse_files === undefined ? NO_BROWSE : listBrowseFiles(linesOfTree(files, MANIFEST));
  return { out, files, build, digests, browse, sortKeys };
}

/**
 * Reads a file and compares its bytes with the manifest.
 * @throws Failure tree-edited
 */
export async function readVerified({ files }: Pick<VerifiedTree, 'files'>, entry: DigestEntry): Promise<Buffer> {
  const bytes = readEntry(files, entry);
  return checked(join(files.out, entry.path), bytes, entry.digest, await sha256(bytes));
}

/**
 * Like {@link readVerified}, but hashes on this thread. For many small files this takes less processor time.
 * @throws Failure tree-edited
 */
export function readVerifiedSync({ files }: Pick<VerifiedTree, 'files'>, entry: DigestEntry): Buffer {
  const bytes = readEntry(files, entry);
  return checked(join(files.out, entry.path), bytes, entry.digest, hash('sha256', bytes));
}

function readEntry(files: TreeFiles, { path, digest }: DigestEntry): Buffer {
  try {
    return files.read(path);
  } catch (error) {
    throw unreadable(join(files.out, path), digest, error);
  }
}

/** Yields the pages and the browse files of a tree. */
export function* filesOf({ digests, browse }: VerifiedTree): Generator<DigestEntry> {
  yield* digests.entries();
  yield* allBrowseLines(browse);
}

/** A file beside the pages. */
export interface MetadataFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns the tree's sort keys, which are sent before its pages. */
export function readSortKeysFile(tree: VerifiedTree): MetadataFile {
  return { path: SORT_KEYS, bytes: readVerifiedSync(tree, { path: SORT_KEYS, digest: tree.sortKeys }) };
}

/** Reads the files beside the pages: the build record, then the manifest. A build may have begun since the tree was opened. */
export function readMetadata(tree: VerifiedTree): readonly MetadataFile[] {
  const { build } = tree;
  return [
    { path: BUILD_RECORD, bytes: Buffer.from(encodeBuildRecord(build)) },
    { path: MANIFEST, bytes: readVerifiedSync(tree, { path: MANIFEST, digest: build.manifest }) },
  ];
}

/** @throws Failure tree-edited if the digest is not the wanted one */
function checked(path: string, bytes: Buffer, wanted: string | undefined, found: string): Buffer {
  if (found !== wanted) throw edited(path, wanted, found);
  return bytes;
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
