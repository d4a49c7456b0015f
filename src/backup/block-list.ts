import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Bytes of each block of a store except the last. */
export const BLOCK_BYTES: number = 1 << 18;

/** A range of a store's bytes. Its index in the list gives its position. */
export interface Block {
  /** SHA-256 of the bytes, as hexadecimal digits. */
  readonly digest: string;
  /** The path of the object with the bytes, compressed with brotli. */
  readonly path: string;
}

/** Returns the path of the block list of a version. */
export function listPath(id: string): string {
  return `versions/${id}.txt.br`;
}

function blocksPath(id: string): string {
  return `blocks/${id}/`;
}

/**
 * Returns the blocks of a version, and the indexes of those that must be sent: the blocks that differ from the previous
 * version at the same position. The path of a block contains the id of the push that sent it. So two pushes never write
 * the same object.
 * @param digests the digests of the version's blocks, in order
 * @param before the blocks of the previous version; empty if its blocks have another size
 */
export function planBlocks(
  id: string,
  digests: readonly string[],
  before: readonly Block[],
): { readonly blocks: readonly Block[]; readonly changed: readonly number[] } {
  const blocks: Block[] = [];
  const changed: number[] = [];
  for (const [index, digest] of digests.entries()) {
    const old = before[index];
    if (old?.digest === digest) blocks.push(old);
    else {
      blocks.push({ digest, path: `${blocksPath(id)}${changed.length}.br` });
      changed.push(index);
    }
  }
  return { blocks, changed };
}

/**
 * Returns the objects that are no longer needed after a version is dropped. A version reuses only blocks of the version
 * just before, at the same position. So if the next version does not have a block, no later version has it.
 */
export function replacedBlocks(version: readonly Block[], next: readonly Block[]): string[] {
  return version.filter(({ path }, index) => next[index]?.path !== path).map(({ path }) => path);
}

/** Returns the objects that a push itself wrote or intended to write. */
export function ownBlocks(id: string, blocks: readonly Block[]): string[] {
  return blocks.filter(({ path }) => path.startsWith(blocksPath(id))).map(({ path }) => path);
}

/** Encodes one line per block in the format of `sha256sum`, compressed. */
export function encodeBlocks(blocks: readonly Block[]): Buffer {
  const lines = blocks.map(({ digest, path }) => `${digest}  ${path}\n`).join('');
  // half of it is digests, which a higher quality does not make smaller
  return brotliCompressSync(lines, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** @returns undefined if the bytes are not a block list */
export function parseBlocks(bytes: Buffer): readonly Block[] | undefined {
  let text: string;
  try {
    text = brotliDecompressSync(bytes).toString();
  } catch {
    return undefined;
  }
  const blocks: Block[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digest, path] = /^([0-9a-f]{64}) {2}(blocks\/[0-9a-z-]+\/\d+\.br)$/.exec(line) ?? [];
    if (digest === undefined || path === undefined) return undefined;
    blocks.push({ digest, path });
  }
  return blocks;
}
