import type { Store } from '../store/store.ts';
import type { Trees } from './all-trees.ts';
import { changedFeedLeaves, staleLeaves } from './changes.ts';
import type { PutChunk } from './chunk.ts';
import { type Chunks, DamagedChunk } from './chunk-folder.ts';
import { ACCOUNT_RULE, FEED_RULE } from './chunker.ts';
import type { ComposedHead } from './head.ts';
import { readNodes, treeOf } from './nodes.ts';
import { rechunk } from './rechunk.ts';

/** If more of the leaves or of the accounts changed, reading the whole store is faster. */
const MOST_CHANGED = 0.25;
/** So many leaves and accounts may change in a small tree. */
const FEW_LEAVES = 32;
const FEW_ACCOUNTS = 1000;

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
    const [feed, accounts] = [store.feedItems(), store.accountItems()];
    const stale = [...staleLeaves(leaves.account, accounts, since)];
    // a single leaf may have most of the accounts, if they are new
    const staleAccounts = stale.reduce((sum, leaf) => sum + leaf.accounts, 0);
    if (stale.length > most(leaves.account.length, FEW_LEAVES)) return undefined;
    if (staleAccounts > most(store.revision.accounts, FEW_ACCOUNTS)) return undefined;
    const changed = changedFeedLeaves(stale, leaves, accounts, head.page_size, chunks);
    if (changed.length > most(leaves.data.length, FEW_LEAVES)) return undefined;
    const data = rechunk(FEED_RULE, leaves.data, changed, (after, upTo) => feed.range(idOf(after), idOf(upTo) ?? 0), chunks, put);
    const account = rechunk(
      ACCOUNT_RULE,
      leaves.account,
      stale.map(({ position }) => position),
      (after, upTo) => accounts.read(head.page_size, { after, upTo }),
      chunks,
      put,
    );
    const trees = { data: treeOf(data, put, before.data.levels), account: treeOf(account, put, before.account.levels) };
    const isWhole = trees.data.count === store.revision.records && trees.account.count === store.revision.accounts;
    return isWhole ? trees : undefined;
  } catch (error) {
    // the whole store replaces a chunk that is missing or damaged
    if (error instanceof DamagedChunk) return undefined;
    throw error;
  }
}

function most(all: number, few: number): number {
  return Math.max(few, all * MOST_CHANGED);
}

function idOf(key: number | string | undefined): number | undefined {
  return key === undefined ? undefined : Number(key);
}
