import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoundaryRule } from '../../src/composed/boundaries.ts';
import { leavesOf } from '../../src/composed/chunker.ts';
import { feedLeafOf, leavesBelow } from '../../src/composed/leaf-list.ts';
import { treeOf } from '../../src/composed/nodes.ts';
import { rechunk } from '../../src/composed/rechunk.ts';
import { itemsBelow } from '../../src/rewrite/chunks.ts';
import { MemoryChunks, runsOf, type TestItem } from './chunks-in-memory.ts';

/** Small leaves, so that a few hundred items need many. */
const RULE: BoundaryRule = { distance: 4, unitBytes: 20 };

const texts = fc.oneof(
  { weight: 5, arbitrary: fc.constant('"text"') },
  { weight: 1, arbitrary: fc.string({ maxLength: 90 }).map((text) => JSON.stringify(text)) },
);
/** Sets of items by id. */
const sets = fc.dictionary(fc.nat({ max: 2000 }).map(String), texts, { maxKeys: 300, size: 'max' });
/** The changes of one night: a text adds or changes an item, null removes it. */
const nights = fc.array(fc.dictionary(fc.nat({ max: 2000 }).map(String), fc.option(texts), { maxKeys: 12 }), { maxLength: 6 });

function feedOf(set: ReadonlyMap<number, string>): TestItem[] {
  return [...set].sort(([a], [b]) => b - a).map(([key, text]) => ({ key, text }));
}

function build(items: readonly TestItem[], chunks: MemoryChunks, run = 7) {
  return treeOf(leavesOf(RULE, runsOf(items, run), chunks.put), chunks.put);
}

describe('a content-defined tree', () => {
  it('is the same after any nights as if all its items were new', () => {
    fc.assert(
      fc.property(sets, nights, fc.integer({ min: 1, max: 30 }), (start, changes, run) => {
        const set = new Map(Object.entries(start).map(([key, text]) => [Number(key), text]));
        const chunks = new MemoryChunks();
        let tree = build(feedOf(set), chunks, run);
        for (const night of changes) {
          for (const [key, text] of Object.entries(night)) {
            if (text === null) set.delete(Number(key));
            else set.set(Number(key), text);
          }
          const items = feedOf(set);
          const leaves = leavesBelow(tree.node, chunks);
          const edited = [...new Set(Object.keys(night).map((key) => feedLeafOf(leaves, Number(key))))].sort((a, b) => a - b);
          const present = (after: unknown, upTo: unknown) =>
            runsOf(
              items.filter(
                ({ key }) => (after === undefined || Number(key) < Number(after)) && (upTo === undefined || Number(key) >= Number(upTo)),
              ),
              run,
            );
          tree =
            leaves.length === 0 ? build(items, chunks) : treeOf(rechunk(RULE, leaves, edited, present, chunks, chunks.put), chunks.put);
          const fresh = new MemoryChunks();
          expect(tree).toEqual(build(items, fresh));
          for (const [hash, bytes] of fresh.found) expect(chunks.found.get(hash)?.equals(bytes)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('returns any range of its items, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(sets, fc.nat({ max: 300 }), fc.integer({ min: 1, max: 120 }), async (start, from, size) => {
        const items = feedOf(new Map(Object.entries(start).map(([key, text]) => [Number(key), text])));
        const chunks = new MemoryChunks();
        const { node } = build(items, chunks);
        const to = Math.min(items.length, from + size);
        const parts = from >= to ? [] : await itemsBelow(node, from, to, async (hash) => chunks.read(hash));
        expect(parts.map((part) => Buffer.from(part).toString()).join(',')).toBe(
          items
            .slice(from, to)
            .map(({ text }) => text)
            .join(','),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('has several levels, and a page in the first leaf of the next node does not read that node', async () => {
    const items = feedOf(new Map(Array.from({ length: 30_000 }, (_, id) => [id, '"text"'])));
    const chunks = new MemoryChunks();
    const { node, count } = build(items, chunks, 1000);
    expect(count).toBe(30_000);
    expect(node.level).toBe(2);
    let most = 0;
    for (let from = 0; from < 30_000; from += 4) {
      const read: string[] = [];
      const parts = await itemsBelow(node, from, from + 4, async (hash) => {
        read.push(hash);
        return chunks.read(hash);
      });
      expect(parts.map((part) => Buffer.from(part).toString()).join(',')).toBe('"text","text","text","text"');
      most = Math.max(most, read.length);
    }
    // a node and two leaves
    expect(most).toBe(3);
  });
});
