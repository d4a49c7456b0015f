import { encodeAccountState, encodeExportHeader } from '../contract/account-state.ts';
import { encodeExclusion } from '../contract/exclusion.ts';
import type { Store } from '../store/store.ts';

/** Yields the whole content of a store as lines of JSON: the header, the exclusions, the accounts by screen name, the records by id. */
export function* ndjsonLines(store: Store): Generator<string> {
  const exclusions = store.exclusions();
  yield encodeExportHeader(store.revision.accounts, store.revision.records, exclusions.length);
  for (const exclusion of exclusions) yield encodeExclusion(exclusion);
  for (const state of store.accountStates()) yield encodeAccountState(state);
  yield* store.records();
}
