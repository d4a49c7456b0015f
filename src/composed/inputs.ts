import { join } from 'node:path';
import { COLLECTIONS } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { compose, findPage } from '../rewrite/compose.ts';
import type { Input } from '../sources/source.ts';
import { foundLayout } from '../tree/found-layout.ts';
import { ChunkReader, DamagedChunk } from './chunk-folder.ts';
import { type ComposedHead, requireHead } from './head.ts';

/**
 * Returns the pages of the present state of a composed tree, for an import: they are the same as those of a static tree.
 * @returns undefined if the folder has no composed tree
 * @throws Failure no-tree if it has no head, tree-edited if its head is damaged
 */
export function composedInputs(out: string): Input[] | undefined {
  if (foundLayout(out) !== 'composed') return undefined;
  const head = requireHead(out);
  const sizes = { data: head.page_size, account: head.account_page_size };
  return COLLECTIONS.flatMap((collection) => {
    const pages = Math.max(1, Math.ceil(head[collection].count / sizes[collection]));
    return Array.from({ length: pages }, (_, index) => {
      const page = `rest/${collection}/page/${index + 1}/index.json`;
      return { name: join(out, page), size: undefined, open: () => pageOf(out, head, page) };
    });
  });
}

async function* pageOf(out: string, head: ComposedHead, page: string): AsyncGenerator<Uint8Array> {
  const chunks = new ChunkReader(out);
  try {
    const read = async (hash: string) => chunks.read(hash);
    const found = await findPage(head, page, '', read);
    if (found !== undefined && !('status' in found)) yield* await compose(found, read);
  } catch (error) {
    if (!(error instanceof DamagedChunk)) throw error;
    throw new Failure('tree-edited', `${join(out, error.path)} differs from what the build wrote`, {
      place: { file: join(out, error.path) },
      expected: 'bytes with the SHA-256 in the name of the file',
      found: error.message,
      hint: hint`run ${suggested('build', { '--layout': 'composed', '--repair': true, '--store': 'FILE' })} with the store of this tree, then import again`,
    });
  }
}
