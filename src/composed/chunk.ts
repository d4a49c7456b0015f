import { createHash } from 'node:crypto';
import type { Key, Node } from '../rewrite/chunks.ts';

/** An immutable file of the composed layout. */
export interface Chunk {
  /** The SHA-256 of its bytes, in hexadecimal digits. */
  readonly hash: string;
  /** The bytes, in consecutive pieces. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
}

/** Receives the chunks of a tree. */
export type PutChunk = (chunk: Chunk) => void;

/** Consecutive items of a collection. */
export interface ItemRun {
  readonly keys: readonly Key[];
  /** The lengths of the items in bytes. */
  readonly lengths: readonly number[];
  /** The items, separated by commas. */
  readonly json: Buffer;
}

function chunkOf(pieces: readonly Uint8Array[]): Chunk {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { hash: hash.digest('hex'), pieces, bytes };
}

/**
 * Encodes a leaf.
 * @param json the items with the commas between them, in consecutive pieces
 */
export function encodeLeaf(keys: readonly Key[], lengths: readonly number[], json: readonly Uint8Array[]): Chunk {
  return chunkOf([Buffer.from(`${JSON.stringify({ keys, lengths })}\n`), ...json]);
}

export function encodeNode(node: Node): Chunk {
  return chunkOf([Buffer.from(JSON.stringify(node))]);
}
