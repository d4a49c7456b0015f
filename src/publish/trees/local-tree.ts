import { createHash, hash } from 'node:crypto';
import { closeSync, readFileSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { COLLECTIONS, type Collection } from '../../contract/collection.ts';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord } from '../../tree/build-record.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import { requireTree } from '../../tree/existing-tree.ts';
import { pathOf, slotCount } from '../../tree/layout.ts';
import { digestOf, MANIFEST, manifestDigest, mostLines, readManifest, sortKeysDigest, type TreeDigests } from '../../tree/manifest.ts';
import { openRegularFile } from '../../tree/regular-file.ts';
import { SORT_KEYS } from '../../tree/sort-keys.ts';

/** Bytes of the buffer for reading files. */
const CHUNK_BYTES = 1 << 16;
/** The number of files between two yields to the event loop, which delivers signals. */
const YIELD_EVERY = 100;

/** A finished local tree whose files match its manifest. */
export interface LocalTree {
  readonly out: string;
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  /** Bytes of the files, by slot. */
  readonly sizes: { readonly [C in Collection]: Float64Array };
  /** SHA-256 of its sort keys; undefined if an older release wrote the tree without sort keys. */
  readonly sortKeys: string | undefined;
}

/**
 * Opens a tree and reads all of it. A tree that was changed after the build is rejected before the first request.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export async function openTree(out: string, onProgress: (done: number, all: number) => void = () => {}): Promise<LocalTree> {
  const build = requireTree(out);
  if (manifestDigest(out) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'another file, or no file');
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const slots = slotCount(pages.data, encodings) + slotCount(pages.account, encodings);
  const most = mostLines(statSync(join(out, MANIFEST)).size);
  if (slots > most) throw edited(join(out, BUILD_RECORD), undefined, `${slots} files, but the manifest lists at most ${most}`);
  const digests = readManifest(out, pages, encodings);
  const sizes = {
    data: new Float64Array(slotCount(pages.data, encodings)),
    account: new Float64Array(slotCount(pages.account, encodings)),
  };
  const sortKeys = sortKeysDigest(out);
  if (sortKeys !== undefined && digestOf(join(out, SORT_KEYS)) !== sortKeys)
    throw edited(join(out, SORT_KEYS), sortKeys, 'another file, or no file');
  const tree = { out, build, digests, sizes, sortKeys };
  const all = sizes.data.length + sizes.account.length;
  // one buffer and no promises: the garbage of each file would add up before it is collected
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let done = 0;
  for (const collection of COLLECTIONS) {
    for (const slot of sizes[collection].keys()) {
      sizes[collection][slot] = checkPage(tree, collection, slot, buffer);
      done += 1;
      onProgress(done, all);
      if (done % YIELD_EVERY === 0) await setImmediate();
    }
  }
  return tree;
}

/**
 * Reads a file and compares its bytes with the manifest.
 * @throws Failure tree-edited
 */
export async function readPage(tree: LocalTree, collection: Collection, slot: number): Promise<Buffer> {
  const path = fileOf(tree, collection, slot);
  const wanted = tree.digests[collection].get(slot);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, wanted, error);
  });
  const found = hash('sha256', bytes);
  if (found !== wanted) throw edited(path, wanted, found);
  return bytes;
}

/** Does the same as {@link readPage} in chunks, through one buffer. Returns the number of bytes. */
function checkPage(tree: LocalTree, collection: Collection, slot: number, buffer: Buffer): number {
  const path = fileOf(tree, collection, slot);
  const wanted = tree.digests[collection].get(slot);
  const sha256 = createHash('sha256');
  let length = 0;
  try {
    const file = openRegularFile(path);
    try {
      for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
        sha256.update(buffer.subarray(0, read));
        length += read;
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unreadable(path, wanted, error);
  }
  const found = sha256.digest('hex');
  if (found !== wanted) throw edited(path, wanted, found);
  return length;
}

function fileOf({ out, digests }: LocalTree, collection: Collection, slot: number): string {
  const { pages, encodings } = digests[collection];
  return join(out, pathOf(collection, slot, pages, encodings));
}

/** A file beside the pages. */
export interface FileBeside {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns the tree's sort keys, which are sent before its pages; an empty list if the tree has none. */
export function readSortKeysFile({ out, sortKeys }: LocalTree): readonly FileBeside[] {
  if (sortKeys === undefined) return [];
  const bytes = readFileSync(join(out, SORT_KEYS));
  if (hash('sha256', bytes) !== sortKeys) throw edited(join(out, SORT_KEYS), sortKeys, 'other bytes');
  return [{ path: SORT_KEYS, bytes }];
}

/** Reads the files beside the pages: the build record, then the manifest. A build may have begun since the tree was opened. */
export function readBeside({ out, build }: LocalTree): readonly FileBeside[] {
  const manifest = readFileSync(join(out, MANIFEST));
  if (hash('sha256', manifest) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'other bytes');
  return [
    { path: BUILD_RECORD, bytes: Buffer.from(encodeBuildRecord(build)) },
    { path: MANIFEST, bytes: manifest },
  ];
}

function unreadable(file: string, wanted: string | undefined, error: unknown): Failure {
  return edited(file, wanted, error instanceof Error ? error.message : String(error));
}

function edited(file: string, wanted: string | undefined, found: string): Failure {
  return new Failure('tree-edited', `${file} differs from what the build wrote`, {
    place: { file },
    expected: `the bytes with the SHA-256 ${wanted ?? 'that the manifest gives'}`,
    found,
    hint: hint`run ${suggested('build', { '--repair': true })}, then publish again`,
  });
}
