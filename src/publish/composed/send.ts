import { hash as digest } from 'node:crypto';
import type { Chunk } from '../../composed/chunk.ts';
import { CHUNK_CACHE_CONTROL, chunkPath } from '../../rewrite/chunks.ts';
import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import type { ChunkRef, ReadChecked } from './tree-difference.ts';

/** The bytes of a chunk never change, so every cache may keep it for ever. */
const CHUNK_HEADERS = {
  contentType: 'application/octet-stream',
  cacheControl: CHUNK_CACHE_CONTROL,
  contentEncoding: '',
};

/** How chunks are sent. */
export interface ChunkTransfer {
  readonly remote: Remote;
  readonly concurrency: number;
  /** Whether to read each chunk at the target first, and to send only those that differ. */
  readonly repair: boolean;
  readonly read: ReadChecked;
  /** Called with the bytes of each chunk that was sent. */
  readonly onSent: (bytes: number) => void;
}

/** Sends chunks in any order. Returns how many were sent. */
export async function sendChunks(
  refs: Iterable<Pick<ChunkRef, 'hash'>> | AsyncIterable<Pick<ChunkRef, 'hash'>>,
  { remote, concurrency, repair, read, onSent }: ChunkTransfer,
): Promise<number> {
  let sent = 0;
  await forEachLimit(refs, concurrency, async ({ hash }) => {
    if (repair && (await isIntact(remote, hash))) return;
    const bytes = await read(hash);
    await remote.put(chunkPath(hash), { bytes, headers: CHUNK_HEADERS, digest: hash });
    sent += 1;
    onSent(bytes.length);
  });
  return sent;
}

/** Returns a function that reads chunks that are in memory, and all others with another function. */
export function readPlanned(chunks: readonly Chunk[], read: ReadChecked): ReadChecked {
  const planned = new Map(chunks.map((chunk) => [chunk.hash, chunk]));
  return async (hash) => {
    const chunk = planned.get(hash);
    return chunk === undefined ? await read(hash) : Buffer.concat(chunk.pieces);
  };
}

async function isIntact(remote: Remote, hash: string): Promise<boolean> {
  const found = await remote.get(chunkPath(hash));
  return found !== undefined && digest('sha256', found.bytes) === hash;
}
