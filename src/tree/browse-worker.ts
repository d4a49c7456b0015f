import { parentPort, workerData } from 'node:worker_threads';
import { type BrowseJob, renderBrowseFrom } from './browse-render.ts';

const job: BrowseJob = workerData;
renderBrowseFrom(job);
// the main thread can continue while this thread shuts down
parentPort?.postMessage('done');
