import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Bytes of a store in one block, but for the last. */
export const BLOCK_BYTES: number = 1 << 18;

/** A run of a store's bytes, at the place that its index in the list gives. */
export interface Block {
  /** SHA-256 of the bytes, as hexadecimal digits. */
  readonly digest: string;
  /** Where the bytes are kept, compressed with brotli. */
  readonly path: string;
}

/** Where the list of a version's blocks is kept. */
export function listPath(id: string): string {
  return `versions/${id}.txt.br`;
}

function blocksPath(id: string): string {
  return `blocks/${id}/`;
}

/**
 * The blocks of a version, and which of them have to be sent: those whose bytes are others than at the same place of
 * the version before. Each is kept under the id of the push that sent it, so that no two pushes ever write the same object.
 * @param digests of the version's blocks, in order
 * @param before the blocks of the version before; none where its blocks have another size
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
 * The objects that nothing needs any more once a version is not kept: a block is taken over only from the version just before, at the
 * same place, so that one which the next version does not have there no later version has either.
 */
export function replacedBlocks(version: readonly Block[], next: readonly Block[]): string[] {
  return version.filter(({ path }, index) => next[index]?.path !== path).map(({ path }) => path);
}

/** The objects that a push itself wrote, or was to write. */
export function ownBlocks(id: string, blocks: readonly Block[]): string[] {
  return blocks.filter(({ path }) => path.startsWith(blocksPath(id))).map(({ path }) => path);
}

/** A line for each block, as `sha256sum` writes them, compressed. */
export function encodeBlocks(blocks: readonly Block[]): Buffer {
  const lines = blocks.map(({ digest, path }) => `${digest}  ${path}\n`).join('');
  // half of it are digests, of which a higher quality makes no less
  return brotliCompressSync(lines, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** @returns undefined where it is no such list */
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
