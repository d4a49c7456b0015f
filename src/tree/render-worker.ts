import { parentPort, workerData } from 'node:worker_threads';
import type { Direction } from '../store/direction.ts';
import { type RenderJob, renderFrom } from './render.ts';

/** The input of one thread: the job, and the end at which the thread begins. */
export interface WorkerJob extends RenderJob {
  readonly end: Direction;
}

const job: WorkerJob = workerData;
renderFrom(job, job.end);
// the main thread can continue while this thread shuts down
parentPort?.postMessage('done');
