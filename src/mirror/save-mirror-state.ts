import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { COLLECTIONS, type PerCollection } from '../contract/pages/collection.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import { excludedKey, type ItemKey, type MirrorState, type MirrorSummary } from '../store/mirror-state.ts';
import { isDigest, withoutExcludedNames } from './service-page.ts';
import type { PageSpool } from './spool/page-spool.ts';

/** What a finished run found out about the service. */
export interface FinishedRun {
  readonly summary: MirrorSummary;
  /** When the run ended, in UTC. */
  readonly time: string;
  /** What the store lacks; undefined if it has everything that the service has. */
  readonly incomplete: IncompleteMirror | undefined;
  /** Items that the service no longer has. */
  readonly gone: PerCollection<readonly ItemKey[]>;
}

/** Writes the state of the service after a finished run, in the caller's batch. */
export function saveMirrorState(
  before: MirrorState,
  spool: PageSpool,
  exclusions: Pick<Exclusions, 'isEmpty' | 'hasHandle'>,
  { summary, time, incomplete, gone }: FinishedRun,
): MirrorState {
  const memory = before.update(summary, incomplete, time);
  for (const collection of COLLECTIONS) {
    // while the run read a page, it did not know the names that later pages excluded
    const withoutName = (key: ItemKey) => (typeof key === 'string' && exclusions.hasHandle(key) ? excludedKey(key) : key);
    for (const key of spool.items.newItems(collection)) memory.add(collection, withoutName(key));
    for (const key of gone[collection]) {
      memory.setGone(collection, withoutName(key), time);
      if (isDigest(key)) memory.clearGone(collection, key);
    }
  }
  for (const page of spool.pages()) {
    // with one more record, all pages of the feed differ, so page 1 is enough
    const isWorthKeeping = page.collection === 'account' || page.number === 1;
    if (page.etag !== null && isWorthKeeping)
      memory.setPage(page.collection, page.number, page.etag, withoutNames(page.contents, exclusions));
  }
  return memory;
}

function withoutNames(contents: string, exclusions: Pick<Exclusions, 'isEmpty' | 'hasHandle'>): string {
  return exclusions.isEmpty ? contents : JSON.stringify(withoutExcludedNames(JSON.parse(contents), exclusions));
}
