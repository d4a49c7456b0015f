import { parentPort, workerData } from 'node:worker_threads';
import { StoredVersions } from '../store/stored-versions.ts';
import { type FoldedRows, PartitionFold } from './partition-fold.ts';
import { ProfilePool } from './profile-pool.ts';
import { StringPool } from './string-pool.ts';
import type { ReadAnswer, ThreadJob, ThreadRequest } from './thread-messages.ts';
import { ValueReader } from './value-reader.ts';

const job: ThreadJob = workerData;
// the main thread opened the file, and closes it
const texts = new StringPool({ descriptor: job.pool.descriptor, close: () => {} }, job.pool.number);
const reader = new ValueReader(job.context, new ProfilePool(texts));
let partition: PartitionFold | undefined;

async function answer(request: ThreadRequest): Promise<ReadAnswer | FoldedRows | undefined> {
  switch (request.kind) {
    case 'read':
      return await reader.read(request);
    case 'fold': {
      partition ??= new PartitionFold(
        request.descriptors,
        job.network,
        job.store === undefined ? undefined : StoredVersions.open(job.store),
      );
      return partition.fold(request.rows, request.share);
    }
    case 'flush':
      texts.flush();
      return undefined;
  }
}

parentPort?.on('message', ({ number, request }: { readonly number: number; readonly request: ThreadRequest }) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  void answer(request).then((result) => parentPort?.postMessage({ number, result }));
});
