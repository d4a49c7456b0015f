import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { ChunkReader, DamagedChunk } from '../../composed/chunk-folder.ts';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { chunkPath } from '../../rewrite/chunks.ts';
import type { Remote } from '../../storage/remote.ts';
import type { ReadChecked, ReadIntact } from './tree-difference.ts';

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

/**
 * Returns a function that reads chunks of a local tree, and those that it does not have at a target.
 * @throws Failure tree-edited if a chunk of the tree is damaged, target-edited and those of the target
 */
export function readEither(out: string, remote: Remote): ReadChecked {
  const [local, readRemote] = [new ChunkReader(out), readAt(remote)];
  return async (hash) => {
    const read = readLocal(local, hash);
    if (!(read instanceof DamagedChunk)) return read;
    if (read.found !== undefined) throw edited(out, read);
    return await readRemote(hash);
  };
}

/** Returns a function that reads chunks of a local tree, and those that it does not have intact at a target. */
export function readIfIntact(out: string, remote: Remote): ReadIntact {
  const [local, readRemote] = [new ChunkReader(out), readAt(remote)];
  return async (hash) => {
    const read = readLocal(local, hash);
    if (!(read instanceof DamagedChunk)) return read;
    try {
      return await readRemote(hash);
    } catch (error) {
      if (isEdited(error)) return undefined;
      throw error;
    }
  };
}

/** Returns the bytes of a chunk of a local tree, or the error if the chunk is missing or damaged. */
function readLocal(local: ChunkReader, hash: string): Buffer | DamagedChunk {
  try {
    return local.read(hash);
  } catch (error) {
    if (error instanceof DamagedChunk) return error;
    throw error;
  }
}

/** Whether an error says that a chunk is missing or damaged. */
export function isEdited(error: unknown): boolean {
  return error instanceof Failure && (error.code === 'target-edited' || error.code === 'tree-edited');
}

function edited(out: string, cause: DamagedChunk): Failure {
  const path = join(out, cause.path);
  return new Failure('tree-edited', `${path} differs from what the build wrote`, {
    place: { file: path },
    expected: 'bytes with the SHA-256 in the name of the file',
    found: cause.message,
    hint: hint`run ${suggested('build', { '--layout': 'composed', '--repair': true })} with the store of this tree, then publish again`,
    cause,
  });
}
