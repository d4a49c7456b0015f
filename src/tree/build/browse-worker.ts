import { parentPort, workerData } from 'node:worker_threads';
import { Store } from '../../store/store.ts';
import { type BrowseJob, PartRenderer } from './browse-render.ts';

const job: BrowseJob = workerData;
const store = Store.open(job.store);
// if the store has changed, all parts are left to the main thread: only its connection still sees the old revision
const renderer = store.revision.number === job.revision ? new PartRenderer(job, store) : undefined;

parentPort?.on('message', (part: number) => parentPort?.postMessage(renderer?.render(part)));
