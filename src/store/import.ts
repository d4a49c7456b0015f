import { encodeAccountState } from '../contract/account-state.ts';
import type { ConflictPolicy } from '../contract/conflict-policy.ts';
import { itemsOf } from '../sources/items.ts';
import { metered } from '../sources/metered.ts';
import { refusal } from '../sources/refusal.ts';
import type { Flaw, Input, Item } from '../sources/source.ts';
import { AccountStateWriter } from './account-state-writer.ts';
import { Batch } from './batch.ts';
import { type Conflict, ItemWriter, type Outcome } from './item-writer.ts';

export interface ImportOptions {
  readonly onConflict: ConflictPolicy;
  /** Takes what cannot go in, so that the rest can; without it the first such thing ends the import. */
  readonly onReject?: ((flaw: Flaw) => void) | undefined;
  /** Called with the bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Called, once all is read, with the accounts whose histories have been derived, and those to be. */
  readonly onSettle?: ((done: number, all: number) => void) | undefined;
}

export interface ImportSummary {
  readonly records: Tally;
  readonly accounts: Tally;
  readonly rejected: number;
}

/** How many items came and what became of them. */
export interface Tally {
  readonly added: number;
  readonly same: number;
  readonly kept: number;
  readonly replaced: number;
}

/**
 * Imports everything that the inputs hold in one batch: all of it is in the store afterwards, or none.
 * @throws Failure for the first flaw or conflict, unless options.onReject takes them
 */
export async function importInputs(store: string, inputs: readonly Input[], options: ImportOptions): Promise<ImportSummary> {
  const batch = new Batch(store, 'by id');
  const records = { added: 0, same: 0, kept: 0, replaced: 0 };
  const accounts = { added: 0, same: 0, kept: 0, replaced: 0 };
  let rejected = 0;
  const count = (tally: Record<keyof Tally, number>, outcome: Outcome, item: Item): void => {
    if (typeof outcome === 'string') tally[outcome] += 1;
    else reject(flawOf(outcome, item));
  };
  const reject = (flaw: Flaw): void => {
    if (options.onReject === undefined) throw refusal(flaw);
    options.onReject(flaw);
    rejected += 1;
  };
  try {
    const writer = new ItemWriter(batch, options.onConflict);
    const states = new AccountStateWriter(batch, options.onConflict);
    for (const input of metered(inputs, options.onProgress)) {
      for await (const items of itemsOf(input)) {
        for (const item of items) {
          if (item.kind === 'record') count(records, writer.addRecord(item.record), item);
          else if (item.kind === 'account') count(accounts, writer.addProfile(item.account), item);
          else if (item.kind === 'state') count(accounts, states.add(item.state), item);
          else reject(item);
        }
      }
    }
    batch.commit(options.onSettle);
  } finally {
    batch.end();
  }
  return { records, accounts, rejected };
}

function flawOf(conflict: Conflict, item: Item): Flaw {
  return {
    kind: 'flaw',
    code: 'conflict',
    place: item.place,
    expected: `${conflict.subject} as it came before: ${conflict.stored}`,
    found: `another version: ${conflict.found}`,
    hint: conflict.hint ?? "keep the store's with --on-conflict keep, or take the new one with --on-conflict replace",
    item: itemValue(item),
  };
}

function itemValue(item: Item): unknown {
  switch (item.kind) {
    case 'record':
      return item.record;
    case 'account':
      return item.account;
    case 'state':
      return JSON.parse(encodeAccountState(item.state));
    case 'flaw':
      return item.item;
  }
}
