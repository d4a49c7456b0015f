import { encodeAccountState, encodeExportHeader } from '../contract/accounts/account-state.ts';
import { encodeExclusion } from '../contract/accounts/exclusion.ts';
import type { Store } from '../store/store.ts';
import { chunks } from './export-file.ts';

/**
 * Yields the whole content of a store as lines of JSON: the header, the exclusions, the accounts by screen name, the records by id.
 * @param onLine called with the number of lines so far, and the number of all
 */
export function* ndjsonLines(store: Store, onLine: (done: number, all: number) => void = () => {}): Generator<string> {
  const all = 1 + store.exclusions().length + store.revision.accounts + store.revision.records;
  let line = 0;
  for (const text of linesOf(store)) {
    yield text;
    line += 1;
    onLine(line, all);
  }
}

function* linesOf(store: Store): Generator<string> {
  const exclusions = store.exclusions();
  yield encodeExportHeader(store.revision.accounts, store.revision.records, exclusions.length);
  for (const exclusion of exclusions) yield encodeExclusion(exclusion);
  for (const state of store.accountReader().states()) yield encodeAccountState(state);
  yield* store.records();
}

/** Does the same as {@link ndjsonLines}, in chunks of text. */
export function ndjson(store: Store, onLine?: (done: number, all: number) => void): Generator<string> {
  return chunks(terminated(ndjsonLines(store, onLine)));
}

function* terminated(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}
