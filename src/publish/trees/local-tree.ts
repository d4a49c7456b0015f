import { createHash, hash } from 'node:crypto';
import { closeSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { COLLECTIONS, type Collection } from '../../contract/collection.ts';
import { allBrowseLines } from '../../tree/browse-lines.ts';
import { BUILD_RECORD, encodeBuildRecord } from '../../tree/build-record.ts';
import { slotCount } from '../../tree/layout.ts';
import { MANIFEST } from '../../tree/manifest.ts';
import { openRegularFile } from '../../tree/regular-file.ts';
import { SORT_KEYS } from '../../tree/sort-keys.ts';
import { edited, fileOf, openVerified, unreadable, type VerifiedTree } from '../../tree/verified-tree.ts';

/** Bytes of the buffer for reading files. */
const CHUNK_BYTES = 1 << 16;
/** The number of files between two yields to the event loop, which delivers signals. */
const YIELD_EVERY = 100;

/** A finished local tree whose files match its manifest. */
export interface LocalTree extends VerifiedTree {
  /** Bytes of the files, by slot. */
  readonly sizes: { readonly [C in Collection]: Float64Array };
  /** Bytes of the browse files, in the order of their lines. */
  readonly browseSizes: Float64Array;
}

/**
 * Opens a tree and reads all of it. A tree that was changed after the build is rejected before the first request.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export async function openTree(out: string, onProgress: (done: number, all: number) => void = () => {}): Promise<LocalTree> {
  const verified = openVerified(out);
  const { data, account } = verified.digests;
  const sizes = {
    data: new Float64Array(slotCount(data.pages, data.encodings)),
    account: new Float64Array(slotCount(account.pages, account.encodings)),
  };
  const browseSizes = new Float64Array(verified.build.browse_files ?? 0);
  const tree = { ...verified, sizes, browseSizes };
  const all = sizes.data.length + sizes.account.length + browseSizes.length;
  // one buffer and no promises: the garbage of each file would add up before it is collected
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let done = 0;
  const step = () => {
    done += 1;
    onProgress(done, all);
    return done % YIELD_EVERY === 0 ? setImmediate() : undefined;
  };
  for (const collection of COLLECTIONS) {
    for (const slot of sizes[collection].keys()) {
      sizes[collection][slot] = checkFile(fileOf(tree, collection, slot), tree.digests[collection].get(slot), buffer);
      await step();
    }
  }
  let browsed = 0;
  for (const { path, digest } of allBrowseLines(tree.browse)) {
    browseSizes[browsed] = checkFile(join(out, path), digest, buffer);
    browsed += 1;
    await step();
  }
  return tree;
}

/** Compares a file with the manifest in chunks, through one buffer. Returns the number of bytes. */
function checkFile(path: string, wanted: string | undefined, buffer: Buffer): number {
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

/** A file beside the pages. */
export interface MetadataFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns the tree's sort keys, which are sent before its pages. */
export function readSortKeysFile({ out, sortKeys }: LocalTree): MetadataFile {
  const bytes = readFileSync(join(out, SORT_KEYS));
  if (hash('sha256', bytes) !== sortKeys) throw edited(join(out, SORT_KEYS), sortKeys, 'other bytes');
  return { path: SORT_KEYS, bytes };
}

/** Reads the files beside the pages: the build record, then the manifest. A build may have begun since the tree was opened. */
export function readMetadata({ out, build }: LocalTree): readonly MetadataFile[] {
  const manifest = readFileSync(join(out, MANIFEST));
  if (hash('sha256', manifest) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'other bytes');
  return [
    { path: BUILD_RECORD, bytes: Buffer.from(encodeBuildRecord(build)) },
    { path: MANIFEST, bytes: manifest },
  ];
}
