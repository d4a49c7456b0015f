import { parentPort, workerData } from 'node:worker_threads';
import { PageRangeCheck } from './page-range-check.ts';
import type { CollectionPageRange, PageRangeJob } from './page-range-messages.ts';

const job: PageRangeJob = workerData;
const ranges = new PageRangeCheck(job);

parentPort?.on('message', (range: CollectionPageRange) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  parentPort?.postMessage(ranges.check(range));
});
