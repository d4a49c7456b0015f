import { type AccountState, encodeAccountState, encodeExportHeader } from '../contract/accounts/account-state.ts';
import { encodeExclusion } from '../contract/accounts/exclusion.ts';
import { encodeGoneItem } from '../contract/files/gone-item.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { chunks } from '../contract/files/write-files.ts';
import type { Store } from '../store/store.ts';

/**
 * Yields the whole content of a store as lines of JSON, in chunks: the header, the exclusions, the items that services no longer have, the
 * accounts by screen name, the records by id.
 * @param onLine called with the number of lines so far, and the number of all
 */
export function* ndjson(store: Store, onLine: (done: number, all: number) => void = () => {}): Generator<string> {
  const { accounts, records } = store.revision;
  const all = 1 + store.exclusions().length + store.goneItems().length + accounts + records;
  const before = linesBeforeRecords(store, store.accountReader().states(), records, store.incompleteMirrors());
  yield* chunks(terminated([before, store.records()], (done) => onLine(done, all)));
}

/**
 * Yields an export without records, in chunks of whole lines: what the pages lack. The profiles are those of the pages, so that they
 * never conflict with them.
 */
export function identities(store: Store): Generator<string> {
  return chunks(terminated([linesBeforeRecords(store, store.accountReader().publishedStates(), 0, [])]));
}

function* linesBeforeRecords(
  store: Store,
  states: Iterable<AccountState>,
  records: number,
  incomplete: readonly IncompleteMirror[],
): Generator<string> {
  const [exclusions, gone, snapshot_days] = [store.exclusions(), store.goneItems(), store.snapshotDays()];
  const { accounts } = store.revision;
  yield encodeExportHeader({ accounts, records, exclusions: exclusions.length, gone: gone.length, incomplete, snapshot_days });
  for (const exclusion of exclusions) yield encodeExclusion(exclusion);
  for (const item of gone) yield encodeGoneItem(item);
  for (const state of states) yield encodeAccountState(state);
}

/** Yields each line with its end. @param onLine called with the number of lines so far */
function* terminated(lists: readonly Iterable<string>[], onLine: (done: number) => void = () => {}): Generator<string> {
  let done = 0;
  for (const lines of lists) {
    for (const line of lines) {
      yield `${line}\n`;
      done += 1;
      onLine(done);
    }
  }
}
