import { hash as digest } from 'node:crypto';
import type { Chunk } from '../../composed/chunk.ts';
import { CHUNK_CACHE_CONTROL, chunkPath } from '../../rewrite/chunks.ts';
import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import type { Upload } from '../../storage/target.ts';
import { supportsConditions, unconditional } from './probe.ts';
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
  refs: AsyncIterable<ChunkRef>,
  { remote, concurrency, repair, read, onSent }: ChunkTransfer,
): Promise<number> {
  let sent = 0;
  await forEachLimit(refs, concurrency, async ({ hash }) => {
    if (repair && (await isIntact(remote, hash))) return;
    const bytes = await read(hash);
    await remote.put(chunkPath(hash), chunkUpload(hash, bytes));
    sent += 1;
    onSent(bytes.length);
  });
  return sent;
}

/**
 * Sends the chunks of the log, the root first: it shows whether the store supports conditional writes.
 * @returns whether it does
 * @throws Failure no-conditional-writes if it does not, and there may be several publishers
 */
export async function sendLog(
  remote: Remote,
  root: string,
  chunks: readonly Chunk[],
  { concurrency, isSinglePublisher }: { readonly concurrency: number; readonly isSinglePublisher: boolean },
): Promise<boolean> {
  const [first, ...rest] = [...chunks.filter(({ hash }) => hash === root), ...chunks.filter(({ hash }) => hash !== root)];
  if (first === undefined) throw new Error('a log without its root');
  const upload = chunkUpload(first.hash, Buffer.concat(first.pieces));
  await remote.put(chunkPath(root), upload);
  const isConditional = await supportsConditions(remote, chunkPath(root), upload);
  if (!isConditional && !isSinglePublisher) throw unconditional(remote);
  await forEachLimit(rest, concurrency, async ({ hash, pieces }) => {
    await remote.put(chunkPath(hash), chunkUpload(hash, Buffer.concat(pieces)));
  });
  return isConditional;
}

async function isIntact(remote: Remote, hash: string): Promise<boolean> {
  const found = await remote.get(chunkPath(hash));
  return found !== undefined && digest('sha256', found.bytes) === hash;
}

function chunkUpload(hash: string, bytes: Buffer): Upload {
  return { bytes, headers: CHUNK_HEADERS, digest: hash };
}
