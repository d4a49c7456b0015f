import { Worker } from 'node:worker_threads';
import type { Collection } from '../contract/collection.ts';
import type { OnProgress, Pauses } from '../contract/pauses.ts';
import { errorOfThread } from '../contract/thread-error.ts';
import type { Child } from '../rewrite/chunks.ts';
import type { Store } from '../store/store.ts';
import type { ChunkStage } from './chunk-folder.ts';
import type { KnownTree } from './head.ts';
import { treeOf } from './nodes.ts';
import { type ChunkJob, type ChunkResult, chunkStore } from './store-chunker.ts';

/** The trees of both collections. */
export interface Trees {
  readonly data: KnownTree;
  readonly account: KnownTree;
}

/** With fewer records, a second thread takes longer to start than it saves. */
const MIN_RECORDS_FOR_THREAD = 20_000;
/** Memory for a thread's short-lived objects, in MB. */
const YOUNG_GENERATION_MB = 12;

/**
 * Makes the trees of a store from all its items. A second thread chunks the accounts while this one chunks the feed.
 * @param onProgress counts the records, and the accounts that this thread chunks
 * @throws Failure bad-store, stopped
 */
export async function allTrees(
  store: Store,
  pageSize: number,
  stage: ChunkStage,
  pauses: Pauses,
  onProgress: OnProgress<'chunk'>,
): Promise<Trees> {
  const { records, accounts, number } = store.revision;
  const put = stage.put.bind(stage);
  const chunked = async (collection: Collection, before: number, all: number) => {
    const steps = chunkStore(store, collection, pageSize, put);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      if (!pauses.areDue) continue;
      onProgress('chunk', before + step.value, all);
      await pauses.take();
    }
  };
  const job: ChunkJob = { store: store.path, revision: number, collection: 'account', pageSize, stage: stage.options };
  const thread = records < MIN_RECORDS_FOR_THREAD ? undefined : startThread(job);
  try {
    const feed = await chunked('data', 0, thread === undefined ? records + accounts : records);
    const result = thread === undefined ? undefined : await pauses.until(thread.result);
    stage.adopt(result?.staged ?? []);
    const leaves: readonly Child[] = result?.leaves ?? (await chunked('account', records, records + accounts));
    return { data: treeOf(feed, put), account: treeOf(leaves, put) };
  } finally {
    // the thread must not write into the stage after the build has ended
    await thread?.end();
  }
}

interface Thread {
  readonly result: Promise<ChunkResult>;
  readonly end: () => Promise<unknown>;
}

function startThread(workerData: ChunkJob): Thread {
  const worker = new Worker(new URL('./chunk-worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const result = new Promise<ChunkResult>((resolve, reject) => {
    worker.once('error', (error: unknown) => reject(errorOfThread(error)));
    worker.once('message', resolve);
    worker.once('exit', (code) => reject(new Error(`a thread ended early, with code ${code}`)));
  });
  // an error is thrown where the result is awaited, if this thread has not failed before
  result.catch(() => {});
  return { result, end: () => worker.terminate() };
}
