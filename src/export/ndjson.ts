import { type AccountState, encodeAccountState, encodeExportHeader } from '../contract/accounts/account-state.ts';
import { encodeExclusion } from '../contract/accounts/exclusion.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { chunks } from '../contract/files/write-files.ts';
import type { Store } from '../store/store.ts';

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
  yield* linesBeforeRecords(store, store.accountReader().states(), store.revision.records, store.incompleteMirrors());
  yield* store.records();
}

function* linesBeforeRecords(
  store: Store,
  states: Iterable<AccountState>,
  records: number,
  incomplete: readonly IncompleteMirror[],
): Generator<string> {
  const exclusions = store.exclusions();
  yield encodeExportHeader(store.revision.accounts, records, exclusions.length, incomplete);
  for (const exclusion of exclusions) yield encodeExclusion(exclusion);
  for (const state of states) yield encodeAccountState(state);
}

/**
 * Yields an export without records, in chunks of whole lines: what the pages lack. The profiles are those of the pages, so that they
 * never conflict with them.
 */
export function identities(store: Store): Generator<string> {
  return chunks(terminated(linesBeforeRecords(store, store.accountReader().publishedStates(), 0, [])));
}

/** Does the same as {@link ndjsonLines}, in chunks of text. */
export function ndjson(store: Store, onLine?: (done: number, all: number) => void): Generator<string> {
  return chunks(terminated(ndjsonLines(store, onLine)));
}

function* terminated(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}
