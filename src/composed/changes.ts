import { hash as digest } from 'node:crypto';
import { type Child, itemsOf, leafIndex } from '../rewrite/chunks.ts';
import type { AccountItems, AccountKey } from '../store/account-items.ts';
import type { ItemRun } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';
import { feedLeafOf, rangeOf } from './leaf-list.ts';

/** A leaf whose accounts changed. */
export interface StaleLeaf {
  readonly position: number;
  /** The number of accounts that belong to it now. */
  readonly accounts: number;
}

/** Into how many parts leaves are divided to find those with changed accounts. */
const PARTS = 16;

/**
 * Yields the leaves whose accounts changed since an earlier revision of the store, without reading any account. One query rules
 * out many unchanged leaves.
 * @param since the revision that the leaves show
 */
export function staleLeaves(leaves: readonly Child[], items: AccountItems, since: number): Generator<StaleLeaf> {
  return staleBetween(leaves, 0, leaves.length, items, since);
}

function* staleBetween(leaves: readonly Child[], start: number, end: number, items: AccountItems, since: number): Generator<StaleLeaf> {
  const size = Math.ceil((end - start) / PARTS);
  for (let part = start; part < end; part += size) {
    const next = Math.min(end, part + size);
    const state = items.state(rangeOf(leaves, part, next - 1));
    const accounts = leaves.slice(part, next).reduce((sum, leaf) => sum + leaf[1], 0);
    if (state.accounts === accounts && state.revision <= since) continue;
    if (size === 1) yield { position: part, accounts: state.accounts };
    else yield* staleBetween(leaves, part, next, items, since);
  }
}

/**
 * Finds the leaves of the feed whose records changed, as ascending positions. The changed accounts show which records changed,
 * because each account contains all its records. Memory has the accounts of one leaf, and a digest of each record that was found in
 * only one of the two states so far: new records, removed ones, and those of an account that moved to another leaf.
 * @param stale the leaves with changed accounts
 */
export function changedFeedLeaves(
  stale: readonly StaleLeaf[],
  leaves: { readonly data: readonly Child[]; readonly account: readonly Child[] },
  items: AccountItems,
  pageSize: number,
  chunks: Chunks,
): readonly number[] {
  const changed = new Set<number>();
  const unpaired = new Map<number, string>();
  const compare = (account: string) => {
    for (const [id, record] of recordsOf(account)) {
      const other = unpaired.get(id);
      if (other === undefined) unpaired.set(id, record);
      else {
        unpaired.delete(id);
        if (other !== record) changed.add(feedLeafOf(leaves.data, id));
      }
    }
  };
  for (const { position } of stale) {
    const former = new Map(textsIn(chunks.read(leaves.account[position]?.[0] ?? '')));
    for (const [key, text] of textsOf(items.read(pageSize, rangeOf(leaves.account, position, position)))) {
      const before = former.get(key);
      former.delete(key);
      if (before === text) continue;
      if (before !== undefined) compare(before);
      compare(text);
    }
    for (const text of former.values()) compare(text);
  }
  for (const id of unpaired.keys()) changed.add(feedLeafOf(leaves.data, id));
  return [...changed].sort((a, b) => a - b);
}

function* textsOf(runs: Iterable<ItemRun>): Generator<readonly [AccountKey, string]> {
  for (const { keys, lengths, json } of runs) {
    let start = 0;
    for (const [index, key] of keys.entries()) {
      const end = start + (lengths[index] ?? 0);
      yield [key, json.subarray(start, end).toString()];
      start = end + 1;
    }
  }
}

function textsIn(leaf: Buffer): Iterable<readonly [AccountKey, string]> {
  const { keys, lengths } = leafIndex(leaf);
  return textsOf([{ keys, lengths, json: Buffer.from(itemsOf(leaf, 0, keys.length)) }]);
}

/** Yields the records of an account: the id, and a digest that is the same for equal records. */
function* recordsOf(account: string): Generator<readonly [number, string]> {
  const { data }: { data: readonly { readonly id: number }[] } = JSON.parse(account);
  for (const record of data) yield [record.id, digest('sha256', JSON.stringify(record), 'base64')];
}
