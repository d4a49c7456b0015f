import type { OnProgress, Pauses } from '../contract/pauses.ts';
import type { Child } from '../rewrite/chunks.ts';
import type { Store } from '../store/store.ts';
import { changedLeaves } from './changes.ts';
import { type PutChunk, treeOf } from './chunk.ts';
import { type Chunks, DamagedChunk } from './chunk-folder.ts';
import type { ComposedHead, KnownTree } from './head.ts';
import { ACCOUNT_RULE, FEED_RULE, LeafCutter } from './leaf-cutter.ts';
import { leavesBelow } from './leaf-list.ts';
import { recut } from './recut.ts';

/** The trees of both collections, and the number of their chunks. */
export interface Trees {
  readonly data: KnownTree;
  readonly account: KnownTree;
}

/** If more of the leaves changed, reading the whole store is faster. */
const MOST_CHANGED = 0.25;

/**
 * Makes the trees of a store from its items.
 * @param onProgress counts items
 * @throws Failure bad-store, stopped
 */
export async function allTrees(
  store: Store,
  pageSize: number,
  put: PutChunk,
  pauses: Pauses,
  onProgress: OnProgress<'cut'>,
): Promise<Trees> {
  const { records, accounts } = store.revision;
  const all = records + accounts;
  let done = 0;
  const feed = new LeafCutter(FEED_RULE, put);
  for (const run of store.feedItems().all()) {
    feed.add(run);
    done += run.keys.length;
    if (!pauses.areDue) continue;
    onProgress('cut', done, all);
    await pauses.take();
  }
  const cutter = new LeafCutter(ACCOUNT_RULE, put);
  const items = store.accountItems();
  let read = 0;
  for (const run of items.read(pageSize)) {
    cutter.add(run);
    read += run.keys.length;
    if (!pauses.areDue) continue;
    onProgress('cut', done + read, all);
    await pauses.take();
  }
  store.checkAccounts({ accounts: read, sum: items.sum });
  return { data: treeOf(feed.end(), put), account: treeOf(cutter.end(), put) };
}

/**
 * Makes the trees of a store from its items that changed since an earlier revision, and the trees of that revision.
 * @param since the revision that the head shows
 * @returns undefined if that is not possible or not faster than reading all items
 * @throws Failure bad-store
 */
export function changedTrees(store: Store, since: number, head: ComposedHead, chunks: Chunks, put: PutChunk): Trees | undefined {
  try {
    const leaves = { data: leavesBelow(head.data.node, chunks), account: leavesBelow(head.account.node, chunks) };
    if (leaves.data.length === 0 || leaves.account.length === 0) return undefined;
    const changed = changedLeaves(store, since, leaves, head.page_size, chunks);
    if (changed.data.length > most(leaves.data) || changed.account.length > most(leaves.account)) return undefined;
    const [feed, accounts] = [store.feedItems(), store.accountItems()];
    const data = recut(FEED_RULE, leaves.data, changed.data, (after, upTo) => feed.range(idOf(after), idOf(upTo) ?? 0), chunks, put);
    const account = recut(
      ACCOUNT_RULE,
      leaves.account,
      changed.account,
      (after, upTo) => accounts.read(head.page_size, { after, upTo }),
      chunks,
      put,
    );
    const trees = { data: treeOf(data, put), account: treeOf(account, put) };
    const isWhole = trees.data.count === store.revision.records && trees.account.count === store.revision.accounts;
    return isWhole ? trees : undefined;
  } catch (error) {
    // the whole store replaces a chunk that is missing or damaged
    if (error instanceof DamagedChunk) return undefined;
    throw error;
  }
}

function most(leaves: readonly Child[]): number {
  return Math.max(8, leaves.length * MOST_CHANGED);
}

function idOf(key: number | string | undefined): number | undefined {
  return key === undefined ? undefined : Number(key);
}
