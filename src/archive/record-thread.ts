import { parentPort, workerData } from 'node:worker_threads';
import { openTreeFiles } from '../tree/tree-files.ts';
import type { Requested } from './page-urls.ts';
import { type EncoderJob, encodeRecords } from './resource-record.ts';

const job: EncoderJob = workerData;
const files = openTreeFiles(job.out);

parentPort?.on('message', (pages: readonly Requested[]) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  const records = encodeRecords(files, job, pages);
  parentPort?.postMessage(records, [records.bytes.buffer]);
});
