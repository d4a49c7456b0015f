import { encodeAccountState, encodeExportHeader } from '../contract/account-state.ts';
import { encodeExclusion } from '../contract/exclusion.ts';
import type { Store } from '../store/store.ts';
import { chunks } from './export-file.ts';

/** Yields the whole content of a store as lines of JSON: the header, the exclusions, the accounts by screen name, the records by id. */
export function* ndjsonLines(store: Store): Generator<string> {
  const exclusions = store.exclusions();
  yield encodeExportHeader(store.revision.accounts, store.revision.records, exclusions.length);
  for (const exclusion of exclusions) yield encodeExclusion(exclusion);
  for (const state of store.accountStates()) yield encodeAccountState(state);
  yield* store.records();
}

/** Yields the whole content of a store as NDJSON, in chunks. */
export function ndjson(store: Store): Generator<string> {
  return chunks(terminated(ndjsonLines(store)));
}

function* terminated(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}
