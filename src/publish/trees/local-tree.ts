import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { listedFiles } from '../../tree/layout.ts';
import { piecesOf } from '../../tree/manifest/lines.ts';
import { edited, filesOf, openVerified, unreadable, type VerifiedTree } from '../../tree/verified-tree.ts';

/** Bytes of the buffer for reading files. */
const CHUNK_BYTES = 1 << 16;
/** The number of files between two yields to the event loop, which delivers signals. */
const YIELD_EVERY = 100;

/**
 * Opens a tree and reads all of it. A tree that was changed after the build is rejected before the first request.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export async function openTree(out: string, onProgress: (done: number, all: number) => void = () => {}): Promise<VerifiedTree> {
  const tree = openVerified(out);
  const all = listedFiles(tree.digests, tree.build);
  // one buffer and no promises: the garbage of each file would add up before it is collected
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let done = 0;
  for (const { path, digest } of filesOf(tree)) {
    checkFile(join(out, path), digest, buffer);
    done += 1;
    onProgress(done, all);
    if (done % YIELD_EVERY === 0) await setImmediate();
  }
  return tree;
}

/** Compares a file with the manifest in chunks, through one buffer. */
function checkFile(path: string, wanted: string | undefined, buffer: Buffer): void {
  const sha256 = createHash('sha256');
  try {
    for (const piece of piecesOf(path, buffer)) sha256.update(piece);
  } catch (error) {
    throw unreadable(path, wanted, error);
  }
  const found = sha256.digest('hex');
  if (found !== wanted) throw edited(path, wanted, found);
}
