import { parentPort, workerData } from 'node:worker_threads';
import { SpanCheck } from './span-check.ts';
import type { CollectionSpan, SpanJob } from './span-messages.ts';

const job: SpanJob = workerData;
const spans = new SpanCheck(job);

parentPort?.on('message', (span: CollectionSpan) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  parentPort?.postMessage(spans.check(span));
});
