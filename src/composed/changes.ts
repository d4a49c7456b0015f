import { type Child, itemsOf, leafIndex } from '../rewrite/chunks.ts';
import type { AccountItems, AccountKey } from '../store/account-items.ts';
import type { Store } from '../store/store.ts';
import type { ItemRun } from './chunk.ts';
import type { Chunks } from './chunk-folder.ts';
import { feedLeafOf, rangeOf } from './leaf-list.ts';

/** The leaves of both collections whose items changed, as ascending positions. */
export interface ChangedLeaves {
  readonly data: readonly number[];
  readonly account: readonly number[];
}

/**
 * Finds the leaves whose items changed since an earlier revision of the store. The accounts show which records changed,
 * because each account contains all its records.
 * @param since the revision that the leaves show
 */
export function changedLeaves(
  store: Store,
  since: number,
  leaves: { readonly data: readonly Child[]; readonly account: readonly Child[] },
  pageSize: number,
  chunks: Chunks,
): ChangedLeaves {
  const items = store.accountItems();
  const account: number[] = [];
  const [older, newer] = [new Map<number, string>(), new Map<number, string>()];
  for (const position of staleLeaves(leaves.account, 0, leaves.account.length, items, since)) {
    account.push(position);
    const present = textsOf(items.read(pageSize, rangeOf(leaves.account, position, position)));
    const former = textsIn(chunks.read(leaves.account[position]?.[0] ?? ''));
    for (const [key, text] of former) if (present.get(key) !== text) addRecords(text, older);
    for (const [key, text] of present) if (former.get(key) !== text) addRecords(text, newer);
  }
  const data = new Set<number>();
  for (const [id, text] of older) if (newer.get(id) !== text) data.add(feedLeafOf(leaves.data, id));
  for (const id of newer.keys()) if (!older.has(id)) data.add(feedLeafOf(leaves.data, id));
  return { data: [...data].sort((a, b) => a - b), account };
}

/** Into how many parts leaves are divided to find those with changed accounts. */
const PARTS = 16;

/** Yields the leaves from `start` to before `end` whose accounts changed. One query rules out many unchanged leaves. */
function* staleLeaves(leaves: readonly Child[], start: number, end: number, items: AccountItems, since: number): Generator<number> {
  const size = Math.ceil((end - start) / PARTS);
  for (let part = start; part < end; part += size) {
    const next = Math.min(end, part + size);
    const state = items.state(rangeOf(leaves, part, next - 1));
    const accounts = leaves.slice(part, next).reduce((sum, leaf) => sum + leaf[1], 0);
    if (state.accounts === accounts && state.revision <= since) continue;
    if (size === 1) yield part;
    else yield* staleLeaves(leaves, part, next, items, since);
  }
}

function textsOf(runs: Iterable<ItemRun>): Map<AccountKey, string> {
  const texts = new Map<AccountKey, string>();
  for (const { keys, lengths, json } of runs) {
    let start = 0;
    for (const [index, key] of keys.entries()) {
      const end = start + (lengths[index] ?? 0);
      texts.set(key, json.subarray(start, end).toString());
      start = end + 1;
    }
  }
  return texts;
}

function textsIn(leaf: Buffer): Map<AccountKey, string> {
  const { keys, lengths } = leafIndex(leaf);
  return textsOf([{ keys, lengths, json: Buffer.from(itemsOf(leaf, 0, keys.length)) }]);
}

/** Adds the records of an account, by id, as JSON that is the same for equal records. */
function addRecords(account: string, to: Map<number, string>): void {
  const { data }: { data: readonly { readonly id: number }[] } = JSON.parse(account);
  for (const record of data) to.set(record.id, JSON.stringify(record));
}
