import { parentPort, workerData } from 'node:worker_threads';
import type { Direction } from '../store/direction.ts';
import { type RenderJob, renderFrom } from './render.ts';

/** What one thread is told: the job, and from which end it is to begin. */
export interface WorkerJob extends RenderJob {
  readonly end: Direction;
}

const job: WorkerJob = workerData;
renderFrom(job, job.end);
// the other side goes on while this thread is taken down
parentPort?.postMessage('done');
