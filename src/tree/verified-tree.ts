import { hash } from 'node:crypto';
import { join } from 'node:path';
import { convertErrors, Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord, layoutOf } from './build-record.ts';
import { openFinishedTree } from './existing-tree.ts';
import { listedFiles } from './layout.ts';
import { Digests } from './manifest/digests.ts';
import type { ManifestLine } from './manifest/lines.ts';
import { linesOfTree, listFiles } from './manifest/listing.ts';
import { digestOf, MANIFEST, manifestDigests, manifestLines } from './manifest/manifest.ts';
import { SORT_KEYS } from './sort-keys.ts';
import type { TreeFiles } from './tree-files.ts';

/** A finished tree with its manifest, which is the one that the build wrote. */
export interface VerifiedTree {
  readonly out: string;
  /** Its files. Whoever opened the tree closes them. */
  readonly files: TreeFiles;
  readonly build: BuildRecord;
  readonly digests: Digests;
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
  const all = listedFiles(layout, build);
  const listing = listFiles(linesOfTree(files, MANIFEST));
  if (all !== listing.files) throw edited(join(out, BUILD_RECORD), undefined, `${all} files, but the manifest lists ${listing.files}`);
  const { sortKeys } = found;
  if (digestOf(files.pieces(SORT_KEYS)) !== sortKeys) throw edited(join(out, SORT_KEYS), sortKeys, 'another file, or no file');
  return { out, files, build, digests: new Digests(layout, listing), sortKeys };
}

/**
 * Reads a file and compares its bytes with the manifest.
 * @throws Failure tree-edited
 */
export function readVerified({ files }: Pick<VerifiedTree, 'files'>, { path, digest }: ManifestLine): Buffer {
  const file = join(files.out, path);
  const bytes = convertErrors(
    () => files.read(path),
    (error) => unreadable(file, digest, error),
  );
  const found = hash('sha256', bytes);
  if (found !== digest) throw edited(file, digest, found);
  return bytes;
}

/** Yields the pages and the browse files of a tree, in the order of the manifest. */
export function* filesOf({ files }: VerifiedTree): Generator<ManifestLine> {
  for (const line of manifestLines(files.pieces(MANIFEST))) if (line !== undefined && line.path !== SORT_KEYS) yield line;
}

/** A file beside the pages. */
export interface MetadataFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns the tree's sort keys, which are sent before its pages. */
export function readSortKeysFile(tree: VerifiedTree): MetadataFile {
  return { path: SORT_KEYS, bytes: readVerified(tree, { path: SORT_KEYS, digest: tree.sortKeys }) };
}

/** Reads the files beside the pages: the build record, then the manifest. A build may have begun since the tree was opened. */
export function readMetadata(tree: VerifiedTree): readonly MetadataFile[] {
  const { build } = tree;
  return [
    { path: BUILD_RECORD, bytes: Buffer.from(encodeBuildRecord(build)) },
    { path: MANIFEST, bytes: readVerified(tree, { path: MANIFEST, digest: build.manifest }) },
  ];
}

/** Returns the failure for a file of the tree that cannot be read. */
export function unreadable(file: string, wanted: string | undefined, error: unknown): Failure {
  return edited(file, wanted, error instanceof Error ? error.message : String(error));
}

/** Returns the failure for a file that differs from the manifest. */
export function edited(file: string, wanted: string | undefined, found: string): Failure {
  return new Failure('tree-edited', `${file} differs from what the build wrote`, {
    place: { file },
    expected: `the bytes with the SHA-256 ${wanted || 'that the manifest gives'}`,
    found,
    hint: hint`run ${suggested('build', { '--repair': true, '--store': 'FILE' })} with the store of this tree, then run this command again`,
  });
}
