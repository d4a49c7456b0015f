import { parentPort, workerData } from 'node:worker_threads';
import { openTreeFiles } from '../tree/tree-files.ts';
import { type EncoderJob, RecordEncoder } from './record-encoder.ts';
import type { Requested } from './response-record.ts';

const job: EncoderJob = workerData;
const encoder = new RecordEncoder(job, openTreeFiles(job.out));

parentPort?.on('message', (pages: readonly Requested[]) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  const records = encoder.encode(pages);
  parentPort?.postMessage(records, [records.bytes.buffer]);
});
