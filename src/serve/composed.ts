import { ChunkReader } from '../composed/chunk-folder.ts';
import { readHead, requireHead } from '../composed/head.ts';
import type { Asked } from '../rewrite/respond.ts';
import { respondComposed } from '../rewrite/respond-composed.ts';
import { basePathOf } from './rebase.ts';

/** What a server knows about a tree. */
export interface ServedTree {
  readonly base_url: string;
  readonly page_size: number;
  readonly account_page_size: number;
  readonly records: number;
  readonly accounts: number;
  /** The number of browse files; undefined if the tree has none. */
  readonly browse_files?: number | undefined;
}

/**
 * Returns what a server knows about a composed tree.
 * @throws Failure no-tree, tree-edited
 */
export function composedTree(out: string): ServedTree {
  const { base_url, page_size, account_page_size, data, account } = requireHead(out);
  return { base_url, page_size, account_page_size, records: data.count, accounts: account.count };
}

/**
 * Answers a request from a tree with the composed layout. Checks the hash of each chunk.
 * @param rebased returns the base URL for links, given that of the tree
 * @returns undefined if the folder has no such tree
 */
export async function answerComposed(asked: Asked, out: string, rebased: (baseUrl: string) => string): Promise<Response | undefined> {
  const known = readHead(out);
  if (known === undefined) return undefined;
  const chunks = new ChunkReader(out);
  const heads = [known];
  return await respondComposed(
    asked,
    basePathOf(known.base_url),
    async () => {
      const head = heads.pop() ?? readHead(out);
      return head && { ...head, base_url: rebased(head.base_url) };
    },
    async (hash) => chunks.read(hash),
  );
}
