import { encodeAccountState } from '../contract/account-state.ts';
import type { ConflictPolicy } from '../contract/conflict-policy.ts';
import { encodeExclusion } from '../contract/exclusion.ts';
import { Failure } from '../contract/failure.ts';
import { itemsOf } from '../sources/items.ts';
import { type PageSetReport, PageSets } from '../sources/page-set.ts';
import { lackOf } from '../sources/page-set-text.ts';
import { withProgress } from '../sources/progress.ts';
import { rejection } from '../sources/rejection.ts';
import type { Input, InputError, Item } from '../sources/source.ts';
import { AccountStateWriter } from '../store/account-state-writer.ts';
import { Batch } from '../store/batch.ts';
import { ExclusionWriter } from '../store/exclusion-writer.ts';
import { type Conflict, ItemWriter, NO_ITEMS, type Outcome, type Tally, withdraw } from '../store/item-writer.ts';

export interface ImportOptions {
  readonly onConflict: ConflictPolicy;
  /** Called with each item that cannot be imported; the run continues. Without it the first such item ends the import. */
  readonly onReject?: ((inputError: InputError) => void) | undefined;
  /** Whether the saved pages must be proven complete. If they are not, nothing is imported. */
  readonly requireComplete?: boolean | undefined;
  /** Called once after all inputs are read, just before the commit. If it throws, nothing is imported. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  /** Called with the number of bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Called after all inputs are read, with the number of accounts whose histories are derived and their total. */
  readonly onMaterialize?: ((done: number, all: number) => void) | undefined;
}

export interface ImportSummary {
  readonly records: Tally;
  readonly accounts: Tally;
  /** The exclusions of an export. */
  readonly exclusions: Tally;
  readonly rejected: number;
  /** What is missing from the saved pages among the inputs, by collection. */
  readonly pageSets: readonly PageSetReport[];
}

/**
 * Imports all inputs in one transaction: the store receives all items or none.
 * @throws Failure for the first input error or conflict, unless options.onReject is set; incomplete if
 *   options.requireComplete is not met
 */
export async function importInputs(store: string, inputs: readonly Input[], options: ImportOptions): Promise<ImportSummary> {
  const batch = new Batch(store, 'by id');
  const [records, accounts, exclusions] = [{ ...NO_ITEMS }, { ...NO_ITEMS }, { ...NO_ITEMS }];
  let rejected = 0;
  const pages = new PageSets();
  const count = (tally: Record<keyof Tally, number>, outcome: Outcome, item: Conflicting): void => {
    if (typeof outcome === 'string') tally[outcome] += 1;
    else reject(conflictError(outcome, item));
  };
  const reject = (inputError: InputError): void => {
    if (options.onReject === undefined) throw rejection(inputError);
    options.onReject(inputError);
    rejected += 1;
  };
  try {
    const writer = new ItemWriter(batch, options.onConflict);
    const states = new AccountStateWriter(batch, options.onConflict);
    const exclusionWriter = new ExclusionWriter(batch, options.onConflict);
    for (const input of withProgress(inputs, options.onProgress)) {
      for await (const items of itemsOf(input)) {
        for (const item of items) {
          if (item.kind === 'record') count(records, writer.addRecord(item.record), item);
          else if (item.kind === 'account') count(accounts, writer.addProfile(item.account), item);
          else if (item.kind === 'state') count(accounts, states.add(item.state), item);
          else if (item.kind === 'exclusion') count(exclusions, exclusionWriter.add(item.exclusion), item);
          else if (item.kind === 'page') pages.add(item.page);
          else if (batch.exclusions.hasItem(item.item)) records.excluded += 1;
          else reject(item);
        }
      }
    }
    const withdrawn = writer.withdrawExcluded();
    withdraw(records, withdrawn.records);
    withdraw(accounts, withdrawn.accounts);
    const pageSets = pages.report();
    if (options.requireComplete) requireComplete(pageSets);
    await options.beforeCommit?.();
    batch.commit(options.onMaterialize);
    return { records, accounts, exclusions, rejected, pageSets };
  } finally {
    batch.end();
  }
}

type Conflicting = Extract<Item, { readonly kind: 'record' | 'account' | 'state' | 'exclusion' }>;

function conflictError(conflict: Conflict, item: Conflicting): InputError {
  return {
    kind: 'error',
    code: 'conflict',
    place: item.place,
    expected: `${conflict.subject} as stored earlier: ${conflict.stored}`,
    found: `another version: ${conflict.found}`,
    hint: conflict.hint ?? "keep the store's with --on-conflict keep, or take the new one with --on-conflict replace",
    item: itemValue(item),
  };
}

function itemValue(item: Conflicting): unknown {
  switch (item.kind) {
    case 'record':
      return item.record;
    case 'account':
      return item.account;
    case 'state':
      return JSON.parse(encodeAccountState(item.state));
    case 'exclusion':
      return JSON.parse(encodeExclusion(item.exclusion));
  }
}

/** @throws Failure incomplete for the first set of pages that is not known to be complete, or if there are no pages */
function requireComplete(sets: readonly PageSetReport[]): void {
  const set = sets.find(({ status }) => status !== 'complete');
  if (sets.length > 0 && set === undefined) return;
  throw new Failure(
    'incomplete',
    set === undefined ? 'no source contains pages that could prove it complete' : 'the saved pages are not known to be complete',
    {
      place: set?.url ? { file: set.url } : {},
      expected: set === undefined ? 'saved pages, which contain a count' : `pages that contain all ${set.count} items`,
      found: set === undefined ? 'sources without pages' : lackOf(set),
      hint: 'save the missing pages or all pages again, or omit --require-complete; nothing was imported',
    },
  );
}
