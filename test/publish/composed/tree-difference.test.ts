import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk, PutChunk } from '../../../src/composed/chunk.ts';
import { treeOf } from '../../../src/composed/nodes.ts';
import { chunksBeyond, reachableFrom } from '../../../src/publish/composed/tree-difference.ts';
import type { Child } from '../../../src/rewrite/chunks.ts';

const chunks = new Map<string, Chunk>();
const put: PutChunk = (chunk) => void chunks.set(chunk.hash, chunk);
const read = async (hash: string) => Buffer.concat(chunks.get(hash)?.pieces ?? []);

/** Returns the root of a tree with these leaves. More than 256 leaves need nodes of level 2. */
function rootWith(keys: readonly number[]): string {
  const leaves: Child[] = keys.map((key) => [hash('sha256', String(key)), 1, key, key]);
  return treeOf(leaves, put).root;
}

const ALL = Array.from({ length: 3_000 }, (_, index) => 3_000 - index);
/** All leaves but a few; a few; or any. */
const sets = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 5 }).map((gone) => ALL.filter((key) => !gone.includes(key))),
  fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 5 }),
  fc.integer({ min: 1, max: 3_000 }).map((least) => ALL.filter((key) => key >= least)),
);

describe('chunksBeyond', () => {
  it('yields exactly the chunks that the other tree does not have, with their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(sets, sets, async (keys, others) => {
        const [root, base] = [rootWith(keys), rootWith(others)];
        const found = new Map<string, number>();
        for await (const chunk of chunksBeyond(root, base, { read, readIfIntact: read })) found.set(chunk.hash, chunk.bytes);
        const [all, known] = [await reachableFrom([root], read), await reachableFrom([base], read)];
        expect([...all].filter((one) => !found.has(one) && !known.has(one))).toEqual([]);
        expect([...found.keys()].filter((one) => !all.has(one))).toEqual([]);
        expect([...found].filter(([one, bytes]) => chunks.has(one) && chunks.get(one)?.bytes !== bytes)).toEqual([]);
        const extra = [...found.keys()].filter((one) => known.has(one));
        expect(extra).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('yields at least the chunks that the other tree does not have, although nodes of it are damaged', async () => {
    await fc.assert(
      fc.asyncProperty(sets, sets, fc.nat(), async (keys, others, seed) => {
        const [root, base] = [rootWith(keys), rootWith(others)];
        const isDamaged = (hash: string) => (Number.parseInt(hash.slice(0, 7), 16) + seed) % 3 === 0;
        const readIfIntact = async (hash: string) => (isDamaged(hash) ? undefined : await read(hash));
        const found = new Set<string>();
        for await (const { hash } of chunksBeyond(root, base, { read, readIfIntact })) found.add(hash);
        const [all, known] = [await reachableFrom([root], read), await reachableFrom([base], read)];
        expect([...all].filter((one) => !found.has(one) && !known.has(one))).toEqual([]);
        expect([...found].filter((one) => !all.has(one))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('yields all chunks of a tree without another one, and none of an equal tree', async () => {
    const root = rootWith(ALL);
    const found: string[] = [];
    for await (const { hash } of chunksBeyond(root, undefined, { read, readIfIntact: read })) found.push(hash);
    expect(new Set(found)).toEqual(await reachableFrom([root], read));
    for await (const chunk of chunksBeyond(root, root, { read, readIfIntact: read })) throw new Error(chunk.hash);
  });
});
