import type { Child } from '../rewrite/chunks.ts';
import type { Store } from '../store/store.ts';
import type { Trees } from './all-trees.ts';
import { changedLeaves } from './changes.ts';
import type { PutChunk } from './chunk.ts';
import { type Chunks, DamagedChunk } from './chunk-folder.ts';
import { ACCOUNT_RULE, FEED_RULE } from './chunker.ts';
import type { ComposedHead } from './head.ts';
import { readNodes, treeOf } from './nodes.ts';
import { rechunk } from './rechunk.ts';

/** If a larger share of the leaves changed, reading the whole store is faster. */
const MAX_CHANGED_SHARE = 0.25;
/** This many changed leaves are always few enough. */
const FEW_CHANGED_LEAVES = 32;

/**
 * Makes the trees of a store from its items that changed since an earlier revision, and the trees of that revision.
 * @param since the revision that the head shows
 * @returns undefined if that is not possible or not faster than reading all items
 * @throws Failure bad-store
 */
export function changedTrees(store: Store, since: number, head: ComposedHead, chunks: Chunks, put: PutChunk): Trees | undefined {
  try {
    const before = { data: readNodes(head.data.node, chunks), account: readNodes(head.account.node, chunks) };
    const leaves = { data: before.data.leaves, account: before.account.leaves };
    if (leaves.data.length === 0 || leaves.account.length === 0) return undefined;
    const changed = changedLeaves(store, since, leaves, head.page_size, chunks);
    if (changed.data.length > maxChanged(leaves.data) || changed.account.length > maxChanged(leaves.account)) return undefined;
    const [feed, accounts] = [store.feedItems(), store.accountItems()];
    const data = rechunk(FEED_RULE, leaves.data, changed.data, (after, upTo) => feed.range(idOf(after), idOf(upTo) ?? 0), chunks, put);
    const account = rechunk(
      ACCOUNT_RULE,
      leaves.account,
      changed.account,
      (after, upTo) => accounts.read(head.page_size, { after, upTo }),
      chunks,
      put,
    );
    const trees = { data: treeOf(data, put, before.data.levels), account: treeOf(account, put, before.account.levels) };
    const isWhole = trees.data.count === store.revision.records && trees.account.count === store.revision.accounts;
    return isWhole ? trees : undefined;
  } catch (error) {
    // all trees are made from the whole store instead, which also restores this chunk
    if (error instanceof DamagedChunk) return undefined;
    throw error;
  }
}

function maxChanged(leaves: readonly Child[]): number {
  return Math.max(FEW_CHANGED_LEAVES, leaves.length * MAX_CHANGED_SHARE);
}

function idOf(key: number | string | undefined): number | undefined {
  return key === undefined ? undefined : Number(key);
}
