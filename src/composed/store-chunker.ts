import type { Collection } from '../contract/collection.ts';
import type { Child } from '../rewrite/chunks.ts';
import { Store } from '../store/store.ts';
import type { PutChunk } from './chunk.ts';
import { ChunkStage, type StageOptions } from './chunk-folder.ts';
import { ACCOUNT_RULE, Chunker, FEED_RULE } from './chunker.ts';

/**
 * Splits a whole collection of a store into leaves. Yields the number of items so far.
 * @param pageSize the number of records on a page of the feed
 * @throws Failure bad-store
 */
export function* chunkStore(store: Store, collection: Collection, pageSize: number, put: PutChunk): Generator<number, readonly Child[]> {
  let done = 0;
  if (collection === 'data') {
    const chunker = new Chunker(FEED_RULE, put);
    for (const run of store.feedItems().all()) {
      chunker.add(run);
      done += run.keys.length;
      yield done;
    }
    return chunker.end();
  }
  const chunker = new Chunker(ACCOUNT_RULE, put);
  const items = store.accountItems();
  for (const run of items.read(pageSize)) {
    chunker.add(run);
    done += run.keys.length;
    yield done;
  }
  store.checkAccounts({ accounts: done, sum: items.sum });
  return chunker.end();
}

/** The input of a thread that chunks a collection. */
export interface ChunkJob {
  readonly store: string;
  /** The store's revision to chunk. */
  readonly revision: number;
  readonly collection: Collection;
  readonly pageSize: number;
  readonly stage: StageOptions;
}

/** The result of such a thread; undefined if the store has changed. */
export type ChunkResult = { readonly leaves: readonly Child[]; readonly staged: readonly string[] } | undefined;

/** Opens a store, and splits a collection of it into leaves. */
export function runChunkJob(job: ChunkJob): ChunkResult {
  const store = Store.open(job.store);
  try {
    if (store.revision.number !== job.revision) return undefined;
    const stage = new ChunkStage(job.stage);
    const steps = chunkStore(store, job.collection, job.pageSize, (chunk) => stage.put(chunk));
    for (;;) {
      const step = steps.next();
      if (step.done) return { leaves: step.value, staged: stage.staged };
    }
  } finally {
    store.close();
  }
}
