import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { ChunkReader } from '../../src/composed/chunk-folder.ts';
import { leavesOf } from '../../src/composed/chunker.ts';
import { type ComposedHead, encodeHead, readHead } from '../../src/composed/head.ts';
import { generationsOf } from '../../src/composed/log.ts';
import { treeOf } from '../../src/composed/nodes.ts';
import { chunkPath, leafIndex } from '../../src/rewrite/chunks.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from './good-tree.ts';

interface Tree {
  readonly out: string;
  readonly store: string;
  readonly head: ComposedHead;
}

async function goodTree(): Promise<Tree> {
  const folder = temporaryFolder();
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  for (const records of [300, 700]) {
    await importHistory(store, goodHistory(records));
    await buildComposed(store, { out, site: SITE, time: new Date('2026-11-22T03:00:00Z') });
  }
  const head = readHead(out);
  if (head === undefined) throw new Error('no head');
  return { out, store, head };
}

async function rulesBroken(tree: Tree): Promise<{ readonly rules: string[]; readonly causes: string[] }> {
  const { violations, causes } = await verify({ out: tree.out, store: tree.store });
  return { rules: [...new Set(violations.map(({ rule }) => rule))], causes: causes.map(({ path }) => path) };
}

const leafOf = ({ head }: Tree, at: number) => head.data.node.children.at(at)?.[0] ?? '';

/** Replaces the feed by one with the same records and other leaves. */
function recutFeed({ out, head }: Tree, distance: number): void {
  const runs = head.data.node.children.map(([hash]) => {
    const leaf = readFileSync(join(out, chunkPath(hash)));
    return { ...leafIndex(leaf), json: leaf.subarray(leaf.indexOf('\n') + 1) };
  });
  const put = ({ hash, pieces }: { readonly hash: string; readonly pieces: readonly Uint8Array[] }) => {
    const path = join(out, chunkPath(hash));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.concat(pieces));
  };
  const data = treeOf(leavesOf({ distance, unitBytes: 1024 }, runs, put), put);
  writeFileSync(join(out, 'head.json'), encodeHead({ ...head, data }));
}

describe('verify of a composed tree', () => {
  it('finds nothing wrong with a good tree', async () => {
    const tree = await goodTree();
    const summary = await verify({ out: tree.out, store: tree.store });
    expect(summary.violations).toEqual([]);
    expect(summary).toMatchObject({ records: 700, build: { layout: 'composed', generation: 2, generations: 2, records: 700 } });
  });

  it('reports a leaf with one other byte by its hash', async () => {
    const tree = await goodTree();
    const path = chunkPath(leafOf(tree, 1));
    const bytes = readFileSync(join(tree.out, path));
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(join(tree.out, path), bytes);
    const { rules, causes } = await rulesBroken(tree);
    expect(rules).toContain('file-digest');
    expect(causes[0]).toBe(path);
  });

  it('reports a missing chunk of the present state', async () => {
    const tree = await goodTree();
    rmSync(join(tree.out, chunkPath(leafOf(tree, -1))));
    const { rules, causes } = await rulesBroken(tree);
    expect(rules).toContain('file-missing');
    expect(causes[0]).toBe(chunkPath(leafOf(tree, -1)));
  });

  it('reports a missing chunk that only an earlier generation needs', async () => {
    const tree = await goodTree();
    const [earlier] = generationsOf(tree.head.log, new ChunkReader(tree.out));
    if (earlier === undefined) throw new Error('no generation');
    rmSync(join(tree.out, chunkPath(earlier.data)));
    expect(await rulesBroken(tree)).toEqual({ rules: ['file-missing'], causes: [chunkPath(earlier.data)] });
  });

  it('reports leaves that end elsewhere, although all hashes and pages are right', async () => {
    const tree = await goodTree();
    recutFeed(tree, 50);
    expect((await rulesBroken(tree)).rules).toEqual(['tree-structure']);
  });

  it('reports another file in the tree, and accepts chunks that a killed build left', async () => {
    const tree = await goodTree();
    writeFileSync(join(tree.out, 'notes.txt'), '');
    writeFileSync(join(tree.out, chunkPath(leafOf(tree, 0)).replace(/..$/, '00')), 'left over');
    expect(await rulesBroken(tree)).toEqual({ rules: ['unexpected-file'], causes: ['notes.txt'] });
  });

  it('reports a store that has changed since the build', async () => {
    const tree = await goodTree();
    await importHistory(tree.store, goodHistory(701));
    expect((await rulesBroken(tree)).rules).toContain('store-fingerprint');
  });

  it('reports a damaged head', async () => {
    const tree = await goodTree();
    writeFileSync(join(tree.out, 'head.json'), encodeHead({ ...tree.head, generation: 0 }));
    expect(await rulesBroken(tree)).toEqual({ rules: ['build-record'], causes: ['head.json'] });
  });
});
