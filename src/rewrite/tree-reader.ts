import { chunkPath, type ReadChunk } from './chunks.ts';
import type { Head } from './compose.ts';
import type { ReadFile } from './respond.ts';
import type { ReadHead } from './respond-composed.ts';

/** Reads `head.json` with every call, so that no reader goes back to an older state. Parses it only if its text changed. */
export function headReader(read: ReadFile): ReadHead {
  let known: { readonly text: string; readonly head: Head | undefined } = { text: '', head: undefined };
  return async () => {
    const bytes = await read('head.json');
    if (bytes === undefined) return undefined;
    const text = new TextDecoder().decode(bytes);
    if (text !== known.text) known = { text, head: JSON.parse(text) };
    return known.head;
  };
}

/** Reads chunks. Rejects if a chunk does not exist. */
export function chunkReader(read: ReadFile): ReadChunk {
  return async (hash) => {
    const bytes = await read(chunkPath(hash));
    if (bytes === undefined) throw new Error(`there is no ${chunkPath(hash)}`);
    return bytes;
  };
}

/**
 * Keeps the chunks that were used last in memory. A chunk never changes, so a kept chunk is always right.
 * @param most the number of bytes to keep
 */
export function keepChunks(read: ReadChunk, most: number): ReadChunk {
  const kept = new Map<string, Uint8Array>();
  let size = 0;
  return async (hash) => {
    const known = kept.get(hash);
    const bytes = known ?? (await read(hash));
    if (kept.delete(hash)) size -= bytes.length;
    kept.set(hash, bytes);
    size += bytes.length;
    // a map iterates in the order of insertion
    for (const [oldest, { length }] of kept) {
      if (size <= most) break;
      kept.delete(oldest);
      size -= length;
    }
    return bytes;
  };
}
