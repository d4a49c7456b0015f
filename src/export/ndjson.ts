import { encodeAccountState, encodeExportHeader } from '../contract/account-state.ts';
import type { Store } from '../store/store.ts';

/** Yields the whole content of a store as lines of JSON: the header, the accounts by screen name, the records by id. */
export function* ndjsonLines(store: Store): Generator<string> {
  yield encodeExportHeader(store.revision.accounts, store.revision.records);
  for (const state of store.accountStates()) yield encodeAccountState(state);
  yield* store.records();
}
