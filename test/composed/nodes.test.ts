import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNodes, treeOf } from '../../src/composed/nodes.ts';
import type { Child } from '../../src/rewrite/chunks.ts';
import { MemoryChunks } from './chunks-in-memory.ts';

/** Leaves that numbers name. */
function leavesOf(names: readonly number[]): Child[] {
  return names.map((name) => [hash('sha256', `leaf ${name}`), 1 + (name % 3), 100 + name, name]);
}

/** One place where a night changes the leaves: how many it replaces, and by how many. */
const edit = fc.record({ place: fc.double({ min: 0, max: 1, noNaN: true }), removed: fc.nat({ max: 40 }), added: fc.nat({ max: 40 }) });

describe('the nodes of a tree', () => {
  it('are the same if those of an earlier tree are taken where no change is near', () => {
    let reused = 0;
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 3000 }), fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 4 }), (size, nights) => {
        let names = Array.from({ length: size }, (_, index) => index);
        const chunks = new MemoryChunks();
        let tree = treeOf(leavesOf(names), chunks.put);
        let fresh = size;
        for (const edits of nights) {
          for (const { place, removed, added } of edits) {
            const at = Math.floor(place * names.length);
            names = [...names.slice(0, at), ...Array.from({ length: added }, () => ++fresh), ...names.slice(at + removed)];
          }
          const { leaves, levels } = readNodes(tree.node, chunks);
          expect(treeOf(leaves, () => {}, levels).root).toBe(tree.root);
          const all = new MemoryChunks();
          const expected = treeOf(leavesOf(names), all.put);
          let written = 0;
          tree = treeOf(
            leavesOf(names),
            (chunk) => {
              written += 1;
              chunks.put(chunk);
            },
            levels,
          );
          expect(tree).toEqual(expected);
          for (const [name, bytes] of all.found) expect(chunks.found.get(name)?.equals(bytes)).toBe(true);
          if (written < all.found.size) reused += 1;
        }
      }),
      { numRuns: 30 },
    );
    expect(reused).toBeGreaterThan(10);
  });
});
