import { parentPort, workerData } from 'node:worker_threads';
import type { End } from '../store/end.ts';
import { type RenderJob, renderFrom } from './render.ts';

/** What one thread is told: the job, and from which end it is to begin. */
export interface WorkerJob extends RenderJob {
  readonly end: End;
}

const job: WorkerJob = workerData;
renderFrom(job, job.end);
// the other side goes on while this thread is taken down
parentPort?.postMessage('done');
