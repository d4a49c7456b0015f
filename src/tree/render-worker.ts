import { parentPort, workerData } from 'node:worker_threads';
import { type RenderJob, renderFrom } from './render.ts';

const job: RenderJob = workerData;
renderFrom(job);
// the main thread can continue while this thread shuts down
parentPort?.postMessage('done');
