import type { Chunk, ItemRun, PutChunk } from '../../src/composed/chunk.ts';
import type { Chunks } from '../../src/composed/chunk-folder.ts';
import { type Key, type Node, parseNode } from '../../src/rewrite/chunks.ts';

/** Chunks in memory, by their hashes. */
export class MemoryChunks implements Chunks {
  readonly found = new Map<string, Buffer>();

  readonly put: PutChunk = ({ hash, pieces }: Chunk) => {
    this.found.set(hash, Buffer.concat(pieces));
  };

  read(hash: string): Buffer {
    const bytes = this.found.get(hash);
    if (bytes === undefined) throw new Error(`no chunk ${hash}`);
    return bytes;
  }

  node(hash: string): Node {
    return parseNode(this.read(hash));
  }
}

/** An item of a test: its key, and its text, which is a JSON string. */
export interface TestItem {
  readonly key: Key;
  readonly text: string;
}

/** Makes runs of several items. */
export function* runsOf(items: readonly TestItem[], size: number): Generator<ItemRun> {
  for (let at = 0; at < items.length; at += size) {
    const run = items.slice(at, at + size);
    yield {
      keys: run.map(({ key }) => key),
      lengths: run.map(({ text }) => Buffer.byteLength(text)),
      json: Buffer.from(run.map(({ text }) => text).join(',')),
    };
  }
}
