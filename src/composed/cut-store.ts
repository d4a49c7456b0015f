import type { Collection } from '../contract/collection.ts';
import type { Child } from '../rewrite/chunks.ts';
import { Store } from '../store/store.ts';
import type { PutChunk } from './chunk.ts';
import { ChunkStage, type StageOptions } from './chunk-folder.ts';
import { ACCOUNT_RULE, FEED_RULE, LeafCutter } from './leaf-cutter.ts';

/**
 * Cuts a whole collection of a store into leaves. Yields the number of items so far.
 * @param pageSize the number of records on a page of the feed
 * @throws Failure bad-store
 */
export function* cutStore(store: Store, collection: Collection, pageSize: number, put: PutChunk): Generator<number, readonly Child[]> {
  let done = 0;
  if (collection === 'data') {
    const cutter = new LeafCutter(FEED_RULE, put);
    for (const run of store.feedItems().all()) {
      cutter.add(run);
      done += run.keys.length;
      yield done;
    }
    return cutter.end();
  }
  const cutter = new LeafCutter(ACCOUNT_RULE, put);
  const items = store.accountItems();
  for (const run of items.read(pageSize)) {
    cutter.add(run);
    done += run.keys.length;
    yield done;
  }
  store.checkAccounts({ accounts: done, sum: items.sum });
  return cutter.end();
}

/** The input of a thread that cuts a collection. */
export interface CutJob {
  readonly store: string;
  /** The store's revision to cut. */
  readonly revision: number;
  readonly collection: Collection;
  readonly pageSize: number;
  readonly stage: StageOptions;
}

/** The result of such a thread; undefined if the store has changed. */
export type CutResult = { readonly leaves: readonly Child[]; readonly staged: readonly string[] } | undefined;

/** Opens a store, and cuts a collection of it. */
export function cutFrom(job: CutJob): CutResult {
  const store = Store.open(job.store);
  try {
    if (store.revision.number !== job.revision) return undefined;
    const stage = new ChunkStage(job.stage);
    const steps = cutStore(store, job.collection, job.pageSize, (chunk) => stage.put(chunk));
    for (;;) {
      const step = steps.next();
      if (step.done) return { leaves: step.value, staged: stage.staged };
    }
  } finally {
    store.close();
  }
}
