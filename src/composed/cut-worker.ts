import { parentPort, workerData } from 'node:worker_threads';
import { type CutJob, type CutResult, cutFrom } from './cut-store.ts';

const job: CutJob = workerData;
const result: CutResult = cutFrom(job);
parentPort?.postMessage(result);
