import { parentPort, workerData } from 'node:worker_threads';
import { type ChunkJob, type ChunkResult, runChunkJob } from './store-chunker.ts';

const job: ChunkJob = workerData;
const result: ChunkResult = runChunkJob(job);
parentPort?.postMessage(result);
