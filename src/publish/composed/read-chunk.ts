import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { ChunkReader, DamagedChunk } from '../../composed/chunk-folder.ts';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { chunkPath } from '../../rewrite/chunks.ts';
import type { Remote } from '../../storage/remote.ts';
import type { ReadChecked } from './tree-difference.ts';

/** Returns a function that reads chunks of a local tree. @throws Failure tree-edited */
export function readFrom(out: string): ReadChecked {
  const chunks = new ChunkReader(out);
  return async (hash) => {
    try {
      return chunks.read(hash);
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      throw new Failure('tree-edited', `${join(out, error.path)} differs from what the build wrote`, {
        place: { file: join(out, error.path) },
        expected: 'bytes with the SHA-256 in the name of the file',
        found: error.message,
        hint: hint`run ${suggested('build', { '--layout': 'composed', '--repair': true })} with the store of this tree, then publish again`,
        cause: error,
      });
    }
  };
}

/** Returns a function that reads chunks at a target. @throws Failure target-edited and those of the target */
export function readAt(remote: Remote): ReadChecked {
  return async (hash) => {
    const path = chunkPath(hash);
    const found = await remote.get(path);
    if (found !== undefined && digest('sha256', found.bytes) === hash) return found.bytes;
    throw new Failure('target-edited', `a chunk at ${remote.name} is ${found === undefined ? 'missing' : 'damaged'}`, {
      place: { file: path },
      expected: 'bytes with the SHA-256 in the name of the file',
      found: found === undefined ? 'no such file' : `the SHA-256 is ${digest('sha256', found.bytes)}`,
      hint: hint`publish with --repair from the folder of the tree, or run ${suggested('build', { '--layout': 'composed', '--repair': true })} first if the folder lacks it too`,
    });
  };
}

/** Returns a function that reads chunks of a local tree, and the others at a target. */
export function readEither(out: string, remote: Remote): ReadChecked {
  const [local, remoteRead] = [new ChunkReader(out), readAt(remote)];
  return async (hash) => {
    try {
      return local.read(hash);
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      return await remoteRead(hash);
    }
  };
}
